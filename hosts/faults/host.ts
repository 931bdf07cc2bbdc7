/**
 * `slipway serve` as it is, but for what the environment asks for: `FAULTS_PLANTED` plants a bug, `FAULTS_KILL_AT` kills the host
 * at a step. For fault runs alone; no published program imports it.
 */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { serveBy } from "../cli/commands/serve.ts"
import { runCli } from "../cli/parts/run.ts"
import { chooseEngines } from "../node/engines/chooseEngines.ts"
import { layerHostOn } from "../node/host.ts"
import type { ProcessSettings } from "../node/settings/settings.ts"
import { isPlanted, isStep, killing, planted } from "./planted.ts"

const { FAULTS_KILL_AT: step = "", FAULTS_PLANTED: bug = "" } = process.env

const layerHost = (settings: ProcessSettings) => {
  const engines = chooseEngines(settings)
  const ports = Layer.flatMap(engines.ports, (sound) => {
    const killed = isStep(step) ? killing[step](sound) : sound
    return Layer.succeedContext(isPlanted(bug) ? planted[bug](killed) : killed)
  })
  return layerHostOn(settings, { ...engines, ports })
}

runCli(Command.make("slipway").pipe(Command.withSubcommands([serveBy(Effect.succeed(layerHost))])))
