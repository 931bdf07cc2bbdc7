/** The `slipway` command, as the main program of this process. */
import { limitYoungGeneration, youngSizes } from "../node/youngGeneration.ts"
import { command } from "./command.ts"
import { runCli } from "./run.ts"

limitYoungGeneration(youngSizes.small)
runCli(command)
