import { Effect, Layer, Schedule } from "effect"
import type { Administration } from "../../core/service/Administration.ts"
import type { Addresses } from "./administrationOnStores.ts"
import type { DataLocation } from "./engines/sqlite.ts"
import { isListening } from "./settings/dataFolder.ts"
import type { DatabaseSettings } from "./settings/engineSettings.ts"
import type { ProcessSettings } from "./settings/settings.ts"

// Each implementation is imported only when it is used: loading both would take longer than most commands.
const direct = Effect.promise(() => import("./administrationOnStores.ts"))
const socket = Effect.promise(() => import("./administrationSocket.ts"))

/** Whether a host runs on a data folder. One whose path is too long for a socket can't have any. */
export const hasHost = (data: string) =>
  Effect.catchTag(isListening(data), "DataFolderPathTooLong", () => Effect.succeed(false))

/**
 * Only one process can open the engines embedded in a data folder: while a host runs on it, commands go through that host.
 * If another command or a starting host has the folder, this waits for it, up to ten seconds.
 */
const layerInFolder = (place: DataLocation, addresses: Addresses) => {
  const reached = Effect.gen(function* () {
    return (yield* hasHost(place.data))
      ? yield* Layer.build((yield* socket).layerClient(place.data))
      : yield* Layer.build((yield* direct).layerInFolder(place, addresses))
  })
  return Layer.effectContext(
    Effect.retry(reached, {
      while: ({ _tag }) => _tag === "DatabaseInUse",
      schedule: Schedule.spaced("100 millis"),
      times: 100
    })
  )
}

const layerOnServer = (database: DatabaseSettings, addresses: Addresses) =>
  Layer.unwrap(Effect.map(direct, ({ layerOnServer }) => layerOnServer(database, addresses)))

type Failure = Layer.Error<ReturnType<typeof layerInFolder> | ReturnType<typeof layerOnServer>>

/** `Administration` on the stores that the settings name: on PostgreSQL itself, or on a data folder's engines. */
export const layerAdministration = ({
  data,
  database,
  file,
  ...addresses
}: Pick<ProcessSettings, "database" | "file" | keyof Addresses>): Layer.Layer<Administration, Failure> =>
  database === undefined
    ? layerInFolder({ data, file }, { data, ...addresses })
    : layerOnServer(database, { data, ...addresses })
