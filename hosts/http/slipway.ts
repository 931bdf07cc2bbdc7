import {
  type Config,
  Context,
  Duration,
  Effect,
  Fiber,
  Latch,
  Layer,
  ManagedRuntime,
  Option,
  Scope,
  Tracer
} from "effect"
import {
  HttpEffect,
  HttpMiddleware,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  type HttpServerResponse
} from "effect/http"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import type { IpNetwork } from "effect/net"
import { Api } from "../../core/api/Api.ts"
import * as core from "../../core/layer.ts"
import type { Services } from "../../core/layer.ts"
import { type Problem, Unavailable } from "../../core/model/Problem.ts"
import { anotherEffect } from "../../core/model/SigningSecret.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { CloseOnReopen } from "../../core/ports/HostServices.ts"
import type { Ports } from "../../core/ports/registry.ts"
import { Settings, type SettingsShape } from "../../core/service/Settings.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { BeforeReserve } from "../../core/service/beforeReserve.ts"
import { layerSweepScheduler, sweepOnce } from "../../core/service/sweepScheduler.ts"
import { deliverDue, layerEventDelivery } from "../../core/service/webhooks.ts"
import { layerRandom, CurrentOrigin, originOf, type RequestOrigin } from "./requestContext.ts"
import { type Authenticate, OwnAuthenticate } from "./authenticate.ts"
import * as redactingTracer from "./redactingTracer.ts"
import { deliverToFunction, type ReceiveEvent } from "./events.ts"
import { type BeforeReserveHook, CurrentOnProblem, type OnProblem, toBeforeReserve } from "./hooks.ts"
import * as nativeDigests from "./nativeDigests.ts"
import { bodyAlreadyRead, plainProblem } from "./plainProblem.ts"
import * as Routes from "./routes.ts"
import { Stopping } from "./stopping.ts"

export type { Ports, Services }

/** Additional routes. A problem that they fail with is answered like the API's own. */
export type ExtraRoutes<E = never, R = never> = Layer.Layer<
  never,
  E,
  HttpRouter.HttpRouter | HttpRouter.Request.From<"Error", Problem> | R
>

/** How much of a refused body is read, so that its connection can be used again. Past this, it is closed. */
export const maxDrained = 256 * 1024

/** Whether a request has a body, so long that nobody reads all of it to refuse it. */
const hasLongBody = ({ body, headers }: Request): boolean =>
  body !== null && !(Number(headers.get("content-length") ?? Infinity) <= maxDrained)

/**
 * The answer to a request. With it, a long body that was refused ends its connection: some servers never read the rest of the body,
 * and answer no later request of that connection.
 */
const closingAfterLongBody = (request: Request, answer: Response): Response => {
  if (answer.status >= 400 && hasLongBody(request)) answer.headers.set("connection", "close")
  return answer
}

/** Slipway inside another server. */
export interface Slipway {
  /**
   * Answers a request to the API. Any server that speaks Fetch can mount it. `origin` is what only that server knows: without
   * `clientAddress`, wrong keys aren't limited and logs have no addresses.
   */
  readonly fetch: (request: Request, origin?: RequestOrigin) => Promise<Response>
  /**
   * Opens the engines, as the first request does too. It is rejected with the reason and the remedy if they can't be opened; the next
   * request, `run` or `ready` tries again.
   */
  readonly ready: Promise<void>
  /**
   * Runs an effect with the services on the same engines: `run(Administration.use((a) => a.createAccount({ name: "acme"
   * })))`. The audit log has the `origin`.
   */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>, origin?: RequestOrigin) => Promise<A>
  readonly tasks: {
    /**
     * Delivers the events that are due, and deletes what expired. Where `budget` ends first, it stops, answers `false`, and the next
     * call continues. It is rejected if a store fails.
     */
    readonly runOnce: (options: { readonly budget: Duration.Input }) => Promise<boolean>
  }
  /**
   * Answers 503 to new requests, waits for requests in flight for up to `shutdownTimeout`, and closes the engines. It can't be
   * opened again.
   */
  readonly dispose: () => Promise<void>
}

/** The answer to a request of HTTP, by routes. */
type App = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Requires>
type Requires = HttpServerRequest.HttpServerRequest | Scope.Scope
const App = Context.Service<App>("slipway/hosts/http/App")

/** The answer to the requests below a path of an application, for {@link layerHandlers}. */
export class Mounted extends Context.Service<Mounted, { readonly answer: App; readonly path: string }>()(
  "slipway/hosts/http/Mounted"
) {}

