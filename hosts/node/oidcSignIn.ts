/**
 * Sign-in to the pages by OpenID Connect: authorization code with PKCE, `state` and `nonce`. `openid-client` is loaded only if
 * `SLIPWAY_OIDC_ISSUER` is set. The routes are at the end (`oidcSignIn`). Before them: the refusals, each with the person who can fix it; the
 * state of a sign-in, in a signed cookie that is valid for ten minutes and once on all hosts; the requests to the provider; and the
 * key record of a person. Sessions belong to a key, so revoking the record ends the person's sessions at the next request, on every host.
 */
import { Data, DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ClientAuth } from "openid-client"
import { loadOptional, oidcClient } from "../../adapters/optionalPackages.ts"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import type { SigningSecret } from "../../core/model/SigningSecret.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { hashSecret, isLive } from "../../core/rules/credentials.ts"
import { Administration } from "../../core/service/Administration.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { makeSampledLog } from "../../core/service/securityLog.ts"
import { canonicalAddress, clientOf, logFailure } from "../http/requestContext.ts"
import { goTo, isSecure, Site, toLocalPath } from "../viewer/access/site.ts"
import { makeSeal } from "../viewer/access/capability.ts"
import type { SignInMethod } from "../viewer/access/ownSessions.ts"
import type { ViewerNeeds } from "../viewer/routes.ts"
import { SessionCookie } from "../viewer/session/sessionCookie.ts"
import { messagePage, pageContext } from "../viewer/ui/layout.ts"
import type { GroupGrant, OidcSettings } from "./settings/oidcSettings.ts"

/** A failed sign-in, with a message that names who can fix it. Nothing was changed. */
class SignInRefused extends Data.TaggedError("SignInRefused")<{
  readonly status: 400 | 401 | 403 | 503
  readonly detail: string
  /** For the log of the host: it may name settings, and never has a token. */
  readonly reason: string
}> {}

/** The answer belongs to no sign-in that this browser has under way. */
const notUnderWay = (reason: string): SignInRefused =>
  new SignInRefused({
    status: 400,
    detail:
      "This sign-in was begun in another browser, was used already, or took longer than ten minutes. Start again.",
    reason
  })

const unreachable = (reason: string): SignInRefused =>
  new SignInRefused({
    status: 503,
    detail: "The provider that signs people in can't be reached just now. Try again in a moment.",
    reason
  })

const byOperator = (what: string, settings: string) => ({
  status: 401 as const,
  detail: `${what}, so you are not signed in. Ask the operator of Slipway to check ${settings}.`
})

/** The provider says that it answered later than now. */
const fromTheFuture = (reason: string): SignInRefused =>
  new SignInRefused({
    ...byOperator("The provider's answer is from the future", "the clocks of the two machines"),
    reason
  })

/** The provider's name for the person can't be stored. */
const unusableSubject = (reason: string): SignInRefused =>
  new SignInRefused({
    ...byOperator("The provider's answer has no subject (sub) of 1 to 255 ASCII characters", "the provider's settings"),
    reason
  })

const mismatch = (claim: string) => {
  switch (claim) {
    case "aud":
    case "azp":
      return byOperator("The provider's answer is meant for another application", "SLIPWAY_OIDC_CLIENT_ID")
    case "iss":
    case "issuer":
      return byOperator("The provider answers by another name than was expected", "SLIPWAY_OIDC_ISSUER")
    case "nonce":
    case "state":
      return notUnderWay("")
    default:
      return byOperator("The provider's answer doesn't fit", "the log of the host")
  }
}

const textOf = (value: unknown, name: string): string => {
  const member: unknown = Reflect.get(Object(value), name)
  return typeof member === "string" ? member : ""
}

/** The cause of the library's error, or that cause's own cause, names the claim that differs. */
const claimIn = (error: unknown): string => {
  const cause: unknown = Reflect.get(Object(error), "cause")
  if (typeof cause !== "object" || cause === null) return ""
  return textOf(cause, "claim") || textOf(cause, "attribute") || claimIn(cause)
}

/** The message to the user for an error of `openid-client`. */
const refusalOf = (error: unknown): SignInRefused => {
  const [code, said] = [textOf(error, "code"), textOf(error, "error")]
  const claim = claimIn(error)
  const reason = [textOf(error, "message"), code, said, claim].filter((part) => part !== "").join(", ")
  // What `fetch` throws when it can't connect.
  if (error instanceof TypeError || code === "OAUTH_TIMEOUT") return unreachable(reason)
  if (said === "access_denied") {
    return new SignInRefused({
      status: 403,
      detail: "The provider refused your sign-in. Ask its administrator for access to Slipway.",
      reason
    })
  }
  if (said === "invalid_grant") return notUnderWay(reason)
  if (/^(?:invalid|unauthorized)_client$/.test(said) || code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") {
    const checked = "SLIPWAY_OIDC_CLIENT_ID and SLIPWAY_OIDC_CLIENT_SECRET"
    return new SignInRefused({ ...byOperator("The provider doesn't accept this host", checked), reason })
  }
  switch (code) {
    case "OAUTH_JWT_TIMESTAMP_CHECK_FAILED":
      return new SignInRefused({
        status: 401,
        detail:
          "The provider's answer has expired, so you are not signed in. Start again; if it happens again, ask the operator of Slipway to compare the clocks of the two machines.",
        reason
      })
    case "OAUTH_JWT_CLAIM_COMPARISON_FAILED":
    case "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED": {
      const { detail, status } = mismatch(claim)
      return new SignInRefused({ detail, status, reason })
    }
    default: {
      const { detail, status } = mismatch("")
      return new SignInRefused({ detail, status, reason })
    }
  }
}

