/**
 * Makes presigned URLs of a store with its own server expire by the test's clock. No test can set that server's clock,
 * so the URL is signed as if it had been issued earlier.
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { ObjectStore, type GetRequest, type PutRequest } from "../../../core/ports/ObjectStore.ts"

/**
 * A presigned URL as old as the test's clock makes it: its time of signing is moved back by the time that the test's
 * clock has advanced since. A URL that the host itself serves is returned unchanged, because it follows the test's
 * clock anyway.
 */
export const AgedUrl = Context.Reference<(url: string) => Effect.Effect<string>>("slipway/hosts/http/testing/AgedUrl", {
  defaultValue: () => Effect.succeed
})

/** How far the real time is ahead of the test's clock, in milliseconds. */
const ahead = Effect.map(Clock.currentTimeMillis, (now) => Date.now() - now)

const atTimeOfDay = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** The store, which signs in real time what the test's clock asks for, and {@link AgedUrl} for its URLs. */
export const layerAgingUrls = <E, R>(objects: Layer.Layer<ObjectStore, E, R>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const signed = new Map<string, { readonly request: PutRequest; readonly ahead: number }>()
      /** The URLs of requests that name their time of signing, which are the same whenever they are asked for. */
      const repeatable = new Map<string, string>()

      const translated = <Request extends GetRequest & Pick<PutRequest, "signedAt">>(
        request: Request,
        millis: number
      ) => {
        const later = (time: DateTime.Utc) => DateTime.add(time, { milliseconds: millis })
        const signedAt = request.signedAt && later(request.signedAt)
        return { ...request, expiresAt: later(request.expiresAt), ...withoutUndefined({ signedAt }) }
      }
      const sign = Effect.fnUntraced(function* (requests: ReadonlyArray<PutRequest>) {
        const millis = yield* ahead
        const urls = yield* atTimeOfDay(store.presignPuts(requests.map((request) => translated(request, millis))))
        for (const [index, request] of requests.entries()) {
          const url = urls[index]
          if (url !== undefined) signed.set(url, { request, ahead: millis })
        }
        return urls
      })
      const presignPuts = Effect.fnUntraced(function* (requests: ReadonlyArray<PutRequest>) {
        const urls = yield* sign(requests)
        return requests.map((request, index) => {
          const [text, url = ""] = [JSON.stringify(request), urls[index]]
          if (request.signedAt !== undefined && !repeatable.has(text)) repeatable.set(text, url)
          return repeatable.get(text) ?? url
        })
      })
      const aged = Effect.fnUntraced(function* (url: string) {
        const known = signed.get(url)
        // While the test's clock stands still, real time passes anyway; only a skip of the test's clock has to be
        // applied.
        if (known === undefined || (yield* ahead) >= known.ahead) return url
        const [older = url] = yield* sign([known.request])
        return older
      }, Effect.orDie)

      return Context.make(
        ObjectStore,
        ObjectStore.of({
          ...store,
          presignPuts,
          presignGet: (request) =>
            Effect.flatMap(ahead, (millis) => atTimeOfDay(store.presignGet(translated(request, millis))))
        })
      ).pipe(Context.add(AgedUrl, aged))
    })
  ).pipe(Layer.provide(objects))
