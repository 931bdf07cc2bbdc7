/** The `slipway` command, as the main program of this process. */
import { boundYoungGeneration, youngSizes } from "../node/youngGeneration.ts"
import { command } from "./command.ts"
import { runCli } from "./run.ts"

boundYoungGeneration(youngSizes.small)
runCli(command)
