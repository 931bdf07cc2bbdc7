import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Provider } from "oidc-provider"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import type { OidcSettings } from "../settings/oidcSettings.ts"

type Claims = Record<string, unknown>

/** A real OpenID Connect provider from npm, and what a test may do to it. */
export class TestProvider extends Context.Service<
  TestProvider,
  {
    readonly issuer: string
    /** Who has an account at the provider, and in which groups. */
    readonly people: Map<string, ReadonlyArray<string>>
    /** Accepts a host at this URL as its client. */
    readonly accept: (hostUrl: string) => void
    /**
     * What it does wrong: other claims in the ID token that it signs, a signature by another key, or a secret of the client
     * that it doesn't accept, or the last answer again for a code that was used.
     */
    readonly wrong: {
      claims?: ((claims: Claims) => Claims) | undefined
      isForged?: boolean | undefined
      refusesSecret?: boolean | undefined
      repeats?: boolean | undefined
    }
  }
>()("slipway/hosts/node/oidc/testing/TestProvider") {
  /** Where the provider tells what its scope `email` stands for here: the address and the groups. */
  static readonly layer = ({ groupsIn }: { readonly groupsIn: "the ID token" | "userinfo" }) =>
    Layer.effect(
      TestProvider,
      Effect.gen(function* () {
        let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()
        const server = createServer((request, response) => handle(request, response))
        const port = yield* Effect.acquireRelease(
          Effect.promise(() => listen(server)),
          () => Effect.sync(() => server.close().closeAllConnections())
        )
        const issuer = `http://127.0.0.1:${port}`
        const [own, stranger] = yield* Effect.promise(() =>
          Promise.all([generateKeyPair("RS256", { extractable: true }), generateKeyPair("RS256")])
        )
        const jwk = {
          ...(yield* Effect.promise(() => exportJWK(own.privateKey))),
          kid: "own",
          alg: "RS256",
          use: "sig"
        }
        const people = new Map<string, ReadonlyArray<string>>()
        const wrong: TestProvider["Service"]["wrong"] = {}

        /** The answer of the token endpoint, with another ID token where the test asks for it. */
        const spoil = async (body: string): Promise<string> => {
          const tokens = JSON.parse(body)
          if (typeof tokens.id_token !== "string") return body
          const claims = JSON.parse(Buffer.from(tokens.id_token.split(".")[1], "base64url").toString())
          const { privateKey } = wrong.isForged === true ? stranger : own
          const signed = new SignJWT(wrong.claims?.(claims) ?? claims).setProtectedHeader({ alg: "RS256", kid: "own" })
          return JSON.stringify({ ...tokens, id_token: await signed.sign(privateKey) })
        }

        let last = ""
        const accept = (hostUrl: string) => {
          const provider = new Provider(issuer, {
            clients: [
              {
                client_id: "slipway",
                client_secret: "client secret",
                redirect_uris: [`${hostUrl}/sign-in/oidc/callback`]
              }
            ],
            jwks: { keys: [jwk] },
            cookies: { keys: ["test"] },
            claims: { openid: ["sub"], email: ["email", "groups"] },
            conformIdTokenClaims: groupsIn === "userinfo",
            pkce: { required: () => true },
            ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
            findAccount: (_, id) => {
              const groups = people.get(id)
              return groups && { accountId: id, claims: () => ({ sub: id, email: `${id}@example.com`, groups }) }
            }
          })
          const answer = provider.callback()
          handle = (request, response) => {
            if (request.url === "/token") {
              if (wrong.repeats === true) {
                return void response.setHeader("content-type", "application/json").end(last)
              }
              if (wrong.refusesSecret === true) request.headers.authorization = `Basic ${btoa("slipway:another")}`
              const end = response.end.bind(response)
              response.end = (chunk?: unknown) => {
                void spoil(String(chunk)).then((body) => {
                  last = body
                  response.setHeader("content-length", Buffer.byteLength(body))
                  end(body)
                })
                return response
              }
            }
            void answer(request, response)
          }
        }
        return TestProvider.of({ issuer, people, accept, wrong })
      })
    )
}

/** Settings of a host that signs people in there. */
export const settingsFor = (issuer: string): OidcSettings => ({
  issuer,
  clientId: "slipway",
  clientSecret: Redacted.make("client secret"),
  groupsClaim: "groups",
  scope: "openid email",
  sessionLife: Duration.hours(8),
  grants: [
    { group: "qa", account: "acme", scopes: ["test_runs"] },
    { group: "mobile", account: "acme", scopes: ["builds", "preview_upload"] },
    { group: "web", account: "other", scopes: ["builds"] },
    { group: "ghosts", account: "nowhere", scopes: ["builds"] }
  ]
})

/** A browser without a window: cookies of each host, redirects one by one. */
export const newBrowser = () => {
  const jars = new Map<string, Map<string, string>>()

  const ask = async (url: string, form?: Record<string, string>) => {
    const { host } = new URL(url)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get("location")
    const text = await response.text()
    return { status: response.status, text, location: location === null ? undefined : new URL(location, url).href }
  }

  /** The cookies of a URL's host, by name. */
  const cookies = (url: string) => jars.get(new URL(url).host) ?? new Map<string, string>()

  return { ask, cookies }
}

export type Browser = ReturnType<typeof newBrowser>

/**
 * Begins a sign-in at a host and goes through the provider's pages as this person, who agrees to everything. Answers the
 * URL by which the provider sends the browser back.
 */
export const throughProvider = async ({ ask }: Browser, hostUrl: string, person: string, to = "/"): Promise<string> => {
  let { location: url = "" } = await ask(`${hostUrl}/sign-in/oidc?${new URLSearchParams({ to })}`)
  while (!url.startsWith(hostUrl)) {
    const { location, text } = await ask(url)
    if (location !== undefined) {
      url = location
      continue
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
    if (prompt === undefined) throw new Error(`the provider asks something else at ${url}: ${text}`)
    const sent = await ask(url, { prompt, login: person, password: "any" })
    url = sent.location ?? ""
  }
  return url
}
