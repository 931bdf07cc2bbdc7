import { Clock, Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { createServer } from "node:http"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"

/** What a test may want otherwise of a token. `undefined` leaves a claim out. */
export interface Otherwise {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly isForged?: boolean
  readonly kid?: string
}

/** The path of a CI's issuer, and the claims of its tokens for a run of a repository's branch `main`. */
interface CiTokens {
  readonly path: string
  readonly claims: (repository: string) => Readonly<Record<string, unknown>>
}

/** The id of the organization in tokens of CircleCI and Buildkite. */
export const organization = "0190b2c4-1111-7000-8000-000000000065"

const github: CiTokens = {
  path: "/_services/token",
  claims: (repository) => ({
    sub: `repo:${repository}:ref:refs/heads/main`,
    repository,
    repository_id: "74",
    repository_owner_id: "65",
    ref: "refs/heads/main",
    event_name: "push"
  })
}

/** The CI systems other than GitHub. */
export const otherCis = {
  gitlab: {
    path: "",
    claims: (repository) => ({
      sub: `project_path:${repository}:ref_type:branch:ref:main`,
      project_id: "74",
      project_path: repository,
      namespace_id: "65",
      ref: "main",
      ref_type: "branch",
      pipeline_source: "push",
      ci_config_ref_uri: `gitlab.com/${repository}//.gitlab-ci.yml@refs/heads/main`
    })
  },
  circleci: {
    path: `/org/${organization}`,
    claims: (repository) => ({
      sub: `org/${organization}/project/74/user/9/vcs-origin/github.com/${repository}/vcs-ref/refs/heads/main`,
      jti: undefined,
      "oidc.circleci.com/project-id": "74",
      "oidc.circleci.com/vcs-origin": `github.com/${repository}`,
      "oidc.circleci.com/vcs-ref": "refs/heads/main"
    })
  },
  buildkite: {
    path: "",
    claims: () => ({
      sub: "organization:acme:pipeline:app:ref:refs/heads/main:commit:0:step:test",
      jti: undefined,
      organization_slug: "acme",
      organization_id: organization,
      pipeline_slug: "app",
      pipeline_id: "74",
      build_branch: "main",
      build_tag: null
    })
  }
} as const satisfies Readonly<Record<string, CiTokens>>

/** An issuer of identity tokens over real HTTP, as a CI has one: it describes itself and publishes its keys. */
export const startIssuerOf = Effect.fnUntraced(function* ({ claims: ciClaims, path }: CiTokens) {
  const [own, stranger] = yield* Effect.promise(() =>
    Promise.all([generateKeyPair("RS256", { extractable: true }), generateKeyPair("RS256")])
  )
  const jwk = { ...(yield* Effect.promise(() => exportJWK(own.publicKey))), kid: "own", alg: "RS256", use: "sig" }
  let issuer = ""
  const asked: Array<string> = []
  /** What is published, and whether the issuer answers at all; a test changes it. */
  const publishes: {
    keys: ReadonlyArray<object>
    isDown: boolean
    padding?: string | undefined
    /** The name by which it describes itself, in the place of its own. */
    issuer?: string | undefined
    /** Where it names its keys, in the place of its own URL. */
    jwksUri?: string | undefined
    /** Whether it redirects each request, to a URL that answers. */
    isMoved?: boolean | undefined
  } = { keys: [jwk], isDown: false }
  const server = createServer((request, response) => {
    const known: Record<string, unknown> = {
      [`${path}/.well-known/openid-configuration`]: {
        issuer: publishes.issuer ?? issuer,
        jwks_uri: publishes.jwksUri ?? `${issuer}/.well-known/jwks`
      },
      [`${path}/.well-known/jwks`]: { keys: publishes.keys, padding: publishes.padding }
    }
    const { url = "" } = request
    asked.push(url)
    if (publishes.isDown) return void response.writeHead(500).end()
    if (publishes.isMoved === true && !url.endsWith("?moved")) {
      return void response.writeHead(302, { location: `${url}?moved` }).end()
    }
    const answer = known[url.replace("?moved", "")]
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? {}))
  })
  const port = yield* Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  issuer = `http://127.0.0.1:${port}${path}`
  let made = 0

  /** A token of ten minutes for a run of a repository's CI. */
  const token = Effect.fnUntraced(function* (
    repository: string,
    audience: string,
    { claims = {}, isForged = false, kid = "own" }: Otherwise = {}
  ) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    made += 1
    const all = {
      iss: issuer,
      aud: audience,
      jti: `token-${made}`,
      iat: now,
      nbf: now - 300,
      exp: now + 600,
      ...ciClaims(repository),
      ...claims
    }
    const jwt = new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader({ alg: "RS256", kid })
    return yield* Effect.promise(() => jwt.sign(isForged ? stranger.privateKey : own.privateKey))
  })

  return { asked, issuer, jwk, publishes, token }
})

/** The issuer of GitHub Actions. */
export const startIssuer = startIssuerOf(github)
