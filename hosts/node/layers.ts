/** The layers of the reference host, whose modules import packages that only projects with such a host install. */
import { Effect, Layer } from "effect"
import { loadOptional, platform } from "../../adapters/optionalPackages.ts"
import type { ServerOptions } from "./server.ts"
import type { ProcessSettings } from "./settings/settings.ts"

/** `layerHost` of `host.ts`. Needs `@effect/platform-node`, and the packages of the engines that the settings name. */
export const layerHost = (settings: ProcessSettings) =>
  Layer.unwrap(
    Effect.map(
      loadOptional(platform, () => import("./host.ts")),
      ({ layerHost }) => layerHost(settings)
    )
  )

/** `layerServer` of `server.ts`. Needs `@effect/platform-node`. */
export const layerServer = <E>(options: ServerOptions<E>) =>
  Layer.unwrap(
    Effect.map(
      loadOptional(platform, () => import("./server.ts")),
      ({ layerServer }) => layerServer(options)
    )
  )
