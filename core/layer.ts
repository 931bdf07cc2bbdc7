import { Layer } from "effect"
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { Outbox } from "./ports/Outbox.ts"
import { Administration } from "./service/Administration.ts"
import { Authorization } from "./service/Authorization.ts"
import { Builds } from "./service/Builds.ts"
import { DigestTurns } from "./service/DigestTurns.ts"
import { Idempotency } from "./service/Idempotency.ts"
import { OpenSlots } from "./service/OpenSlots.ts"
import { Overview } from "./service/Overview.ts"
import { Previews } from "./service/Previews.ts"
import { Sessions } from "./service/Sessions.ts"
import type { Settings } from "./service/Settings.ts"
import { ShareLinks } from "./service/ShareLinks.ts"
import { TestRuns } from "./service/TestRuns.ts"
import { Uploads } from "./service/Uploads.ts"

/** Every service of the core. Needs the ports and `Settings`; randomness and sealing are the platform's Web Crypto. */
export const layer = Layer.mergeAll(
  Administration.layer,
  Builds.layer,
  OpenSlots.layer,
  Overview.layer,
  Previews.layer,
  Sessions.layer,
  TestRuns.layer
).pipe(
  Layer.provideMerge([Authorization.layer, ShareLinks.layer]),
  Layer.provide([Uploads.layer, Idempotency.layer]),
  Layer.provide(DigestTurns.layer),
  Layer.provide(Aead.layerWebCrypto),
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** The services that {@link layer} gives. */
export type Services = Layer.Success<typeof layer>

/** What {@link layer} needs from adapters, and the `Outbox` for who delivers its events. */
export type Ports = Exclude<Layer.Services<typeof layer>, Settings> | Outbox
