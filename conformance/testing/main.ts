/** `slipway conformance` as a process of its own, without the other commands. For tests. */
import { Command } from "effect/cli"
import { runCli } from "../../hosts/cli/run.ts"
import { conformance } from "../command.ts"

runCli(Command.make("slipway").pipe(Command.withSubcommands([conformance])))
