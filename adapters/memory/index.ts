/** Every port in memory: for tests, and for trying Slipway out. */
import { Context, Effect, Layer } from "effect"
import type { SigningSecret } from "../../core/model/SigningSecret.ts"
import type { Ports } from "../../core/ports/registry.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import * as keyValue from "../key-value/index.ts"
import { ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { routes as signedUrlRoutes } from "../signed-urls/routes.ts"
import { keyValueStore } from "./keyValueStore.ts"
import { makeObjects } from "./objects.ts"

/** Every metadata port on a new and empty store, which is lost when the layer is closed. */
export const layerMetadata = Layer.suspend(() => keyValue.layerMetadata(keyValueStore()))

/** The object store, and the sink behind its signed URLs for a host to mount. */
export const layerObjects = Layer.effectContext(
  Effect.map(SignedUrls, (urls) => {
    const { sink, store } = makeObjects(urls)
    return Context.make(ObjectStore, store).pipe(Context.add(ObjectSink, sink))
  })
)

/** Every port. */
export const layer = Layer.mergeAll(layerMetadata, layerObjects)

/** The routes behind the signed URLs of {@link layer}, for the host to mount. */
export const routes = signedUrlRoutes.pipe(Layer.provide(layer))

/**
 * Everything that a host at `url` needs: the ports, and the routes to mount beside the API. Each call makes new ones,
 * and their data is lost when the process ends.
 */
export const engines = (options: { readonly url: string; readonly secret: SigningSecret }) => {
  const urls = SignedUrls.layer({ secret: options.secret, baseUrl: options.url })
  // Without the sink of its routes, whose type a project could not name.
  const ports: Layer.Layer<Ports> = layer.pipe(Layer.provide(urls))
  return { ports, routes: routes.pipe(Layer.provide(urls)) }
}
