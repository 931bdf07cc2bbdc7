import { Effect, Option } from "effect"
import type { Administration } from "../../../core/service/administration/Administration.ts"
import { loadSettings } from "../../node/settings/settings.ts"
import { givenFlags } from "./arguments.ts"

/**
 * Runs an administration command on the stores that the settings name, or through the host that has them open. The code
 * for it is imported here, so that help and errors about flags don't wait for it.
 */
export const administer = <A, E>(
  input: {
    readonly data: Option.Option<string>
    readonly databaseUrl: Option.Option<string>
    readonly config: Option.Option<string>
  },
  order: (administration: Administration["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const settings = yield* loadSettings({
      flags: givenFlags({ SLIPWAY_DATA: input.data, DATABASE_URL: input.databaseUrl }),
      configFile: Option.getOrUndefined(input.config)
    })
    const [{ Administration }, { layerAdministration }] = yield* Effect.promise(() =>
      Promise.all([
        import("../../../core/service/administration/Administration.ts"),
        import("../../node/administration.ts")
      ])
    )
    return yield* Effect.provide(Administration.use(order), layerAdministration(settings))
  })
