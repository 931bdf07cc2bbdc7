/** `Administration` on stores that this process opens itself. */
import { Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "../../../core/service/Administration.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { layerEmbeddedMetadata } from "../engines/embedded.ts"
import type { DatabaseSettings } from "../settings/engineSettings.ts"
import { layerPostgresMetadata } from "../engines/production.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"

/** What a host of these settings is reached by. There is none to ask here, so the settings have to tell. */
export type Addresses = Pick<ProcessSettings, "host" | "port" | "url" | "viewerUrl">

const layer = ({ host, port, url, viewerUrl }: Addresses) => {
  const listening = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return Administration.layer.pipe(
    Layer.provide(ShareLinks.layer),
    Layer.provide(layerWebCrypto),
    Layer.provide(Settings.layer({ url: url ?? listening, ...withoutUndefined({ viewerUrl }) }))
  )
}

/** On the engines embedded in a data folder; `DataFolderInUse` when another process has them. */
export const layerInFolder = (data: string, addresses: Addresses) =>
  layer(addresses).pipe(Layer.provide(layerEmbeddedMetadata(data)))

/** On a PostgreSQL server. */
export const layerOnServer = (database: DatabaseSettings, addresses: Addresses) =>
  layer(addresses).pipe(Layer.provide(layerPostgresMetadata(database)))
