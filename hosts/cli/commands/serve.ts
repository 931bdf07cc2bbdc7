import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { layerHost } from "../../node/host.ts"
import { Listening } from "../../node/Listening.ts"
import * as logger from "../../node/logger.ts"
import {
  loadSettings,
  meantSetting,
  type ProcessSettings,
  settingNames,
  unknownVariables
} from "../../node/settings/settings.ts"
import { config, givenFlags, json } from "../parts/arguments.ts"
import { shutdownSignal } from "../parts/runMain.ts"

const settings = Object.fromEntries(
  settingNames.map(({ description, env, flag }) => [
    env,
    Flag.String(flag).pipe(Flag.withDescription(`${description} [${env}]`), Flag.optional)
  ])
)

export const serveFlags = { settings, config, json }

/** The settings of a host. A flag overrides the environment, which overrides the config file. */
export const serveSettings = (input: {
  readonly settings: Readonly<Record<string, Option.Option<string>>>
  readonly config: Option.Option<string>
}) =>
  loadSettings({
    flags: givenFlags(input.settings),
    configFile: Option.getOrUndefined(input.config)
  })

/** What runs a host of these settings. */
type LayerHost = typeof layerHost

/** Runs a host until a signal stops it. */
const runBy = (loaded: Effect.Effect<LayerHost>) => (settings: ProcessSettings, isJson: boolean) =>
  Effect.gen(function* () {
    for (const name of unknownVariables(process.env)) {
      const meant = meantSetting(name)
      const hint = meant === undefined ? `"slipway serve --help" names them all.` : `did you mean ${meant}?`
      yield* Effect.logWarning(`${name} is not a setting, so it has no effect: ${hint}`)
    }
    const { collectSooner, limitYoungGeneration, youngSizes } = yield* Effect.promise(
      () => import("../../node/heapSizes.ts")
    )
    // On PostgreSQL many more requests are under way at once.
    limitYoungGeneration(settings.database === undefined ? youngSizes.small : youngSizes.large)
    const layerHost = yield* loaded
    const running = Effect.gen(function* () {
      const { engines, url } = yield* Listening
      collectSooner()
      yield* Effect.logInfo(`Metadata on ${engines.metadata}, objects on ${engines.objects}`)
      yield* Console.log(isJson ? JSON.stringify({ url, engines }) : `Slipway listening on ${url}`)
      yield* shutdownSignal
    })
    yield* Effect.provide(running, layerHost(settings))
  })

/** `slipway serve`, of hosts that `loaded` makes. */
export const serveBy = (loaded: Effect.Effect<LayerHost>) =>
  Command.make("serve", serveFlags, (input) =>
    Effect.gen(function* () {
      const settings = yield* serveSettings(input)
      return yield* Effect.provide(runBy(loaded)(settings, input.json), logger.layerOf(settings.logFormat))
    })
  ).pipe(Command.withDescription("Run a host"))

export const serve = serveBy(Effect.promise(async () => (await import("../../node/host.ts")).layerHost))
