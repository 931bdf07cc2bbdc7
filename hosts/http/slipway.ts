import { Effect, Layer, ManagedRuntime } from "effect"

import { HttpRouter, HttpServer } from "effect/http"
import type { Problem } from "../../core/model/Problem.ts"
import * as core from "../../core/layer.ts"
import type { Services } from "../../core/layer.ts"
import type { Ports } from "../../core/ports/registry.ts"
import { Settings, type SettingsShape } from "../../core/service/Settings.ts"
import { layerSweepScheduler } from "../../core/service/sweeps/scheduler.ts"
import { layerEventDelivery } from "../../core/service/deliverEvents.ts"
import * as discreetTracer from "./discreetTracer.ts"
import { deliverToFunction, type ReceiveEvent } from "./events.ts"
import * as nativeDigests from "./nativeDigests.ts"
import * as nativeRandom from "./nativeRandom.ts"
import * as Routes from "./routes.ts"
import { OwnAuthenticate, type Authenticate } from "./authenticate.ts"

export type { Ports, Services }

/** Additional routes. A problem that they fail with is answered like the API's own. */
export type ExtraRoutes<E = never, R = never> = Layer.Layer<
  never,
  E,
  HttpRouter.HttpRouter | HttpRouter.Request.From<"Error", Problem> | R
>

/** Slipway inside another server. */
export interface Slipway {
  /** Answers a request to the API. Any server that speaks Fetch can mount it. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Runs an effect with the services on the same engines: `run(Administration.use((a) => a.createAccount({ name: "acme"
   * })))`.
   */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  /** Closes the engines. */
  readonly dispose: () => Promise<void>
}

/**
 * The whole service as a Fetch handler, on ports of your choice. `routes` are served beside the API: those behind the
 * signed URLs of an object store that has no server of its own, the viewer's, and `layerHealth`, merged. `authenticate`
 * identifies the caller by your own means, beside API keys or in their place.
 *
 * Services that are merged into `ports` reach every request and `run`: a `Clock`, `Tracer`, `MetricRegistry`,
 * `SecureRandom` (ids, tokens and secrets), `Sha256` or `Gunzip` of your own, and `Logger.layer([…])`.
 */
export const makeSlipway = <E>(options: {
  readonly settings: Partial<SettingsShape> & { readonly url: string }
  readonly ports: Layer.Layer<Ports, E>
  readonly routes?: ExtraRoutes<E, Services | Settings | Ports> | undefined
  readonly authenticate?: Authenticate | undefined
  /** Receives each event at least once: docs/events.md. Without it, events are not kept. */
  readonly events?: ReceiveEvent | undefined
}): Slipway => {
  const settings = Settings.layer(options.settings)
  const ports = discreetTracer.layer.pipe(
    Layer.provideMerge(options.ports),
    Layer.provideMerge([nativeDigests.layer, nativeRandom.layer])
  )
  const services = layerEventDelivery(
    Layer.merge(core.layer, Layer.provide(layerSweepScheduler, core.layer)),
    options.events && deliverToFunction(options.events)
  ).pipe(Layer.provideMerge(ports), Layer.provideMerge(settings))
  const runtime = ManagedRuntime.make(services)
  // What was not delivered when an earlier process ended doesn't wait for the first request.
  if (options.events !== undefined) runtime.runFork(Effect.void)
  const app = Layer.merge(Routes.layer, options.routes ?? Layer.empty).pipe(
    Layer.provide(Routes.layerEnvelope()),
    // Requests run in the context that the layer puts out, so it has to have what the ports bring along.
    Layer.provideMerge(services),
    Layer.provide(Layer.succeed(OwnAuthenticate, options.authenticate)),
    Layer.provide(HttpServer.layerServices)
  )
  const web = HttpRouter.toWebHandler(app, {
    memoMap: runtime.memoMap,
    disableLogger: true,
    routerConfig: Routes.routerConfig
  })
  return {
    fetch: (request) => web.handler(request),
    run: (effect) => runtime.runPromise(effect),
    dispose: () => web.dispose().then(() => runtime.dispose())
  }
}
