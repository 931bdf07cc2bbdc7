import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, type Duration } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { SigningSecret } from "../../core/model/SigningSecret.ts"
import type { IpNetwork } from "effect/net"
import { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import * as core from "../../core/layer.ts"
import { Settings, type SettingsShape } from "../../core/service/Settings.ts"
import { layerSweepScheduler } from "../../core/service/sweepScheduler.ts"
import { layerWebhookDelivery, type Target } from "../../core/service/webhooks.ts"
import * as redactingTracer from "../http/redactingTracer.ts"
import { layerRandom } from "../http/requestContext.ts"
import * as nativeDigests from "../http/nativeDigests.ts"
import * as Health from "../http/health.ts"
import * as Api from "../http/routes.ts"
import type { AccessLog } from "./accessLog.ts"
import * as Programs from "./programs.ts"
import * as Viewer from "../viewer/routes.ts"
import type { Engines } from "./engines/engines.ts"
import * as IdentityTokens from "./identityTokens.ts"
import { oidcSignIn } from "./oidcSignIn.ts"
import type { OidcSettings } from "./settings/oidcSettings.ts"
import { makeSend } from "./webhooks.ts"
import * as Mcp from "./mcp.ts"
import { makeServer, type ClientTimeouts, type HostServer } from "./httpServer.ts"
import { ListenFailed } from "./Listening.ts"
import { layerMeasuredPorts } from "./metrics.ts"
import * as Metrics from "./metrics.ts"
import type { MetricsAddress } from "./settings/settings.ts"
import * as EngineOutages from "./engineOutages.ts"
import * as SendChunks from "./sendChunks.ts"

/** What `layerServer` serves, and where. */
export interface ServerOptions<E> {
  readonly engines: Engines<E>
  /** Signs the URLs of uploads and replays. Every host of a deployment needs the same one. */
  readonly secret: SigningSecret
  /** The address to listen on. Port 0 chooses a free port. */
  readonly host: string
  readonly port: number
  /** The public URL. Its default is the listening address. */
  readonly settings: Partial<SettingsShape>
  readonly maxBodyBytes?: number | undefined
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: ReadonlyArray<IpNetwork.IpNetwork> | undefined
  /** Whether trusted proxies that ask for it send stored files. */
  readonly sendfile?: boolean | undefined
  /** Receives events, beside the webhooks of the store. */
  readonly webhook?: Target | undefined
  /** The networks that webhooks may reach although they are not public. */
  readonly webhookNetworks?: ReadonlyArray<IpNetwork.IpNetwork> | undefined
  /** How long requests in flight may take to finish when the host stops. */
  readonly shutdownTimeout: Duration.Duration
  /** The provider by which people sign in to the pages, beside keys. */
  readonly oidc?: OidcSettings | undefined
  /** Most open connections of one client address (of IPv6, of one network of 64 bits); any number unless given. */
  readonly maxClientConnections?: number | undefined
  /** Is called with every request. */
  readonly accessLog?: AccessLog | undefined
  /** Where metrics are served; nowhere unless given. */
  readonly metrics?: (MetricsAddress & Metrics.WatchedFolders) | undefined
  /** How long the server waits for its clients. Omitted times have their defaults. */
  readonly clientTimeouts?: Partial<ClientTimeouts> | undefined
}

/** A request adds about 15 services to those of the host. Beyond this many additions, Effect copies all of them. */
const maxDepth = 24

/** The services of a host at `url`, on its engines. */
const layerServices = <E>(
  options: Pick<ServerOptions<E>, "engines" | "metrics" | "secret" | "webhook" | "webhookNetworks">
) =>
  layerWebhookDelivery(
    Layer.merge(core.layer, Layer.provide(layerSweepScheduler, core.layer)),
    options.webhook,
    makeSend({ allowed: options.webhookNetworks })
  ).pipe(
    Layer.provide(IdentityTokens.layer),
    Layer.provideMerge(EngineOutages.layer),
    Layer.provideMerge(
      options.metrics === undefined ? options.engines.ports : Layer.provide(layerMeasuredPorts, options.engines.ports)
    ),
    Layer.provideMerge(layerSignedUrls(options.secret)),
    Layer.provideMerge([nativeDigests.layer, layerRandom])
  )

const layerSignedUrls = (secret: SigningSecret) =>
  Layer.effect(
    SignedUrls,
    Effect.map(Settings, ({ url }) => SignedUrls.make({ secret, baseUrl: () => url }))
  )

/**
 * The reference host: listens, and serves the API, the engines' own routes, and health checks. When its scope closes,
 * it refuses new connections, lets requests in flight finish (for up to `shutdownTimeout`), then closes the engines.
 */
export const layerServer = <E>(options: ServerOptions<E>) =>
  Layer.suspend(() => serving(options, makeServer(options.clientTimeouts, options.maxClientConnections)))

const serving = <E>(options: ServerOptions<E>, server: HostServer) => {
  if (options.accessLog !== undefined) server.begins = options.accessLog
  const listening = NodeHttpServer.layer(() => server, {
    host: options.host,
    port: options.port,
    gracefulShutdownTimeout: options.shutdownTimeout
  }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effectContext(Effect.fail(new ListenFailed({ host: options.host, port: options.port, cause })))
    )
  )
  const served = Layer.effect(
    HttpServer.HttpServer,
    Effect.map(HttpServer.HttpServer, ({ address, serve }) =>
      HttpServer.make({
        address,
        serve: (app, middleware) =>
          Effect.updateContext(middleware === undefined ? serve(app) : serve(app, middleware), (context) =>
            Context.makeUnsafe(context.mapUnsafe, { maxDepth })
          )
      })
    )
  ).pipe(Layer.provideMerge(listening))
  const settings = Layer.effect(
    Settings,
    Effect.map(HttpServer.HttpServer, ({ address }) =>
      Settings.make({ ...options.settings, url: options.settings.url ?? HttpServer.formatAddress(address) })
    )
  )
  const services = layerServices(options)
  const { oidc, secret } = options
  const viewer = Layer.unwrap(
    Effect.gen(function* () {
      return Viewer.layer({ secret, signInWay: oidc && (yield* oidcSignIn(oidc, secret)) })
    })
  ).pipe(Layer.provide(Programs.layer))
  const app = Layer.mergeAll(Api.layer, viewer, Health.layer, Mcp.layer, options.engines.routes).pipe(
    Layer.provide(Api.layerEnvelope({ maxBodyBytes: options.maxBodyBytes, trustedProxies: options.trustedProxies })),
    // After the envelope, whose headers are to be sent too.
    Layer.provide(
      SendChunks.layer({
        sendfile: options.sendfile ?? false,
        trustedProxies: options.trustedProxies ?? []
      })
    )
  )
  return HttpRouter.serve(app, { disableListenLog: true, disableLogger: true, routerConfig: Api.routerConfig }).pipe(
    Layer.merge(options.metrics === undefined ? Layer.empty : Metrics.layer(options.metrics, server)),
    Layer.provideMerge(services),
    Layer.provideMerge(redactingTracer.layer),
    Layer.provideMerge(settings),
    Layer.provideMerge(served)
  )
}
