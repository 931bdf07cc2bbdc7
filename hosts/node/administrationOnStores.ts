/** `Administration` on stores that this process opens itself. */
import { Effect, Layer, Redacted, Stream } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Erasures } from "../../core/service/Erasures.ts"
import { ObjectDeletions } from "../../core/service/ObjectDeletions.ts"
import { Settings } from "../../core/service/Settings.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import { Sweeps } from "../../core/service/Sweeps.ts"
import { layerWebhookEventChannel } from "../../core/service/webhooks.ts"
import { postgresMetadata, s3ForCommands } from "./engines/production.ts"
import { type DataLocation, layerEmbeddedMetadata } from "./engines/sqlite.ts"
import { dataFolder } from "./settings/dataFolder.ts"
import type { DatabaseSettings } from "./settings/engineSettings.ts"
import type { ProcessSettings } from "./settings/settings.ts"

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
const filesystem = Effect.promise(() => import("../../adapters/filesystem/index.ts"))

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
    Layer.provide(ObjectDeletions.layer),
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

/**
 * An object store that is opened when something is asked of it, as most commands ask nothing. No command hands out a URL that the
 * host would have to know, so those are signed with nothing.
 */
const layerLazyObjects = <E extends Error>(objects: Layer.Layer<ObjectStore, E, SignedUrls>) =>
  Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const urls = Layer.succeed(SignedUrls, SignedUrls.make({ secret: Redacted.make(""), baseUrl: () => "" }))
      const opened = yield* Effect.cached(
        Layer.buildWithScope(objects.pipe(Layer.provide(urls)), scope).pipe(
          Effect.flatMap((context) => Effect.provide(ObjectStore, context)),
          Effect.tapError((error) => Effect.logError(error.message)),
          Effect.mapError(() => Unavailable.default)
        )
      )
      return ObjectStore.of({
        presignPuts: (requests) => Effect.flatMap(opened, (store) => store.presignPuts(requests)),
        presignGet: (request) => Effect.flatMap(opened, (store) => store.presignGet(request)),
        promote: (...given) => Effect.flatMap(opened, (store) => store.promote(...given)),
        list: (prefix) => Effect.flatMap(opened, (store) => store.list(prefix)),
        scan: (prefix, after) => Stream.unwrap(Effect.map(opened, (store) => store.scan(prefix, after))),
        read: (...given) => Effect.flatMap(opened, (store) => store.read(...given)),
        remove: (keys) => Effect.flatMap(opened, (store) => store.remove(keys)),
        check: Effect.flatMap(opened, (store) => store.check)
      })
    })
  )
