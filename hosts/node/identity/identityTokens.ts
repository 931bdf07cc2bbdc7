import { Clock, DateTime, Effect, Layer, Schema } from "effect"
import type { JWTVerifyGetKey } from "jose"
import { loadOptional } from "../../../adapters/packages/loadOptional.ts"
import { tokenVerifier } from "../../../adapters/packages/optional.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { IdentityTokens, TokenRefused, type TokenVerifier } from "../../../core/ports/IdentityTokens.ts"

/** How far the issuer's clock may differ from this host's. */
const toleranceSeconds = 60

/** How long the issuer may take to answer. */
const patienceMs = 10_000

const Description = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

const Claims = Schema.Struct({ iss: Schema.String, repository: Schema.String })
const claimsIn = Schema.decodeUnknownEffect(Claims)

const Proven = Schema.Struct({ ...Claims.fields, jti: Schema.NonEmptyString, exp: Schema.Finite })
const provenIn = Schema.decodeUnknownEffect(Proven)

const refused = (reason: string) => new TokenRefused({ reason })

/** `jose`, an optional peer of this package. */
const library = loadOptional(tokenVerifier, () => import("jose"))

/** Verifies identity tokens with the keys that their issuers publish, which are kept while they fit. */
const makeVerifier = (jose: Effect.Success<typeof library>): TokenVerifier => {
  const published = new Map<string, JWTVerifyGetKey>()

  const keysOf = Effect.fnUntraced(function* (issuer: string) {
    const known = published.get(issuer)
    if (known !== undefined) return known
    const described = yield* Effect.tryPromise(async () => {
      const url = `${issuer}/.well-known/openid-configuration`
      const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(patienceMs) })
      if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
      return answer.json()
    }).pipe(Effect.flatMap(Schema.decodeUnknownEffect(Description)))
    const keys = jose.createRemoteJWKSet(new URL(described.jwks_uri), { timeoutDuration: patienceMs })
    published.set(issuer, keys)
    return keys
  })

  /** What is wrong with a token, or that its issuer can't be asked. */
  const refusalOf = (cause: unknown): TokenRefused | undefined => {
    const { errors } = jose
    if (cause instanceof errors.JWTExpired) return refused("The token is over; ask your CI for another one.")
    if (cause instanceof errors.JWTClaimValidationFailed) {
      switch (cause.claim) {
        case "aud":
          return refused("The token is for another audience; ask your CI for one whose audience is this service's URL.")
        case "nbf":
          return refused("The token is not valid yet; is the clock of its issuer or of this host wrong?")
        default:
          return refused(`The token's claim ${cause.claim} is missing or another than it must be.`)
      }
    }
    const isUnsigned =
      cause instanceof errors.JWSSignatureVerificationFailed ||
      cause instanceof errors.JWKSNoMatchingKey ||
      cause instanceof errors.JOSEAlgNotAllowed ||
      cause instanceof errors.JOSENotSupported ||
      cause instanceof errors.JWSInvalid ||
      cause instanceof errors.JWTInvalid
    return isUnsigned ? refused("The token is not signed by its issuer.") : undefined
  }

  return {
    read: (token) =>
      Effect.try(() => jose.decodeJwt(token)).pipe(
        Effect.flatMap(claimsIn),
        Effect.map(({ iss, repository }) => ({ issuer: iss, repository })),
        Effect.mapError(() => refused("The token is no identity token of a repository's CI run."))
      ),
    verify: Effect.fn("IdentityTokens.verify")(function* (token, { audience, issuer }) {
      const keys = yield* keysOf(issuer).pipe(
        Effect.tapError((error) =>
          Effect.logWarning("The keys of an issuer of identity tokens can't be read", issuer, error)
        ),
        Effect.mapError(() => Unavailable.answer)
      )
      const currentDate = new Date(yield* Clock.currentTimeMillis)
      const options = {
        issuer,
        audience,
        currentDate,
        clockTolerance: toleranceSeconds,
        requiredClaims: ["exp", "jti", "repository"],
        algorithms: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
      }
      const verified = yield* Effect.tryPromise(() => jose.jwtVerify(token, keys, options)).pipe(
        Effect.catch(({ cause }) =>
          Effect.fail(refusalOf(cause) ?? Unavailable.answer).pipe(
            Effect.tapErrorTag("Unavailable", () =>
              Effect.logWarning("An identity token can't be verified", issuer, cause)
            )
          )
        )
      )
      const { exp, iss, jti, repository } = yield* Effect.mapError(provenIn(verified.payload), () =>
        refused("The token's claims jti, exp or repository don't fit.")
      )
      return {
        issuer: iss,
        repository,
        id: jti,
        endsAt: DateTime.makeUnsafe((exp + 2 * toleranceSeconds) * 1000)
      }
    })
  }
}

/** The verifier, loaded when the first token comes. */
export const layer = Layer.effect(
  IdentityTokens,
  Effect.gen(function* () {
    const verifier = yield* Effect.cached(Effect.map(library, makeVerifier))
    return {
      read: (token) => Effect.flatMap(verifier, ({ read }) => read(token)),
      verify: (token, expected) => Effect.flatMap(verifier, ({ verify }) => verify(token, expected))
    } satisfies TokenVerifier
  })
)
