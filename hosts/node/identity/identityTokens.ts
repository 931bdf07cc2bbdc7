import { Cache, Clock, Data, DateTime, Duration, Effect, Exit, Layer, Schema } from "effect"
import { loadOptional, tokenVerifier } from "../../../adapters/optionalPackages.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { IdentityTokens, TokenRefused, type TokenVerifier } from "../../../core/ports/HostServices.ts"
import { audiencesFor, proofIn } from "./claims.ts"
import { publishedKeys, type KeySet } from "./publishedKeys.ts"

/** How far the issuer's clock may differ from this host's. */
const toleranceSeconds = 60

/** How long an issuer's keys are kept, how long it isn't asked again after a failure, or for a key that it didn't publish. */
const kept = Duration.minutes(10)
const pause = Duration.seconds(30)

const Issued = Schema.Struct({ iss: Schema.String })
const issuedIn = Schema.decodeUnknownEffect(Issued)

/** Until the year 9999, so that it is a time. */
const endIn = Schema.decodeUnknownEffect(
  Schema.Struct({ exp: Schema.Finite.check(Schema.isLessThan(253_402_300_800)) })
)

const refused = (reason: string) => new TokenRefused({ reason })

/** The issuer published no key by the name that the token gives. */
class KeyUnknown extends Data.TaggedError("KeyUnknown") {}

/** The keys can't be used. */
class Unverifiable extends Data.TaggedError("Unverifiable")<{ readonly cause: unknown }> {}

/** `jose`, an optional peer of this package. */
const library = loadOptional(tokenVerifier, () => import("jose"))

/** Verifies identity tokens with the keys that their issuers publish, which are kept while they fit. */
const makeVerifier = Effect.fnUntraced(function* (
  jose: Effect.Success<typeof library>
): Effect.fn.Return<TokenVerifier> {
  const published = yield* Cache.makeWith(
    (issuer: string) =>
      publishedKeys(jose, issuer).pipe(
        Effect.tapError((error) =>
          Effect.logWarning("The keys of an issuer of identity tokens can't be read", issuer, error)
        ),
        Effect.mapError(() => Unavailable.answer)
      ),
    { capacity: 100, timeToLive: Exit.match({ onSuccess: () => kept, onFailure: () => pause }) }
  )
  // Not interrupted: those who leave early would have the issuer asked again for each that comes.
  const keysOf = (issuer: string) => Effect.uninterruptible(Cache.get(published, issuer))

  /** What is wrong with a token, or that it can't be verified. */
  const refusalOf = (cause: unknown) => {
    const { errors } = jose
    if (cause instanceof errors.JWTExpired) return refused("the token is over")
    if (cause instanceof errors.JWTClaimValidationFailed) {
      switch (cause.claim) {
        case "aud":
          return refused("the token is for another audience")
        case "nbf":
          return refused("the token is not valid yet; is the clock of its issuer or of this host wrong?")
        default:
          return refused(`the token's claim ${cause.claim} is missing or another than it must be`)
      }
    }
    if (cause instanceof errors.JWKSNoMatchingKey) return new KeyUnknown()
    return cause instanceof errors.JOSEError
      ? refused("the token is not signed by its issuer")
      : new Unverifiable({ cause })
  }

  const attempt = Effect.fnUntraced(function* (token: string, audience: string, issuer: string, { keys }: KeySet) {
    const options = {
      issuer,
      audience: [...audiencesFor(audience, issuer)],
      currentDate: new Date(yield* Clock.currentTimeMillis),
      clockTolerance: toleranceSeconds,
      requiredClaims: ["exp"],
      algorithms: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
    }
    return yield* Effect.tryPromise({ try: () => jose.jwtVerify(token, keys, options), catch: refusalOf })
  })

  return {
    issuerOf: (token) =>
      Effect.try(() => jose.decodeJwt(token)).pipe(
        Effect.flatMap(issuedIn),
        Effect.map(({ iss }) => iss),
        Effect.mapError(() => refused("it is no identity token"))
      ),
    verify: Effect.fn("IdentityTokens.verify")(function* (token, { audience, issuer }) {
      const known = yield* keysOf(issuer)
      const { payload } = yield* attempt(token, audience, issuer, known).pipe(
        // The issuer may have published a new key.
        Effect.catchTag("KeyUnknown", (unknown) =>
          Effect.gen(function* () {
            if ((yield* Clock.currentTimeMillis) < known.readAtMs + Duration.toMillis(pause)) return yield* unknown
            yield* Cache.invalidateWhen(published, issuer, (one) => one === known)
            return yield* attempt(token, audience, issuer, yield* keysOf(issuer))
          })
        ),
        Effect.catchTags({
          KeyUnknown: () => Effect.fail(refused("the token is not signed by its issuer")),
          Unverifiable: ({ cause }) =>
            Effect.andThen(
              Effect.logWarning("An identity token can't be verified", issuer, cause),
              Effect.fail(Unavailable.answer)
            )
        })
      )
      const { exp } = yield* Effect.mapError(endIn(payload), () => refused("the token's claim exp is no time"))
      const endsAt = DateTime.makeUnsafe((exp + 2 * toleranceSeconds) * 1000)
      return { ...(yield* proofIn(payload, issuer)), issuer, endsAt }
    })
  }
})

/** The verifier, loaded when the first token comes. */
export const layer = Layer.effect(
  IdentityTokens,
  Effect.gen(function* () {
    const verifier = yield* Effect.cached(Effect.flatMap(library, makeVerifier))
    return {
      issuerOf: (token) => Effect.flatMap(verifier, ({ issuerOf }) => issuerOf(token)),
      verify: (token, expected) => Effect.flatMap(verifier, ({ verify }) => verify(token, expected))
    } satisfies TokenVerifier
  })
)
