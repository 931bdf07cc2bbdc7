import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Provider } from "oidc-provider"

import type { OidcSettings } from "../../settings/oidcSettings.ts"

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
        yield* Effect.acquireRelease(
          Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
          () => Effect.sync(() => server.close().closeAllConnections())
        )
        const address = server.address()
        const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
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
