import { Console, Effect, Option, Result } from "effect"
import type { Administration } from "../../../core/service/Administration.ts"
import { loadSettings } from "../../node/settings/settings.ts"
import { givenFlags } from "./arguments.ts"

/** The flags that name where accounts are stored. */
export interface Stores {
  readonly data: Option.Option<string>
  readonly databaseUrl: Option.Option<string>
  readonly config: Option.Option<string>
}

const settingsOf = (input: Stores) =>
  loadSettings({
    flags: givenFlags({ SLIPWAY_DATA: input.data, DATABASE_URL: input.databaseUrl }),
    configFile: Option.getOrUndefined(input.config)
  })

type Order<A, E> = (administration: Administration["Service"]) => Effect.Effect<A, E>

const runOn = <A, E>(settings: Effect.Success<ReturnType<typeof settingsOf>>, order: Order<A, E>) =>
  Effect.gen(function* () {
    const [{ Administration }, { layerAdministration }] = yield* Effect.promise(() =>
      Promise.all([import("../../../core/service/Administration.ts"), import("../../node/administration.ts")])
    )
    return yield* Effect.provide(Administration.use(order), layerAdministration(settings))
  })

/** Fails if the settings name a SQLite file that doesn't exist, and no host has it. */
const refuseMissingFile = Effect.fnUntraced(function* (settings: Effect.Success<ReturnType<typeof settingsOf>>) {
  const { hasHost } = yield* Effect.promise(() => import("../../node/administration.ts"))
  // A host that listens has a database, even where only it can see the file.
  if (settings.database !== undefined || (yield* hasHost(settings.data))) return
  const { refuseMissing } = yield* Effect.promise(() => import("../../node/engines/sqlite.ts"))
  yield* refuseMissing(settings)
})

/**
 * Runs an administration command as {@link administer} does, and makes the database where there is none yet. Then it prints a message, because a
 * host in another folder doesn't see the new database.
 */
export const administerNew = <A, E>(input: Stores, order: Order<A, E>) =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(input)
    const missing = yield* Effect.result(refuseMissingFile(settings))
    const done = yield* runOn(settings, order)
    if (Result.isFailure(missing)) {
      yield* Console.error(
        `A new database was created, because ${missing.failure.detail}. A host with another data folder doesn't use it: name the host's folder with --data.`
      )
    }
    return done
  })

/**
 * Runs an administration command on the stores that the settings name, or through the host that has them open. It neither makes
 * nor migrates a database. The code for it is imported here, so that help and errors about flags don't wait for it.
 */
export const administer = <A, E>(input: Stores, order: Order<A, E>) =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(input)
    yield* refuseMissingFile(settings)
    if (settings.database !== undefined) {
      const { refuseUnmigrated } = yield* Effect.promise(() => import("../../node/doctor/postgres.ts"))
      yield* refuseUnmigrated(settings.database)
    }
    return yield* runOn(settings, order)
  })
