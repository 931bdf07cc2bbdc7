import { Effect, Layer, Redacted, Stream } from "effect"
import { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"

/**
 * An object store that is opened when something is asked of it, as most commands ask nothing. No command hands out a URL that the
 * host would have to know, so those are signed with nothing.
 */
export const layerLazyObjects = <E extends Error>(objects: Layer.Layer<ObjectStore, E, SignedUrls>) =>
  Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const urls = Layer.succeed(SignedUrls, SignedUrls.make({ secret: Redacted.make(""), baseUrl: () => "" }))
      const opened = yield* Effect.cached(
        Layer.buildWithScope(objects.pipe(Layer.provide(urls)), scope).pipe(
          Effect.flatMap((context) => Effect.provide(ObjectStore, context)),
          Effect.tapError((error) => Effect.logError(error.message)),
          Effect.mapError(() => Unavailable.answer)
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
