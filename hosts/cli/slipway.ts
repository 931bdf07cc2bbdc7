/** The `slipway` command, as the main program of this process. */
import { command } from "./command.ts"
import { runCli } from "./run.ts"

runCli(command)
