/**
 * Presigned URLs of a store with a server of its own, whose clock no test can set. What passes on the test's clock passes
 * for them all the same: it is told to the server in the only way it can be, by when a URL was signed.
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { PutRequest } from "../../../core/ports/ObjectStore.ts"

/**
 * A presigned URL as it is now on the test's clock: signed as much longer ago as that clock has moved on since. Where the
 * clock is the server's as well, and for whatever else a URL may be, that is the URL itself.
 */
export const AgedUrl = Context.Reference<(url: string) => Effect.Effect<string>>("slipway/hosts/http/testing/AgedUrl", {
  defaultValue: () => Effect.succeed
})

/** How far the time of day is ahead of the test's clock, in milliseconds. */
const ahead = Effect.map(Clock.currentTimeMillis, (now) => Date.now() - now)

const atTimeOfDay = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** The store, signing by the time of day what the test's clock says; and {@link AgedUrl} for what it signed. */
export const layerAgingUrls = <E, R>(objects: Layer.Layer<ObjectStore, E, R>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const signed = new Map<string, { readonly request: PutRequest; readonly ahead: number }>()

      const translated = <Request extends { readonly expiresAt: DateTime.Utc }>(request: Request, millis: number) => ({
        ...request,
        expiresAt: DateTime.add(request.expiresAt, { milliseconds: millis })
      })
      const presignPuts = Effect.fnUntraced(function* (requests: ReadonlyArray<PutRequest>) {
        const millis = yield* ahead
        const urls = yield* atTimeOfDay(store.presignPuts(requests.map((request) => translated(request, millis))))
        for (const [index, request] of requests.entries()) {
          const url = urls[index]
          if (url !== undefined) signed.set(url, { request, ahead: millis })
        }
        return urls
      })
      const aged = Effect.fnUntraced(function* (url: string) {
        const known = signed.get(url)
        // A clock that stands still is a test's way of being fast; only time that is skipped has to be made up for.
        if (known === undefined || (yield* ahead) >= known.ahead) return url
        const [older = url] = yield* presignPuts([known.request])
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
