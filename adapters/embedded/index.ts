/** Every port in one folder of the local disk, in the host's process: SQLite and files, the engines of a host that names none. */
import { Layer } from "effect"
import type { Ports } from "../../core/ports/registry.ts"
import type { SigningSecret } from "../../core/model/SigningSecret.ts"
import * as filesystem from "../filesystem/index.ts"
import { routes } from "../signed-urls/routes.ts"
import { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { layerMetadata } from "./metadata.ts"
import { pathsIn } from "./paths.ts"

export { layerMetadata } from "./metadata.ts"

/** The object store in a folder, and the routes behind its signed URLs, for the host to mount. */
export const objects = (options: Parameters<typeof filesystem.layer>[0]) => {
  const ports = filesystem.layer(options)
  return { ports, routes: routes.pipe(Layer.provide(ports)) }
}

/**
 * Everything that a host at `url` needs: the ports, and the routes to mount beside the API. All is kept in the folder
 * `data`, which is made if it is missing, and belongs to one process at a time; the commands `slipway doctor`, `backup` and
 * `copy` take the same folder. `secret` signs the URLs: with another one those under way end.
 *
 * Building the ports fails with `DatabaseInUse` while another process has the folder, and with `DatabaseFileUnusable` or
 * `DirectoryUnusable`, which say what to do, where nothing can be kept in it.
 */
export const engines = (options: { readonly data: string; readonly url: string; readonly secret: SigningSecret }) => {
  const paths = pathsIn(options.data)
  const urls = SignedUrls.layer({ secret: options.secret, baseUrl: options.url })
  const stored = objects({ directory: paths.objects })
  const all = Layer.merge(layerMetadata({ file: paths.metadata }), stored.ports.pipe(Layer.provide(urls)))
  // Without the sink of its routes, whose type a project could not name.
  const ports: Layer.Layer<Ports, Layer.Error<typeof all>> = all
  return {
    ports,
    routes: stored.routes.pipe(Layer.provide(urls))
  }
}
