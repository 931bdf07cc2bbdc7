/** The reference host: its settings, its engines, and the process that serves them. */
import { Effect, Layer } from "effect"
import { loadOptional, platform } from "../../adapters/optionalPackages.ts"
import type { ServerOptions } from "./server.ts"
import type { ProcessSettings } from "./settings/settings.ts"

export { layerAdministration } from "./administration.ts"
export { EngineUnusable } from "./engines/engines.ts"
export type { Engines } from "./engines/engines.ts"
export { ListenFailed, Listening } from "./Listening.ts"
export type { ServerOptions } from "./server.ts"
export { DataFolderPathTooLong, SecretUnusable } from "./settings/dataFolder.ts"
export { loadSettings, SettingRefused } from "./settings/settings.ts"
export type { ProcessSettings } from "./settings/settings.ts"

// Their modules import packages that only projects with such a host install.

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
