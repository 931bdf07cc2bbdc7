/** `Administration` on stores that this process opens itself. */
import { Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "../../../core/service/Administration.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { layerToldToWebhooks } from "../../../core/service/webhooks.ts"
import { layerEmbeddedMetadata, type Place } from "../engines/embedded.ts"
import type { DatabaseSettings } from "../settings/engineSettings.ts"
import { layerPostgresMetadata } from "../engines/postgres.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"

/**
 * The settings that determine the viewer's URL, since there is no running host to ask here, whether a host will tell of what is
 * done here, and the quotas of accounts without their own.
 */
export type Addresses = Pick<ProcessSettings, "host" | "port" | "quotas" | "url" | "viewerUrl" | "webhook">

const layer = ({ host, port, quotas, url, viewerUrl, webhook }: Addresses) => {
  const listening = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return Administration.layer.pipe(
    Layer.provide(ShareLinks.layer),
    Layer.provide(layerWebCrypto),
    Layer.provide(layerToldToWebhooks(webhook !== undefined)),
    Layer.provide(Settings.layer({ url: url ?? listening, quotas, ...withoutUndefined({ viewerUrl }) }))
  )
}

/** On SQLite; fails with `DatabaseInUse` while another process has it open. */
export const layerInFolder = (place: Place, addresses: Addresses) =>
  layer(addresses).pipe(Layer.provide(layerEmbeddedMetadata(place)))

/** On a PostgreSQL server. */
export const layerOnServer = (database: DatabaseSettings, addresses: Addresses) =>
  layer(addresses).pipe(Layer.provide(layerPostgresMetadata(database)))
