/**
 * Verifies the identity tokens of CI runs with `jose`: the keys that an issuer publishes, what the claims of each CI prove, and
 * the verifier. `core/service/TokenExchange` issues short-lived keys for them, and `TrustStore` has the trusts and the used tokens.
 */
import { Cache, Clock, Data, DateTime, Duration, Effect, Exit, Layer, Schema } from "effect"
import type { JWTVerifyGetKey } from "jose"
import { loadOptional, tokenVerifier } from "../../adapters/optionalPackages.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { IssuerId } from "../../core/model/Repository.ts"
import { IdentityTokens, type ProvenIdentity, TokenRefused, type TokenVerifier } from "../../core/ports/HostServices.ts"

/** How long an issuer may take for each of its two answers, and how large each may be: GitHub's have 1 and 9 kB. */
const timeoutMs = 10_000
export const maxBytes = 256 * 1024

/** The public keys of an issuer, and when they were read. */
interface KeySet {
  readonly keys: JWTVerifyGetKey
  readonly readAtMs: number
}

class IssuerUnusable extends Data.TaggedError("IssuerUnusable")<{ readonly message: string }> {}

const Description = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.URLFromString })

const Keys = Schema.Struct({
  keys: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).check(
    Schema.isMaxLength(100, { message: "must be at most 100 keys" })
  )
})

/** The JSON of a URL, to a bound of bytes. */
const readJson = (url: string) =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => {
      const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) })
      const chunks: Array<Uint8Array> = []
      let size = 0
      for await (const chunk of response.body ?? []) {
        size += chunk.byteLength
        if (!response.ok || size > maxBytes) break
        chunks.push(chunk)
      }
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      if (size > maxBytes) throw new Error(`it answered more than ${maxBytes} bytes`)
      return JSON.parse(Buffer.concat(chunks).toString())
    },
    catch: (cause) => new IssuerUnusable({ message: `${url}: ${String(cause)}` })
  })

/** The keys that an issuer publishes as OpenID Connect Discovery has it. */
const publishedKeys = Effect.fnUntraced(function* (
  jose: Pick<typeof import("jose"), "createLocalJWKSet">,
  issuer: string
) {
  const described = yield* Effect.flatMap(
    readJson(`${issuer}/.well-known/openid-configuration`),
    Schema.decodeUnknownEffect(Description)
  )
  if (described.issuer !== issuer) {
    return yield* new IssuerUnusable({ message: `${issuer} describes itself as ${described.issuer}` })
  }
  const at = described.jwks_uri
  if (at.protocol !== "https:" && at.origin !== new URL(issuer).origin) {
    return yield* new IssuerUnusable({ message: `${issuer} publishes its keys without TLS at ${at.href}` })
  }
  const jwks = yield* Effect.flatMap(readJson(at.href), Schema.decodeUnknownEffect(Keys))
  const keys = yield* Effect.try({
    try: () => jose.createLocalJWKSet({ keys: jwks.keys.map((key) => ({ kty: "", ...key })) }),
    catch: (cause) => new IssuerUnusable({ message: `${at.href}: ${String(cause)}` })
  })
  return { keys, readAtMs: yield* Clock.currentTimeMillis } satisfies KeySet
})

// What the identity tokens of each CI prove of a run, by the claims that the documentation of the CI lists.

/** What a token proves beyond its issuer and its end. */
type Proof = Omit<ProvenIdentity, "issuer" | "endsAt">

type Prove = (payload: object, issuer: string) => Effect.Effect<Proof, Schema.SchemaError>

const optional = Schema.optionalKey(Schema.String)

const githubClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    jti: Schema.NonEmptyString,
    repository: Schema.String,
    repository_id: IssuerId,
    repository_owner_id: IssuerId,
    ref: optional,
    environment: optional,
    job_workflow_ref: optional,
    event_name: optional
  })
)

/** https://docs.github.com/en/actions/reference/security/oidc#oidc-token-claims */
const github: Prove = (payload) =>
  Effect.map(githubClaims(payload), (claims) => ({
    id: claims.jti,
    repository: claims.repository,
    ids: { repository: claims.repository_id, owner: claims.repository_owner_id },
    ref: claims.ref,
    environment: claims.environment,
    workflow: claims.job_workflow_ref,
    event: claims.event_name
  }))

const gitlabClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    project_path: Schema.String,
    project_id: IssuerId,
    namespace_id: IssuerId,
    ref: optional,
    ref_type: optional,
    pipeline_source: optional,
    environment: optional,
    ci_config_ref_uri: optional
  })
)

/**
 * The `ref` of a merge request's pipeline is the name of its source branch, which may be one of a fork: it is no branch of the
 * repository. All steps of a job have one token. https://docs.gitlab.com/ci/secrets/id_token_authentication/#token-payload
 */
