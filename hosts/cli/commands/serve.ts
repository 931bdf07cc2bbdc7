/** The commands that take all settings of a host: run it, ask whether it is ready, and check its engines. */
import { Console, Data, DateTime, Effect, Option, References, Result } from "effect"
import { Command, Flag } from "effect/cli"
import packageJson from "slipway/package.json" with { type: "json" }
import { Listening } from "../../node/Listening.ts"
import type { Finding } from "../../node/doctor/index.ts"
import type { layerHost } from "../../node/host.ts"
import * as logger from "../../node/logger.ts"
import {
  loadSettings,
  meantSetting,
  type ProcessSettings,
  settingNames,
  unknownVariables
} from "../../node/settings/settings.ts"
import { config, givenFlags, json } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"
import { shutdownSignal } from "../parts/run.ts"

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
    const { collectWhenIdle, limitHeapGrowth, limitYoungGeneration, youngSizes } = yield* Effect.promise(
      () => import("../../node/heapSizes.ts")
    )
    const layerHost = yield* loaded
    const running = Effect.gen(function* () {
      const { address, engines, url } = yield* Listening
      // Only now, because the garbage of a start would enlarge the young generation. On PostgreSQL many more requests are under way at once.
      limitYoungGeneration(settings.database === undefined ? youngSizes.small : youngSizes.large)
      limitHeapGrowth()
      collectWhenIdle()
      yield* Effect.logInfo(
        `Slipway ${packageJson.version} on Node ${process.version}: bound to ${address}, metadata on ${engines.metadata}, objects on ${engines.objects}`
      )
      const message = `Slipway listening on ${url}`
      const timestamp = DateTime.formatIso(yield* DateTime.now)
      // A program that reads both outputs of the host as its log gets nothing but JSON.
      const ready =
        settings.logFormat === "json" ? logger.lineOf("json", { timestamp, level: "INFO", message, url }) : message
      yield* Console.log(isJson ? JSON.stringify({ url, engines }) : ready)
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

/** The host does not answer, or is not ready. */
class Unhealthy extends Data.TaggedError("Unhealthy")<{ readonly message: string }> {}

/** The address of the host for this machine, also where it listens on every address. */
const addressOf = ({ host, port }: { readonly host: string; readonly port: number }): string => {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}

export const health = Command.make("health", serveFlags, (input) =>
  Effect.gen(function* () {
    const url = addressOf(yield* serveSettings(input))
    const response = yield* Effect.result(Effect.tryPromise((signal) => fetch(`${url}/readyz`, { signal })))
    if (Result.isFailure(response)) return yield* new Unhealthy({ message: `No host answers at ${url}.` })
    const { status } = response.success
    if (status !== 200)
      return yield* new Unhealthy({ message: `The host at ${url} is not ready (${status}). Its log names the engine.` })
    yield* print(input.json, { url, ready: true }, [`The host at ${url} is ready.`])
  })
).pipe(Command.withDescription("Check that the host of these settings, on this machine, is ready"))

/** The doctor found a problem; the printed lines describe it. */
class Unwell extends Data.TaggedError("Unwell")<{ readonly message: string }> {}

const line = (finding: Finding): string =>
  finding.ok ? `✓ ${finding.name}: ${finding.detail}` : `✗ ${finding.name}: ${finding.detail}. Fix: ${finding.hint}`

const deep = Flag.Boolean("deep").pipe(
  Flag.withDescription("Also read every object in the data folder, and name those that differ from their upload"),
  Flag.withDefault(false)
)

export const doctor = Command.make("doctor", { ...serveFlags, deep }, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const { examine, examineDeeply } = yield* Effect.promise(() => import("../../node/doctor/index.ts"))
    // The doctor prints its own explanation of each failure, so the engines' logs would only repeat it.
    const examination = input.deep ? examineDeeply(settings) : examine(settings)
    const findings = yield* Effect.provideService(examination, References.MinimumLogLevel, "None")
    yield* print(input.json, findings, findings.map(line))
    const wrong = findings.filter(({ ok }) => !ok).length
    if (wrong > 0) return yield* new Unwell({ message: `${wrong} of ${findings.length} checks found a problem.` })
  })
).pipe(Command.withDescription("Check the settings and every engine that they name"))
