import { Effect, Layer, Result, Schedule } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "../../core/service/Administration.ts"
import { Settings } from "../../core/service/Settings.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import * as AdminSocket from "./admin/socket.ts"
import { layerEmbeddedMetadata } from "./embedded.ts"
import type { DatabaseSettings } from "./engineSettings.ts"
import { layerPostgresMetadata } from "./production.ts"
import type { ProcessSettings } from "./settings.ts"

/** What a host of these settings is reached by. */
type Addresses = Pick<ProcessSettings, "host" | "port" | "url" | "viewerUrl">

/** On stores that this process opens itself. There is no host to tell where it is reached, so the settings do. */
const layerDirect = ({ host, port, url, viewerUrl }: Addresses) => {
  const listening = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return Administration.layer.pipe(
    Layer.provide(ShareLinks.layer),
    Layer.provide(layerWebCrypto),
    Layer.provide(Settings.layer({ url: url ?? listening, ...(viewerUrl === undefined ? {} : { viewerUrl }) }))
  )
}

/**
 * The engines embedded in a data folder belong to one process: while a host runs on it, orders go through that host.
 * Another command, or a host that is just starting, is waited for, up to ten seconds.
 */
const layerInFolder = (data: string, addresses: Addresses) => {
  const direct = layerDirect(addresses).pipe(Layer.provide(layerEmbeddedMetadata(data)))
  const reached = Effect.gen(function* () {
    const own = yield* Effect.result(Layer.build(direct))
    if (Result.isSuccess(own)) return own.success
    const inUse = own.failure._tag === "DataFolderInUse"
    return inUse && (yield* AdminSocket.isListening(data))
      ? yield* Layer.build(AdminSocket.layerClient(data))
      : yield* own.failure
  })
  return Layer.effectContext(
    Effect.retry(reached, {
      while: ({ _tag }) => _tag === "DataFolderInUse",
      schedule: Schedule.spaced("100 millis"),
      times: 100
    })
  )
}

const layerOnServer = (database: DatabaseSettings, addresses: Addresses) =>
  layerDirect(addresses).pipe(Layer.provide(layerPostgresMetadata(database)))

type Failure = Layer.Error<ReturnType<typeof layerInFolder> | ReturnType<typeof layerOnServer>>

/** `Administration` on the stores that the settings name: on PostgreSQL itself, or on a data folder's engines. */
export const layerAdministration = ({
  data,
  database,
  ...addresses
}: Pick<ProcessSettings, "data" | "database"> & Addresses): Layer.Layer<Administration, Failure> =>
  database === undefined ? layerInFolder(data, addresses) : layerOnServer(database, addresses)