const assertOneEffect = (name: string, layer: object = Layer.empty): void => {
  if (Object.getPrototypeOf(layer) === Object.getPrototypeOf(Layer.empty)) return
  throw anotherEffect(`${name} is no layer`)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What an embedder gives. */
interface Options<E, R> {
  readonly settings: Partial<SettingsShape> & { readonly url: string }
  readonly ports: Layer.Layer<Ports, E, R>
  readonly routes?: ExtraRoutes<E, Services | Settings | Ports> | undefined
  readonly authenticate?: Authenticate | undefined
  /** Receives each event at least once: docs/webhooks.md. Without it, events are not kept. */
  readonly events?: ReceiveEvent | undefined
  /**
   * Whether garbage is collected and events are delivered while no request is served; `true` by default. A platform that stops a
   * program after each request sets `false`, and calls `tasks.runOnce`.
   */
  readonly background?: boolean | undefined
  /** Refuses reservations by your own rules, or sets fields of them; those of requests and of `run`. */
  readonly beforeReserve?: BeforeReserveHook | undefined
  /** Observes refusals, for example to report them to your own monitoring, or replaces their text. */
  readonly onProblem?: OnProblem | undefined
  /** The largest body in bytes, of requests other than uploads; 1 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /** Proxies whose `X-Forwarded-For` is trusted, such as `IpNetwork.fromStringUnsafe("10.0.0.0/8")`. */
  readonly trustedProxies?: ReadonlyArray<IpNetwork.IpNetwork> | undefined
  /** How long `dispose`, or the end of the layer, waits for requests in flight; 20 seconds by default. */
  readonly shutdownTimeout?: Duration.Input | undefined
}

/** The services, and the answer to requests by their routes. `close` is called when another Slipway opens the same engines. */
const appOf = <E, R>(options: Options<E, R>, stopping: Latch.Latch, close: (reason: string) => Promise<void>) => {
  assertOneEffect("ports", options.ports)
  assertOneEffect("routes", options.routes)
  const settings = Settings.layer(options.settings)
  const ports = redactingTracer.layer.pipe(
    Layer.provideMerge(options.ports),
    Layer.provideMerge([nativeDigests.layer, layerRandom]),
    Layer.provide(Layer.succeed(CloseOnReopen, close)),
    Layer.provideMerge(Layer.succeed(BeforeReserve, toBeforeReserve(options.beforeReserve))),
    Layer.provideMerge(Layer.succeed(CurrentOnProblem, options.onProblem)),
    Layer.provideMerge(Layer.succeed(Stopping, stopping.await))
  )
  const { background = true } = options
  const deliver = options.events && deliverToFunction(options.events)
  const services = layerEventDelivery(
    background ? Layer.merge(core.layer, Layer.provide(layerSweepScheduler, core.layer)) : core.layer,
    deliver,
    { background }
  ).pipe(Layer.provideMerge(ports), Layer.provideMerge(settings))
  const routes = Layer.merge(Routes.layer, options.routes ?? Layer.empty).pipe(
    Layer.provide(Routes.layerEnvelope(options))
  )
  const app = Layer.effect(App, onOwnRouter(routes)).pipe(
    // Requests run in the context that the layer puts out, so it has to have what the ports bring along.
    Layer.provideMerge(services),
    Layer.provide(Layer.succeed(OwnAuthenticate, options.authenticate)),
    Layer.provide(Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig)),
    Layer.provide(HttpServer.layerServices)
  )
  return { app, deliver }
}

/** As `HttpRouter.toHttpEffect`, on a router of its own where the application has one already. */
const onOwnRouter: typeof HttpRouter.toHttpEffect = (routes) =>
  HttpRouter.toHttpEffect(Layer.provideMerge(routes, Layer.fresh(HttpRouter.layer)))

const defaultShutdownTimeout = Duration.seconds(20)

/**
 * The whole service as a Fetch handler, on ports of your choice. `routes` are served beside the API: those behind the
 * signed URLs of an object store that has no server of its own, the viewer's, and `layerHealth`, merged. `authenticate`
 * identifies the caller by your own means, beside API keys or in their place.
 *
 * Nothing is opened before the first request, `run` or `ready`.
 *
 * Services that are merged into `ports` reach every request and `run`: a `Clock`, `Tracer`, `MetricRegistry`,
 * `SecureRandom` (ids, tokens and secrets), `Sha256` or `Gunzip` of your own, and `Logger.layer([…])`.
 */
