import { Clock, Context, Duration, Effect, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { Administration } from "../../../core/service/Administration.ts"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Settings, type SettingsShape } from "../../../core/service/Settings.ts"
import type { Engines } from "../../node/engines/engines.ts"
import { layerServer, type ServerOptions } from "../../node/server.ts"
import { AgedUrl } from "./agingUrls.ts"

/** An HTTP answer, completely read. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; `undefined` if it isn't JSON. */
  readonly json: unknown
}

export interface Call {
  readonly key?: string | undefined
  readonly headers?: Record<string, string> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | undefined
}

/**
 * Reads the time from the test's clock but sleeps in real time, so that pauses such as those before a retry end by
 * themselves.
 */
export const layerClock = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const live = yield* TestClock.withLive(Clock.Clock)
    return { ...(yield* Clock.Clock), sleep: (duration) => live.sleep(duration) }
  })
)

/**
 * A running host on real HTTP with the test's clock. Requests of the interface go over HTTP; accounts, keys and
 * repository links are made with `admin`.
 */
export class TestHost extends Context.Service<
  TestHost,
  {
    readonly url: string
    readonly admin: Administration["Service"]
    /** The text of the bundle that a build hosts for the account of a key. */
    readonly hostedBundle: (key: string, id: string) => Effect.Effect<string>
    /** The text of an object (`bundle`, `files/0`, `recordings/0`) that a preview hosts for the account of a key. */
    readonly hostedObject: (key: string, shareId: string, name: string) => Effect.Effect<string>
    readonly call: (method: string, path: string, call?: Call) => Effect.Effect<HttpResponse>
  }
>()("slipway/hosts/http/testing/TestHost") {
  static readonly layer = <E>(
    engines: Engines<E>,
    settings: Partial<SettingsShape> = {},
    others: Pick<
      ServerOptions<E>,
      "accessLog" | "metrics" | "oidc" | "trustedProxies" | "webhook" | "webhookNetworks"
    > = {}
  ) =>
    Layer.effectContext(
      Effect.gen(function* () {
        const { url } = yield* Settings
        const admin = yield* Administration
        const authorization = yield* Authorization
        const builds = yield* Builds
        const previews = yield* Previews
        const hostedBundle = (key: string, id: string) =>
          authorization.authenticate(Redacted.make(key)).pipe(
            Effect.flatMap((caller) => builds.open(caller, BuildId.make(id))),
            Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream))),
            Effect.scoped,
            Effect.orDie
          )
        const hostedObject = (key: string, shareId: string, name: string) =>
          authorization.authenticate(Redacted.make(key)).pipe(
            Effect.flatMap((caller) => previews.open(caller, ShareId.make(shareId), { name })),
            Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream))),
            Effect.scoped,
            Effect.orDie
          )
        const host = TestHost.of({
          url,
          admin,
          hostedBundle,
          hostedObject,
          call: (method, path, options) => call(method, url + path, options)
        })
        return Context.make(TestHost, host).pipe(Context.add(AgedUrl, yield* AgedUrl))
      })
    ).pipe(
      Layer.provide(
        layerServer({
          engines,
          secret: Redacted.make("test secret"),
          host: "127.0.0.1",
          port: 0,
          settings,
          ...others,
          shutdownTimeout: Duration.seconds(1)
        })
      ),
      Layer.provide(layerClock)
    )
}

/** Sends a request to an absolute URL. A body of bytes without a content type is sent without one. */
export const call = Effect.fnUntraced(function* (
  method: string,
  url: string,
  { body, headers, key, raw }: Call = {}
): Effect.fn.Return<HttpResponse> {
  const aged = yield* (yield* AgedUrl)(url)
  return yield* Effect.promise(async () => {
    const response = await fetch(aged, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? (raw === undefined ? {} : { body: raw }) : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      json = undefined
    }
    return { status: response.status, headers: response.headers, text, json }
  })
})

let made = 0

/** A new account with a linked repository and a key with these scopes, so that test cases don't affect each other. */
export const newAccount = Effect.fnUntraced(function* (scopes: readonly [Scope, ...ReadonlyArray<Scope>] = ["builds"]) {
  const { admin } = yield* TestHost
  const name = `account-${++made}`
  yield* admin.createAccount({ name })
  const repository = { owner: `Owner-${made}`, repo: "App" }
  yield* admin.linkRepository({ account: name, ...repository })
  const issued = yield* admin.createKey({ account: name, name: "ci", scopes })
  return { name, ...repository, key: issued.key, keyId: issued.record.id }
})
