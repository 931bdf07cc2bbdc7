/** Objects in a bucket of S3, or of any store with its API. */
import { Effect, Layer } from "effect"
import type { SigningSecret } from "../../core/model/SigningSecret.ts"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { loadOptional, sdk } from "../optionalPackages.ts"
import { routes } from "../signed-urls/routes.ts"
import { SignedUrls } from "../signed-urls/SignedUrls.ts"
import type { OptionsUnusable, S3Options } from "./options.ts"

export { OptionsUnusable } from "./options.ts"
export type { S3Options } from "./options.ts"

const store = loadOptional(sdk, () => import("./store.ts"))

/**
 * The object store in an existing bucket. Clients PUT to the bucket itself, by URLs that are signed here. This needs a store that
 * refuses `x-amz-*` headers that a URL wasn't signed for, as AWS does and Ceph 16 doesn't. The first reservation checks it with objects
 * below `doctor/`, which are deleted. If the store obeys the headers, reservations are answered `Unavailable` and the log says why. For such
 * stores there is {@link throughHost}.
 *
 * It sends nothing before a method is called. While the store can't be reached or refuses Slipway, the methods answer
 * `Unavailable` and the log says why; later they work again by themselves.
 */
export const layer = (options: S3Options) =>
  Layer.unwrap(Effect.map(store, ({ layerChecked }) => layerChecked(options)))

/** The same object store behind URLs of the host, and the routes of these URLs, for the host to mount. */
export const servedObjects = (options: S3Options) => {
  const ports = Layer.unwrap(Effect.map(store, ({ layerThroughHost }) => layerThroughHost(options)))
  return { ports, routes: routes.pipe(Layer.provide(ports)) }
}

/**
 * The object store of {@link layer}, but clients PUT to the host at `url`, which passes the bytes on to the bucket. Only the host
 * needs to reach the bucket. `routes` are mounted beside the API. `secret` signs the URLs: with another one those under way end.
 */
export const throughHost = (options: S3Options & { readonly url: string; readonly secret: SigningSecret }) => {
  const urls = SignedUrls.layer({ secret: options.secret, baseUrl: options.url })
  const served = servedObjects(options)
  // Without the sink of its routes, whose type a project could not name.
  const ports: Layer.Layer<ObjectStore, OptionsUnusable> = served.ports.pipe(Layer.provide(urls))
  return { ports, routes: served.routes.pipe(Layer.provide(urls)) }
}
