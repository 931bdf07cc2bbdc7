/** The `slipway-conformance` program: `slipway conformance` on its own, as the main program of this process. */
import { conformance } from "../../conformance/command.ts"
import { runCli } from "./parts/run.ts"

runCli(conformance)
