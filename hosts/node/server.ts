import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Data, Effect, Layer } from "effect"
import type { Duration, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import * as core from "../../core/layer.ts"
import { Settings } from "../../core/service/Settings.ts"
import type { SettingsShape } from "../../core/service/Settings.ts"
import * as nativeDigests from "../http/nativeDigests.ts"
import * as Api from "../http/routes.ts"
import * as Viewer from "../viewer/routes.ts"
import type { Engines } from "./engines/engines.ts"
import * as Health from "./health.ts"
import { makeServer } from "./httpServer.ts"
import type { ClientTimes } from "./httpServer.ts"

/** The address can't be listened on: it is taken, not this machine's, or not allowed. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly cause: unknown
}> {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `Can't listen on ${this.host}:${this.port}: ${why}`
  }
}

export interface ServerOptions<E> {
  readonly engines: Engines<E>
  /** Signs the URLs of uploads and replays; every host of a deployment needs the same. */
  readonly secret: Redacted.Redacted
  /** Where to listen; port 0 takes a free one. */
  readonly host: string
  readonly port: number
  /** `url` is the listening address unless it is given. */
  readonly settings: Partial<SettingsShape>
  readonly maxBodyBytes?: number | undefined
  /** How long requests in flight may take to finish when the host stops. */
  readonly shutdownTimeout: Duration.Duration
  /** How long the server waits for its clients; times that aren't given have their defaults. */
  readonly clientTimes?: Partial<ClientTimes> | undefined
}

/** The services of a host at `url`, on its engines. */
export const layerServices = <E>(options: Pick<ServerOptions<E>, "engines" | "secret">) =>
  core.layer.pipe(
    Layer.provideMerge(options.engines.ports),
    Layer.provideMerge(layerSignedUrls(options.secret)),
    Layer.provideMerge(nativeDigests.layer)
  )

const layerSignedUrls = (secret: Redacted.Redacted) =>
  Layer.effect(
    SignedUrls,
    Effect.map(Settings, ({ url }) => SignedUrls.make({ secret, baseUrl: () => url }))
  )

/**
 * The reference host: listens, and serves the API, what the engines need beside it, and health.
 *
 * It stops when its scope closes: new connections are refused at once, requests in flight are finished (for up to
 * `shutdownTimeout`), then the engines are closed.
 */
export const layerServer = <E>(options: ServerOptions<E>) => {
  const listening = NodeHttpServer.layer(() => makeServer(options.clientTimes), {
    host: options.host,
    port: options.port,
    gracefulShutdownTimeout: options.shutdownTimeout
  }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effectContext(Effect.fail(new ListenFailed({ host: options.host, port: options.port, cause })))
    )
  )
  const settings = Layer.effect(
    Settings,
    Effect.map(HttpServer.HttpServer, ({ address }) =>
      Settings.make({ ...options.settings, url: options.settings.url ?? HttpServer.formatAddress(address) })
    )
  )
  const services = layerServices(options)
  const app = Layer.mergeAll(Api.layer, Viewer.layer(options), Health.layer, options.engines.routes).pipe(
    Layer.provide(Api.layerEnvelope({ maxBodyBytes: options.maxBodyBytes }))
  )
  return HttpRouter.serve(app, { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provideMerge(services),
    Layer.provideMerge(settings),
    Layer.provideMerge(listening)
  )
}
