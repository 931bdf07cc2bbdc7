import { Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "../../core/service/Administration.ts"
import * as AdminSocket from "./admin/socket.ts"
import { layerEmbeddedMetadata } from "./embedded.ts"
import type { ProcessSettings } from "./settings.ts"

/**
 * `Administration` on the stores that the settings name. Embedded engines belong to one process: while a host runs on
 * the data folder, orders go through that host.
 */
export const layerAdministration = (settings: Pick<ProcessSettings, "data">) =>
  Administration.layer.pipe(
    Layer.provide(layerEmbeddedMetadata(settings.data)),
    Layer.provide(layerWebCrypto),
    Layer.catchTag("DataFolderInUse", () => AdminSocket.layerClient(settings.data))
  )