export const makeSlipway = <E>(options: Options<E, never>): Slipway => {
  let closed: string | undefined
  let disposing: Promise<void> | undefined
  const inFlight = makeInFlight()
  const stopping = Latch.makeUnsafe(false)
  const atBasePath = withBasePath(options.settings.url)

  const close = (reason: string): Promise<void> => {
    closed ??= reason
    return (disposing ??= (async () => {
      stopping.openUnsafe()
      await Effect.runPromise(inFlight.finish(options.shutdownTimeout ?? defaultShutdownTimeout))
      await runtime?.dispose()
    })())
  }
  const { app, deliver } = appOf(options, stopping, close)

  type Opened = Layer.Success<typeof app>
  interface Running {
    readonly handle: (request: Request, context: Context.Context<never>) => Promise<Response>
    readonly runPromise: ManagedRuntime.ManagedRuntime<Opened, E>["runPromise"]
  }
  let runtime: ManagedRuntime.ManagedRuntime<Opened, E> | undefined
  let starting: Promise<Running> | undefined
  let running: Running | undefined
  let loggedFailure: string | undefined

  const start = (): Promise<Running> => {
    if (closed !== undefined) return Promise.reject(new Error(closed))
    return (starting ??= (async () => {
      const opened = (runtime = ManagedRuntime.make(app))
      try {
        const context = await opened.context()
        const toHandler = HttpEffect.toWebHandlerWith<Opened, Requires>(context)
        const handle = toHandler(inFlight.counted(atBasePath(Context.get(context, App))))
        return (running = { handle, runPromise: opened.runPromise })
      } catch (error) {
        starting = undefined
        await opened.dispose()
        const message = messageOf(error)
        // Each request tries again, so that the reason would be logged as often.
        if (closed === undefined && message !== loggedFailure) {
          loggedFailure = message
          await Effect.runPromise(Effect.logError(`Slipway can't start. ${message}`))
        }
        throw closed === undefined ? error : new Error(closed)
      }
    })())
  }

  return {
    fetch: async (request, given) => {
      const context = Context.make(CurrentOrigin, originOf(given))
      if (request.bodyUsed) return plainProblem(request, bodyAlreadyRead)
      try {
        const { handle } = closed === undefined && running !== undefined ? running : await start()
        return closingAfterLongBody(request, await handle(request, context))
      } catch {
        const detail = closed === undefined ? "The service can't start; its log has the reason." : "The service stops."
        const headers = { "retry-after": "5", connection: "close" }
        return plainProblem(request, new Unavailable({ detail }), headers)
      }
    },
    get ready() {
      return start().then(() => undefined)
    },
    run: async (effect, given) => {
      const { runPromise } = await start()
      const { actor = "embedding server", clientAddress: address } = originOf(given)
      const acting = { actor: { administrator: actor }, ...withoutUndefined({ address }) }
      return runPromise(Effect.provideService(effect, CurrentActor, acting))
    },
    tasks: {
      runOnce: async ({ budget }) => {
        const { runPromise } = await start()
        const all = Effect.andThen(deliver === undefined ? Effect.void : deliverDue(deliver), sweepOnce)
        return Option.isSome(await runPromise(Effect.timeoutOption(all, budget)))
      }
    },
    dispose: () => close("This Slipway is closed, because dispose was called. Make another one with makeSlipway.")
  }
}

/**
 * The whole service as a layer of an Effect application, with the options of {@link makeSlipway}. It adds one route to the
 * application's `HttpRouter`, below the path of `settings.url`: everything of Slipway is behind it, so the application's own routes
 * keep their headers, errors and spans. What requests do is below the application's span of the request, which learns no secret of
 * Slipway's URLs; Effect's request log leaves Slipway's requests out for the same reason. Garbage is collected and events are
 * delivered until the layer's scope closes, which waits for requests in flight.
 *
 * The services are the layer's output: `Builds.use((builds) => builds.reserve(caller, request))` within a transaction of the
 * application, if the ports are on its client.
 */
export const layer = <E = never, R = never>(
  options: Options<E, R>
): Layer.Layer<Services | Settings | Ports | Mounted, E, HttpRouter.HttpRouter | R> =>
  Layer.unwrap(
    Effect.sync(() => {
      const stopping = Latch.makeUnsafe(false)
      const inFlight = makeInFlight()
      const end = Effect.andThen(stopping.open, inFlight.finish(options.shutdownTimeout ?? defaultShutdownTimeout))
      const { app } = appOf(options, stopping, () => Promise.resolve())
      const mounted = Effect.gen(function* () {
        const router = yield* HttpRouter.HttpRouter
        const context = Context.omit(Tracer.ParentSpan)(yield* Effect.context<Layer.Success<typeof app>>())
        yield* Effect.addFinalizer(() => end)
        const answer = inFlight.counted(withBasePath(options.settings.url)(Context.get(context, App)))
        const handle = Effect.withFiber<HttpServerResponse.HttpServerResponse, unknown, Requires>((fiber) => {
          const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
          if (span?._tag === "Span") redactingTracer.redactedSpan(span)
          return Effect.provideContext(answer, context)
        })
        const path = new URL(options.settings.url).pathname.replace(/\/+$/, "")
        const route = Effect.orDie(HttpMiddleware.withLoggerDisabled(handle))
        yield* router.prefixed(path).add("*", "/*", route)
        return { answer: route, path }
      })
      return Layer.effect(Mounted, mounted).pipe(Layer.provideMerge(app))
    })
  )

