/** `Administration` on stores that this process opens itself. */
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "../../../core/service/Administration.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { Erasures } from "../../../core/service/Erasures.ts"
import { Removals } from "../../../core/service/Removals.ts"
import { Sweeps } from "../../../core/service/Sweeps.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { layerWebhookEventChannel } from "../../../core/service/webhooks.ts"
import { layerLazyObjects } from "./lazyObjects.ts"
import { postgresMetadata, s3ForCommands } from "../engines/production.ts"
import { layerEmbeddedMetadata, type DataLocation } from "../engines/sqlite.ts"
import { dataFolder } from "../settings/dataFolder.ts"
import type { DatabaseSettings } from "../settings/engineSettings.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"

/**
 * The settings that a command without a running host needs: the object store, retention, default quotas, the viewer's
 * URL, and whether a host will deliver the events of this command to webhooks.
 */
export type Addresses = Pick<
  ProcessSettings,
  | "data"
  | "host"
  | "keepAudit"
  | "port"
  | "quotas"
  | "reservationTtl"
  | "retention"
  | "s3"
  | "sweep"
  | "url"
  | "viewerUrl"
  | "webhook"
>

// Most commands need no objects, and none needs the routes of `embedded`.
const filesystem = Effect.promise(() => import("../../../adapters/filesystem/index.ts"))

const layer = (settings: Addresses) => {
  const { data, host, keepAudit, port, quotas, reservationTtl, retention, s3, sweep, url, viewerUrl, webhook } =
    settings
  const objects =
    s3 === undefined
      ? layerLazyObjects(
          Layer.unwrap(Effect.map(filesystem, ({ layer }) => layer({ directory: dataFolder(data).objects })))
        )
      : layerLazyObjects(s3ForCommands(s3))
  const listening = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return Administration.layer.pipe(
    Layer.provide(Sweeps.layer),
    Layer.provide(Erasures.layer),
    Layer.provide(Removals.layer),
    Layer.provide(ShareLinks.layer),
    Layer.provide(layerWebCrypto),
    Layer.provide(layerWebhookEventChannel(webhook !== undefined)),
    Layer.provide(objects),
    Layer.provide(
      Settings.layer({
        url: url ?? listening,
        quotas,
        reservationTtl,
        retention,
        keepAudit,
        sweep,
        ...withoutUndefined({ viewerUrl })
      })
    )
  )
}

/** On SQLite; fails with `DatabaseInUse` while another process has it open. */
export const layerInFolder = (place: DataLocation, addresses: Addresses) =>
  layer(addresses).pipe(Layer.provide(layerEmbeddedMetadata(place)))

/** On a PostgreSQL server. */
export const layerOnServer = (database: DatabaseSettings, addresses: Addresses) =>
  layer(addresses).pipe(Layer.provide(postgresMetadata(database).ports))
