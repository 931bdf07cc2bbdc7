import { Effect, Layer, Metric } from "effect"
import { HttpServer } from "effect/http"
import { Settings } from "../../core/service/Settings.ts"
import { accessLogTo, asyncLines } from "./accessLog.ts"
import * as AdminSocket from "./administrationSocket.ts"
import { chooseEngines } from "./engines/chooseEngines.ts"
import type { Engines } from "./engines/engines.ts"
import { contentWarning, plainHttpWarning, proxyWarning } from "./urlWarnings.ts"
import { databaseConnections } from "./metrics.ts"
import { Listening } from "./Listening.ts"
import { hostSecret, restrictFolder } from "./settings/dataFolder.ts"
import { layerServer } from "./server.ts"
import * as tracing from "./tracing.ts"
import type { ProcessSettings } from "./settings/settings.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"

/**
 * A host on the engines that its settings name. With embedded engines it also serves the command line's socket; with
 * PostgreSQL the command line connects to the database itself. The layer also provides the services of the core to code
 * that runs beside the host.
 */
export const layerHost = (settings: ProcessSettings) => layerHostOn(settings, chooseEngines(settings))

/** The same host on engines that are given. */
export const layerHostOn = <E>(settings: ProcessSettings, engines: Engines<E>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { contentUrl, decompressedBytes, host, keepAudit, limits, maxBodyBytes, oidc, openReservations, port } =
        settings
      const { quotas, rates, reservationTtl, retention, shutdownTimeout, sweep, trustedProxies, url, viewerUrl } =
        settings
      const { accessLog: share, logFormat: format } = settings
      const opened = restrictFolder(settings.data, settings.sendfile)
      const accessLog =
        share === undefined ? undefined : accessLogTo(yield* asyncLines(process.stderr.fd, format), { format, share })
      if (settings.metrics !== undefined && settings.database !== undefined) {
        yield* Metric.update(databaseConnections(), settings.database.maxConnections)
      }
      const server = layerServer({
        engines,
        accessLog,
        metrics: settings.metrics && {
          ...settings.metrics,
          backups: settings.backups,
          data: settings.database === undefined || settings.s3 === undefined ? settings.data : undefined
        },
        // A proxy has the connections of all its clients.
        maxClientConnections: trustedProxies.length === 0 ? settings.maxClientConnections : undefined,
        secret: yield* hostSecret(settings),
        host,
        port,
        maxBodyBytes,
        trustedProxies,
        sendfile: settings.sendfile,
        webhook: settings.webhook,
        webhookNetworks: settings.webhookNetworks,
        shutdownTimeout,
        oidc,
        settings: {
          limits,
          maxConcurrentRequests: settings.maxConcurrentRequests,
          maxWaitingRequests: settings.maxWaitingRequests,
          openReservations,
          rates,
          quotas,
          reservationTtl,
          retention,
          keepAudit,
          sweep,
          decompressedBytes,
          docs: settings.docs,
          frameAncestors: settings.frameAncestors,
          siteName: settings.siteName,
          siteLogo: settings.siteLogo,
          ...withoutUndefined({ url, viewerUrl, contentUrl })
        }
      })
      const listening = Layer.effect(
        Listening,
        Effect.gen(function* () {
          const urls = yield* Settings
          // The first start made it.
          if (settings.sendfile === true) restrictFolder(settings.data, true)
          const warnings = [
            opened,
            plainHttpWarning(urls, host),
            proxyWarning(urls.url, trustedProxies),
            contentWarning(urls)
          ]
          for (const warning of warnings) {
            if (warning !== undefined) yield* Effect.logWarning(warning)
          }
          const { address } = yield* HttpServer.HttpServer
          return {
            url: urls.url,
            address: HttpServer.formatAddress(address),
            engines: { metadata: engines.metadata, objects: engines.objects }
          }
        })
      )
      const socket = settings.database === undefined ? AdminSocket.layerServer(settings.data) : Layer.empty
      return listening.pipe(Layer.provide(socket), Layer.provideMerge(server), Layer.provideMerge(tracing.layer))
    })
  )