/** {@link layer} with its options from a `Config`. */
export const layerConfig = <E = never, R = never>(
  options: Config.Config<Options<E, R>>
): Layer.Layer<Services | Settings | Ports | Mounted, E | Config.ConfigError, HttpRouter.HttpRouter | R> =>
  Layer.unwrap(Effect.map(options, layer))

type GroupsOf<A> = A extends HttpApi.HttpApi<string, infer Groups> ? Groups : never

/**
 * The handlers of Slipway's groups in an `HttpApi` of the application, which has `Slipway.Api` by `addHttpApi`. Its endpoints are then
 * in the application's document and clients. They are answered by {@link layer}: with Slipway's own authentication and problems, and
 * without the application's middleware, so one that is added to them is a defect.
 */
export const layerHandlers = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Layer.Layer<HttpApiGroup.ToService<Id, GroupsOf<typeof Api>>, never, Mounted> =>
  Layer.effectContext(
    Effect.map(Mounted, ({ answer, path }) => {
      const own = new Map(endpointsOf(Api).map((one) => [one.name, one]))
      const groups = new Map<string, { routes: Array<object>; handlers: Map<string, object> }>()
      for (const { endpoint, group, name } of endpointsOf(api)) {
        const expected = own.get(name)?.endpoint
        if (expected === undefined) continue
        const mountedAt = path + expected.path
        if (endpoint.path !== mountedAt) {
          throw new Error(
            `${name} is at ${endpoint.path}, not at ${mountedAt}: addHttpApi(Slipway.Api.prefix("${path || "/"}"))`
          )
        }
        const added = [...endpoint.middlewares].filter((one) => ![...expected.middlewares].includes(one))
        if (added.length > 0) {
          throw new Error(
            `${name} has the middleware ${added.map(({ key }) => key).join(", ")}: add it before addHttpApi`
          )
        }
        const { handlers, routes } = groups.get(group.key) ?? { routes: [], handlers: new Map<string, object>() }
        routes.push(HttpRouter.route(endpoint.method, mountedAt as `/${string}`, answer))
        groups.set(group.key, { routes, handlers: handlers.set(endpoint.identifier, { endpoint }) })
      }
      return Context.makeUnsafe(groups)
    })
  )

/** Every endpoint of an API, with a name for it. */
const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const all: Array<{ name: string; endpoint: HttpApiEndpoint.Top; group: HttpApiGroup.Top }> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) =>
      all.push({ name: `${group.identifier}.${endpoint.identifier}`, endpoint, group })
  })
  return all
}

/** Counts the requests that are being answered, each until the end of its response. */
export const makeInFlight = () => {
  const open = new Set<Fiber.Fiber<unknown, unknown>>()
  const idle = Latch.makeUnsafe(true)
  return {
    /** Counts a request until its scope closes. */
    counted: <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
      Effect.withFiber((fiber) => {
        open.add(fiber)
        idle.closeUnsafe()
        const end = Effect.sync(() => {
          open.delete(fiber)
          if (open.size === 0) idle.openUnsafe()
        })
        return Effect.flatMap(Scope.addFinalizer(Context.getUnsafe(fiber.context, Scope.Scope), end), () => app)
      }),
    /** Waits until no request is left, and interrupts those that take longer. */
    finish: (timeout: Duration.Input): Effect.Effect<void> =>
      Effect.timeoutOrElse(idle.await, {
        duration: timeout,
        orElse: () => Fiber.interruptAll([...open])
      })
  }
}

/** Serves an app below the path of its public URL, whether or not a proxy or the server that mounts it removed that path. */
const withBasePath = (url: string) => {
  const path = new URL(url).pathname.replace(/\/+$/, "")
  return <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
    path === ""
      ? app
      : Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) => {
          const rest = request.url.slice(path.length)
          if (!request.url.startsWith(path) || !/^(?:$|[/?])/.test(rest)) return request
          return request.modify({ url: rest.startsWith("/") ? rest : `/${rest}` })
        })
}
