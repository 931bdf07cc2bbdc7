import { Effect, Option } from "effect"
import type { Administration } from "../../core/service/Administration.ts"
import { layerAdministration } from "../node/administration.ts"
import { loadSettings } from "../node/settings.ts"
import { givenFlags } from "./arguments.ts"

/** Runs an administrator's order on the stores that the settings name, or through the host that holds them. */
export const administer = <A, E>(
  input: {
    readonly data: Option.Option<string>
    readonly databaseUrl: Option.Option<string>
    readonly config: Option.Option<string>
  },
  order: Effect.Effect<A, E, Administration>
) =>
  Effect.gen(function* () {
    const settings = yield* loadSettings({
      flags: givenFlags({ SLIPWAY_DATA: input.data, DATABASE_URL: input.databaseUrl }),
      configFile: Option.getOrUndefined(input.config)
    })
    return yield* Effect.provide(order, layerAdministration(settings))
  })