const gitlab: Prove = (payload) =>
  Effect.map(gitlabClaims(payload), (claims) => {
    const { pipeline_source: event = "", ref, ref_type } = claims
    const kind = /merge_request|pull_request/.test(event) ? "merge-requests" : ref_type === "branch" ? "heads" : "tags"
    return {
      repository: claims.project_path,
      ids: { repository: claims.project_id, owner: claims.namespace_id },
      ref: ref && `refs/${kind}/${ref}`,
      environment: claims.environment,
      workflow: claims.ci_config_ref_uri,
      event
    }
  })

const circleciClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    organization: IssuerId,
    "oidc.circleci.com/project-id": IssuerId,
    "oidc.circleci.com/vcs-origin": Schema.String,
    "oidc.circleci.com/vcs-ref": optional
  })
)

/** The id of the organization, with which the URL of CircleCI's issuer ends. */
const organizationIn = (issuer: string): string | undefined => /\/org\/([^/]+)$/.exec(issuer)?.[1]

/** https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens/#format-of-the-openid-connect-id-token */
const circleci: Prove = (payload, issuer) =>
  Effect.map(circleciClaims({ ...payload, organization: organizationIn(issuer) }), (claims) => ({
    // `github.com/acme/app`
    repository: claims["oidc.circleci.com/vcs-origin"].replace(/^[^/]*\//, ""),
    ids: { repository: claims["oidc.circleci.com/project-id"], owner: claims.organization },
    ref: claims["oidc.circleci.com/vcs-ref"]
  }))

const buildkiteClaims = Schema.decodeUnknownEffect(
  Schema.Struct({
    pipeline_id: IssuerId,
    organization_id: IssuerId,
    build_branch: optional,
    build_tag: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** One issuer signs for all organizations, and no claim has the repository. https://buildkite.com/docs/agent/cli/reference/oidc#claims */
const buildkite: Prove = (payload) =>
  Effect.map(buildkiteClaims(payload), ({ build_branch, build_tag, organization_id, pipeline_id }) => ({
    ids: { repository: pipeline_id, owner: organization_id },
    ref: build_tag ? `refs/tags/${build_tag}` : build_branch && `refs/heads/${build_branch}`
  }))

/** Every CI but GitHub, by a claim that tokens of no other CI have. */
const others: ReadonlyArray<readonly [marker: string, name: string, prove: Prove]> = [
  ["project_path", "GitLab", gitlab],
  ["oidc.circleci.com/project-id", "CircleCI", circleci],
  ["pipeline_slug", "Buildkite", buildkite]
]

/** What the claims of a verified token prove. */
const proofIn = (payload: object, issuer: string): Effect.Effect<Proof, TokenRefused> => {
  const [, name, prove] = others.find(([marker]) => marker in payload) ?? ["", "GitHub", github]
  return Effect.mapError(
    prove(payload, issuer),
    ({ message }) =>
      new TokenRefused({ reason: `the claims of the token of ${name} don't fit: ${message.replaceAll(/\s+/g, " ")}` })
  )
}

/** The audiences of a token for a URL. That of the variable of a CircleCI job is the id of its organization. */
const audiencesFor = (url: string, issuer: string): ReadonlyArray<string> => {
  const organization = organizationIn(issuer)
  return [url, `${url}/`, ...(organization === undefined ? [] : [organization])]
}

/** How far the issuer's clock may differ from this host's. */
const toleranceSeconds = 60

/** How long an issuer's keys are kept, how long it isn't asked again after a failure, or for a key that it didn't publish. */
const keysLife = Duration.minutes(10)
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
        Effect.mapError(() => Unavailable.default)
      ),
    { capacity: 100, timeToLive: Exit.match({ onSuccess: () => keysLife, onFailure: () => pause }) }
  )
  // Not interrupted: those who leave early would have the issuer asked again for each that comes.
  const keysOf = (issuer: string) => Effect.uninterruptible(Cache.get(published, issuer))

  /** What is wrong with a token, or that it can't be verified. */
  const refusalOf = (cause: unknown) => {
    const { errors } = jose
    if (cause instanceof errors.JWTExpired) return refused("the token has expired")
    if (cause instanceof errors.JWTClaimValidationFailed) {
      switch (cause.claim) {
        case "aud":
          return refused("the token is for another audience")
        case "nbf":
          return refused("the token is not valid yet; is the clock of its issuer or of this host wrong?")
        default:
          return refused(`the token's claim ${cause.claim} is missing or wrong`)
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
        Effect.mapError(() => refused("it is not an identity token"))
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
              Effect.fail(Unavailable.default)
            )
        })
      )
      const { exp } = yield* Effect.mapError(endIn(payload), () => refused("the token's claim exp is not a valid time"))
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
