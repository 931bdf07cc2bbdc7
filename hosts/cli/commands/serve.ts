import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { loadSettings, settingNames } from "../../node/settings/settings.ts"
import { config, givenFlags, json } from "../parts/arguments.ts"

const settings = Object.fromEntries(
  settingNames.map(({ description, env, flag }) => [
    env,
    Flag.String(flag).pipe(Flag.withDescription(`${description} [${env}]`), Flag.optional)
  ])
)

export const serveFlags = { settings, config, json }

/** The settings of a process that serves: the flags given, over the environment, over the config file. */
export const serveSettings = (input: {
  readonly settings: Readonly<Record<string, Option.Option<string>>>
  readonly config: Option.Option<string>
}) =>
  loadSettings({
    flags: givenFlags(input.settings),
    configFile: Option.getOrUndefined(input.config)
  })

export const serve = Command.make("serve", serveFlags, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const { layerHost } = yield* Effect.promise(() => import("../../node/host.ts"))
    const host = layerHost(settings, (listening) =>
      Effect.gen(function* () {
        yield* Console.log(input.json ? JSON.stringify(listening) : `Slipway listening on ${listening.url}`)
        // From here on, being stopped is how a host ends and not a failure.
        process.exitCode = 0
        const { metadata, objects } = listening.engines
        yield* Effect.logInfo(`Metadata on ${metadata}, objects on ${objects}`)
      })
    )
    return yield* Layer.launch(host)
  })
).pipe(Command.withDescription("Run a host"))