/** How long people have at the provider. */
const life = Duration.minutes(10)

/** A sign-in that is under way: what the provider's answer has to fit, and the path to open afterwards. */
const Flow = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  to: Schema.String,
  until: Schema.DateTimeUtcFromMillis
})
type Flow = Omit<typeof Flow.Type, "until">

/** Uses up a sign-in that is under way, on every host of the deployment, and answers whether this is the first time. */
const useFlow = Effect.fnUntraced(function* ({ state, until }: typeof Flow.Type) {
  // Remembered for longer than the cookie counts, because the clocks of hosts differ.
  const endsAt = DateTime.addDuration(until, life)
  return yield* (yield* TrustStore).use({
    tokenHash: hashSecret(`sign-in\n${state}`),
    endsAt,
    now: yield* DateTime.now
  })
})

/** Keeps the sign-in that is under way with the browser that began it, in a signed cookie. */
const makeFlowCookie = (site: Site["Service"], secret: SigningSecret) => {
  const secure = isSecure(site)
  const name = secure ? "__Host-slipway-oidc" : "slipway-oidc"
  // Lax: the way back from the provider is a link from another site.
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure } as const
  const { open, seal } = makeSeal(Flow, { secret, purpose: "oidc" })
  return {
    /** The sign-in that the request's browser began, unless its time is over. */
    flow: Effect.gen(function* () {
      const { cookies } = yield* HttpServerRequest.HttpServerRequest
      const flow = Option.getOrUndefined(open(cookies[name] ?? ""))
      return flow !== undefined && DateTime.isLessThan(yield* DateTime.now, flow.until) ? flow : undefined
    }),
    keep: (response: HttpServerResponse.HttpServerResponse, flow: Flow) =>
      Effect.map(DateTime.now, (now) =>
        HttpServerResponse.setCookieUnsafe(response, name, seal({ ...flow, until: DateTime.addDuration(now, life) }), {
          ...attributes,
          maxAge: life
        })
      ),
    /** Deletes the cookie of a sign-in that ended. */
    drop: (response: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.expireCookieUnsafe(response, name, attributes)
  }
}

