import { Effect, Layer, Option } from "effect"
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Administration } from "./service/Administration.ts"
import { AuditEntries } from "./service/AuditEntries.ts"
import { Authorization } from "./service/Authorization.ts"
import { Builds } from "./service/Builds.ts"
import { Changes } from "./service/Changes.ts"
import { DigestPermits } from "./service/contentDigest.ts"
import { Erasures } from "./service/Erasures.ts"
import { Idempotency } from "./service/Idempotency.ts"
import { OpenSlots } from "./service/OpenSlots.ts"
import { OwnAccount } from "./service/OwnAccount.ts"
import { Overview } from "./service/Overview.ts"
import { RetentionHolds } from "./service/RetentionHolds.ts"
import { Previews } from "./service/Previews.ts"
import { ObjectDeletions } from "./service/ObjectDeletions.ts"
import { RequestScheduler } from "./service/RequestScheduler.ts"
import { Quarantines } from "./service/Quarantines.ts"
import { RateLimits } from "./service/RateLimits.ts"
import { Search } from "./service/Search.ts"
import { Sessions } from "./service/Sessions.ts"
import { ShareLinks } from "./service/ShareLinks.ts"
import { Sweeps } from "./service/Sweeps.ts"
import { TestHistories } from "./service/TestHistories.ts"
import { TestRuns } from "./service/TestRuns.ts"
import { TokenExchange } from "./service/TokenExchange.ts"
import { withCheckedCalls } from "./service/inputs.ts"
import { layerTracedPorts } from "./service/telemetry.ts"
import { Usage } from "./service/Usage.ts"
import { Uploads } from "./service/Uploads.ts"

/** The randomness that is given beside the ports, else the platform's Web Crypto. */
const layerRandom = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(SecureRandom.SecureRandom),
    Option.match({
      onNone: () => SecureRandom.layerWebCrypto,
      onSome: (given) => Layer.succeed(SecureRandom.SecureRandom, given)
    })
  )
)

const services = Layer.mergeAll(
  AuditEntries.layer,
  Builds.layer,
  Changes.layer,
  OpenSlots.layer,
  Overview.layer,
  OwnAccount.layer,
  RetentionHolds.layer,
  Previews.layer,
  Quarantines.layer,
  RateLimits.layer,
  RequestScheduler.layer,
  Search.layer,
  Sessions.layer,
  TestHistories.layer,
  TokenExchange.layer,
  Usage.layer
).pipe(
  Layer.provideMerge(Administration.layer),
  Layer.provideMerge(TestRuns.layer),
  Layer.provideMerge(Sweeps.layer),
  Layer.provideMerge(Erasures.layer),
  Layer.provideMerge([Authorization.layer, ObjectDeletions.layer, ShareLinks.layer]),
  Layer.provide([Uploads.layer, Idempotency.layer]),
  Layer.provide(DigestPermits.layer),
  Layer.provide(Aead.layerWebCrypto),
  Layer.provideMerge(layerRandom)
)

/**
 * Every service of the core. Needs the ports and `Settings`. Ids, tokens and secrets are made with a `SecureRandom` that is
 * given beside the ports, else with the platform's Web Crypto, which also seals.
 */
export const layer = withCheckedCalls(services).pipe(Layer.provide(layerTracedPorts))

/** The services that {@link layer} gives. */
export type Services = Layer.Success<typeof layer>
