import { Effect, Redacted, Schema } from "effect"
import type { ClientAuth } from "openid-client"
import { loadOptional, oidcClient } from "../../../adapters/optionalPackages.ts"
import type { OidcSettings } from "../settings/oidcSettings.ts"
import type { Flow } from "./flow.ts"
import { fromTheFuture, refusalOf, SignInRefused, unusableSubject } from "./refusal.ts"

/** Who signed in, as the provider says. */
export interface ProvenPerson {
  /** Never given to another person by the same provider. */
  readonly subject: string
  readonly email: string | undefined
  readonly groups: ReadonlyArray<string>
}

/** How long the provider may take to answer, in seconds. */
const timeoutSeconds = 10

/** How far the provider's clock may be ahead, in seconds: as far as the library lets it be for `nbf`. */
const clockTolerance = 30

/** What OpenID Connect allows for `sub`. */
const subjectForm = /^[\x20-\x7e]{1,255}$/

/** How much of the name of a person's key, which has 1,024 characters at most, subject and issuer may use. */
const longestIdentity = 880

/** Whether a subject has the form of OpenID Connect, and fits the name of a key together with its issuer. */
export const isUsableSubject = (subject: string, issuer: string): boolean =>
  subjectForm.test(subject) && encodeURIComponent(subject).length + issuer.length <= longestIdentity

const isText = Schema.is(Schema.String)
const isTexts = Schema.is(Schema.Array(Schema.String))

/** A claim of several texts, or of one alone. */
const textsIn = (claim: unknown): ReadonlyArray<string> => (isTexts(claim) ? claim : isText(claim) ? [claim] : [])

const attempt = <A>(ask: () => Promise<A>) => Effect.tryPromise({ try: ask, catch: refusalOf })

/** `openid-client`, an optional peer of this package. */
export const openidClient = loadOptional(oidcClient, () => import("openid-client"))

/** The provider that the settings name. It is asked for its own description when the first person signs in. */
export const makeProvider = (settings: OidcSettings, client: Effect.Success<typeof openidClient>) => {
  const secret = Redacted.value(settings.clientSecret)

  const discover = attempt(async () => {
    /** By HTTP Basic, as the specification's default is, unless the provider takes the secret in the body alone. */
    const authentication: ClientAuth = (server, ...rest) => {
      const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
      const make = known.includes("client_secret_basic") ? client.ClientSecretBasic : client.ClientSecretPost
      make(secret)(server, ...rest)
    }
    const insecure = settings.issuer.startsWith("http:") ? [client.allowInsecureRequests] : []
    return client.discovery(new URL(settings.issuer), settings.clientId, undefined, authentication, {
      execute: [...insecure, client.enableNonRepudiationChecks],
      timeout: timeoutSeconds
    })
  })

  let described: Effect.Success<typeof discover> | undefined
  const known = Effect.suspend(() =>
    described === undefined
      ? Effect.tap(discover, (found) => Effect.sync(() => void (described = found)))
      : Effect.succeed(described)
  )

  return {
    /** A new sign-in, and the provider's URL to send the browser to. */
    begin: Effect.fnUntraced(function* (redirectUri: string, to: string) {
      const config = yield* known
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to
      }
      const challenge = yield* attempt(() => client.calculatePKCECodeChallenge(flow.verifier))
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: challenge,
        code_challenge_method: "S256"
      })
      return { flow, url: url.href }
    }),

    /**
     * Who signed in, from the URL that the provider sent the browser back to. Issuer, audience, signature, times, `state` and
     * `nonce` are checked; groups that aren't in the ID token are asked for at the provider's userinfo endpoint.
     */
    complete: Effect.fnUntraced(function* (answer: URL, flow: Flow): Effect.fn.Return<ProvenPerson, SignInRefused> {
      const config = yield* known
      const tokens = yield* attempt(() =>
        client.authorizationCodeGrant(config, answer, {
          pkceCodeVerifier: flow.verifier,
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          idTokenExpected: true
        })
      )
      const claims = tokens.claims()
      if (claims === undefined) return yield* refusalOf(new Error("no ID token"))
      const { iat, sub: subject } = claims
      // By the machine's clock, as the library compares the other times.
      if (iat > Date.now() / 1000 + clockTolerance) return yield* fromTheFuture(`iat is ${iat}`)
      if (!isUsableSubject(subject, settings.issuer)) {
        return yield* unusableSubject(`sub has ${subject.length} characters`)
      }
      const isComplete =
        claims[settings.groupsClaim] !== undefined || config.serverMetadata().userinfo_endpoint === undefined
      const more = isComplete
        ? claims
        : yield* attempt(() => client.fetchUserInfo(config, tokens.access_token, subject))
      return {
        subject,
        email: textsIn(claims["email"] ?? more.email)[0],
        groups: textsIn(more[settings.groupsClaim])
      }
    })
  }
}
