/** The `slipway` command, as the main program of this process. */
import { command } from "./command.ts"
import { runCli } from "./parts/run.ts"

runCli(command)
