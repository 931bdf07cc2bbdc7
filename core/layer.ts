import { Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "./service/Administration.ts"
import { Authorization } from "./service/Authorization.ts"
import { Builds } from "./service/Builds.ts"
import { Uploads } from "./service/Uploads.ts"

/** Every service of the core. Needs the ports and `Settings`; randomness is the platform's Web Crypto. */
export const layer = Layer.mergeAll(Authorization.layer, Administration.layer, Builds.layer).pipe(
  Layer.provide(Uploads.layer),
  Layer.provide(layerWebCrypto)
)