/** Who signed in, as the provider says. */
interface ProvenPerson {
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
const openidClient = loadOptional(oidcClient, () => import("openid-client"))

/** The provider that the settings name. It is asked for its own description when the first person signs in. */
const makeProvider = (settings: OidcSettings, client: Effect.Success<typeof openidClient>) => {
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

/** What a person may do: one account, and the scopes of all of the person's groups that lead there. */
type Granted = Pick<GroupGrant, "account" | "scopes">

/** The account of the first grant to one of the groups, with all scopes that they give there; `undefined` without one. */
export const grantedTo = (grants: ReadonlyArray<GroupGrant>, groups: ReadonlyArray<string>): Granted | undefined => {
  const held = grants.filter(({ group }) => groups.includes(group))
  const [first] = held
  if (first === undefined) return undefined
  const others = held.filter(({ account }) => account === first.account).flatMap(({ scopes }) => scopes)
  const [scope] = first.scopes
  return { account: first.account, scopes: [scope, ...new Set(others.filter((other) => other !== scope))] }
}

/** The end of the name of a person's keys: no other person's has it, as it has no space within. */
const identityOf = ({ subject }: ProvenPerson, issuer: string) => `, ${encodeURIComponent(subject)} at ${issuer}`

const presentable = /^[\x20-\x7e]{1,100}$/

const hasScopes = (key: ApiKey, scopes: ReadonlyArray<string>) =>
  key.scopes.length === scopes.length && scopes.every((scope) => key.scopes.some((held) => held === scope))

/**
 * The key record that stands for a person in the account: there from an earlier sign-in, or new. Records of the person's
 * with other scopes or in other accounts, which former groups gave, are revoked. The key itself is forgotten here, so that
 * it opens nothing but sessions. Answers it with its account.
 */
const personKey = Effect.fnUntraced(function* (
  person: ProvenPerson,
  granted: Granted,
  at: { readonly issuer: string; readonly accounts: ReadonlyArray<string> }
) {
  const admin = yield* Administration
  const identity = identityOf(person, at.issuer)
  const now = yield* DateTime.now
  const theirs = (keys: ReadonlyArray<ApiKey>) => keys.filter((key) => key.name.endsWith(identity) && isLive(key, now))
  const keysIn = (account: string) => Effect.map(admin.listKeys({ account }), ({ keys }) => theirs(keys))

  const { account, keys } = yield* admin.listKeys({ account: granted.account })
  const here = theirs(keys)
  const existing = here.find((key) => hasScopes(key, granted.scopes))
  const label = presentable.test(person.email ?? "") ? person.email : "somebody"
  const key = existing ?? (yield* admin.createKey({ ...granted, name: `Sign-in of ${label}${identity}` })).record

  const elsewhere = yield* Effect.forEach(
    at.accounts.filter((account) => account !== granted.account),
    // An account of the mapping that isn't there has no keys.
    (account) => Effect.catchTag(keysIn(account), "AdministrationRefused", () => Effect.succeed([]))
  )
  const former = [...here.filter(({ id }) => id !== key.id), ...elsewhere.flat()]
  yield* Effect.forEach(former, ({ id }) => admin.revokeKey({ id }), { discard: true })
  return { account, keyId: key.id }
})

const path = "/sign-in/oidc"
const callback = `${path}/callback`

/** Sign-in by the provider that the settings name: a way for the viewer to offer beside keys. */
export const oidcSignIn = Effect.fnUntraced(function* (
  settings: OidcSettings,
  secret: SigningSecret
): Effect.fn.Return<SignInMethod<ViewerNeeds>, never, Administration | TrustStore> {
  const admin = yield* Administration
  const trusts = yield* TrustStore
  const provider = makeProvider(settings, yield* openidClient)
  const at = { issuer: settings.issuer, accounts: [...new Set(settings.grants.map(({ account }) => account))] }

  const log = makeSampledLog()

  const refused = ({ detail, reason, status }: SignInRefused) =>
    Effect.gen(function* () {
      if (status < 500) yield* logFailure("oidc_sign_in")
      const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
      yield* log(clientOf(canonicalAddress(remoteAddress)), () =>
        Effect.logWarning(`A sign-in was refused: ${detail} (${reason})`)
      )
      return messagePage(yield* pageContext, {
        title: "Not signed in",
        text: detail,
        status,
        link: { to: "/sign-in", label: "To the sign-in" }
      })
    })

  const lead = Effect.gen(function* () {
    const site = yield* Site
    const { to } = yield* HttpServerRequest.ParsedSearchParams
    const { flow, url } = yield* provider.begin(
      site.url + callback,
      toLocalPath(typeof to === "string" ? to : undefined)
    )
    const leading = HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } })
    return yield* makeFlowCookie(site, secret).keep(leading, flow)
  })

  const keyOf = Effect.fnUntraced(function* (answer: URL, flow: Parameters<typeof provider.complete>[1]) {
    const person = yield* provider.complete(answer, flow)
    const granted = grantedTo(settings.grants, person.groups)
    if (granted === undefined) {
      return yield* new SignInRefused({
        status: 403,
        detail:
          "The provider knows you, but none of your groups has an account here. Ask its administrator to add you to a group that has one, or the operator of Slipway to add yours to SLIPWAY_OIDC_ACCOUNTS.",
        reason: `the claim ${settings.groupsClaim} has ${person.groups.length} groups`
      })
    }
    return yield* personKey(person, granted, at).pipe(
      Effect.provideService(Administration, admin),
      Effect.provideService(CurrentActor, { actor: { administrator: `sign-in by ${settings.issuer}` } }),
      Effect.catchTags({
        AdministrationRefused: ({ message }) =>
          Effect.fail(
            new SignInRefused({
              status: 403,
              detail: `The account ${granted.account} of your group does not exist. Ask the operator of Slipway to run: slipway account create ${granted.account}`,
              reason: message
            })
          ),
        Unavailable: ({ detail }) => Effect.fail(unreachable(detail))
      })
    )
  })

  const comeBack = Effect.gen(function* () {
    const site = yield* Site
    const cookie = yield* SessionCookie
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const flows = makeFlowCookie(site, secret)
    const flow = yield* flows.flow
    const callbackUrl = new URL(site.url + callback)
    callbackUrl.search = new URL(url, "http://viewer").search
    const entered = Effect.gen(function* () {
      if (flow === undefined) return yield* notUnderWay("the browser has no sign-in under way")
      if (callbackUrl.searchParams.get("state") !== flow.state) return yield* notUnderWay("the state differs")
      const isFirst = yield* useFlow(flow).pipe(
        Effect.provideService(TrustStore, trusts),
        Effect.mapError(({ detail }) => unreachable(detail))
      )
      if (!isFirst) return yield* notUnderWay("the sign-in was used already")
      const holder = yield* keyOf(callbackUrl, flow)
      return yield* cookie
        .begin(goTo(site, flow.to), holder, settings.sessionLife)
        .pipe(Effect.catchTag("Unavailable", ({ detail }) => Effect.fail(unreachable(detail))))
    })
    return flows.drop(yield* Effect.catchTag(entered, "SignInRefused", refused))
  })

  return {
    name: new URL(settings.issuer).host,
    path,
    routes: [
      HttpRouter.route("GET", path, Effect.catchTag(lead, "SignInRefused", refused)),
      HttpRouter.route("GET", callback, comeBack)
    ]
  }
})
