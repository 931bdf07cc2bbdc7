import { Effect, Layer } from "effect"
import { Settings } from "../../core/service/Settings.ts"
import * as AdminSocket from "./admin/socket.ts"
import { keptSecret } from "./dataFolder.ts"
import { embeddedEngines } from "./embedded.ts"
import { layerServer } from "./server.ts"
import type { ProcessSettings } from "./settings.ts"

/** What a host tells once it is ready. */
export interface Listening {
  readonly url: string
  readonly engines: { readonly metadata: string; readonly objects: string }
}

/**
 * A host on the engines embedded in its data folder. `onReady` runs once it listens and its engines are open. It gives
 * the services of the core to whoever runs beside it.
 */
export const layerHost = <R>(
  settings: ProcessSettings,
  onReady: (listening: Listening) => Effect.Effect<void, never, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const engines = embeddedEngines(settings.data)
      const { decompressedBytes, host, limits, maxBodyBytes, port, reservationTtl, shutdownTimeout, url, viewerUrl } =
        settings
      const server = layerServer({
        engines,
        secret: settings.secret ?? (yield* keptSecret(settings.data)),
        host,
        port,
        maxBodyBytes,
        shutdownTimeout,
        settings: {
          limits,
          reservationTtl,
          decompressedBytes,
          ...(url === undefined ? {} : { url }),
          ...(viewerUrl === undefined ? {} : { viewerUrl })
        }
      })
      const ready = Layer.effectDiscard(
        Effect.flatMap(Settings, ({ url }) =>
          onReady({ url, engines: { metadata: engines.metadata, objects: engines.objects } })
        )
      )
      return ready.pipe(Layer.provide(AdminSocket.layerServer(settings.data)), Layer.provideMerge(server))
    })
  )
