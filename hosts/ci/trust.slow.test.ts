/**
 * A job without a secret: the program with the variables and programs of a CI, an emulation of the CI's tokens, and a host that
 * trusts its repository.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { newKey, startHost } from "../cli/testing/deployment.ts"
import { slipwayJson, temporaryFolder } from "../cli/testing/slipway.ts"
import { it } from "../../core/testing/layer.ts"
import { organization, otherCis, startIssuer, startIssuerOf, type Otherwise } from "../node/testing/issuerEmulator.ts"
import { maestroFixtures } from "./import/testing/reading.ts"
import { runCi } from "./testing/runCi.ts"

const out = join(maestroFixtures, "out")

/** A host on which `acme/app` trusts an issuer; and a job, for which the token is asked as a test wants it. */
const trustingBy = Effect.fnUntraced(function* (start: typeof startIssuer, ...flags: ReadonlyArray<string>) {
  const data = { SLIPWAY_DATA: temporaryFolder() }
  const { key, url } = yield* Effect.promise(async () => ({
    ...(await startHost(data)),
    ...(await newKey(data))
  }))
  const issuer = yield* start
  const scopes = ["--scope", "preview_upload", "--scope", "test_runs"]
  yield* Effect.promise(() =>
    slipwayJson(["repo", "trust", "acme/app", ...flags, "--issuer", issuer.issuer, ...scopes], { env: data })
  )

  /** Where a job asks for tokens; each is what `tokenFor` makes for the audience that is asked for. */
  const github = Effect.fnUntraced(function* (tokenFor: (audience: string) => Effect.Effect<string>) {
    const server = createServer((request, response) => {
      const audience = new URL(request.url ?? "", "http://localhost").searchParams.get("audience") ?? ""
      void Effect.runPromise(tokenFor(audience)).then(
        (value) => response.end(JSON.stringify({ value })),
        () => response.writeHead(500).end()
      )
    })
    const port = yield* Effect.acquireRelease(
      Effect.promise(() => listen(server)),
      () => Effect.sync(() => server.close().closeAllConnections())
    )
    return `http://127.0.0.1:${port}/token?api-version=2`
  })

  const job = {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: "acme/app",
    GITHUB_REF: "refs/heads/main",
    GITHUB_REF_NAME: "main",
    GITHUB_SHA: "c".repeat(40),
    GITHUB_RUN_ID: "4711",
    SLIPWAY_URL: url
  }
  const run = Effect.fnUntraced(function* (
    tokenFor: (audience: string) => Effect.Effect<string>,
    args: ReadonlyArray<string> = ["import", "maestro", out]
  ) {
    const asked = yield* github(tokenFor)
    const env = { ...job, ACTIONS_ID_TOKEN_REQUEST_URL: asked, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the job" }
    return yield* Effect.promise(() => runCi(args, { env }))
  })
  const runsOf = Effect.promise(async () => {
    const asked = await fetch(`${url}/api/v1/test-runs?org=acme&repo=app`, {
      headers: { authorization: `Bearer ${key}` }
    })
    const { testRuns }: { readonly testRuns: ReadonlyArray<unknown> } = JSON.parse(await asked.text())
    return testRuns.length
  })
  return { issuer, job, run, runsOf, url }
})

const trusting = trustingBy(startIssuer, "--github")

/** A program that prints a token, in a folder of its own, and the arguments that it must be given. */
const printing = (program: string, token: string, args: string): string => {
  const folder = temporaryFolder()
  const script = `#!/bin/sh\n[ "$*" = '${args}' ] && echo '${token}'\n`
  writeFileSync(join(folder, program), script, { mode: 0o755 })
  return folder
}

describe("a job without a key", () => {
  it.live("imports and reports the runs, by the identity that GitHub gives it", function* () {
    const { issuer, run, runsOf } = yield* trusting
    const fresh = (audience: string) => issuer.token("acme/app", audience)
    const imported = yield* run(fresh)
    assert.strictEqual(imported.code, 0, imported.err)
    assert.isAbove(yield* runsOf, 0)
    const comment = yield* run(fresh, ["comment", "--format", "markdown"])
    assert.strictEqual(comment.code, 0, comment.err)
    assert.include(comment.out, "Pay")
    const beyond = yield* run(fresh, [
      "upload",
      "build",
      "--platform",
      "ios",
      join(maestroFixtures, "flat/maestro.log")
    ])
    assert.strictEqual(beyond.code, 3)
    assert.include(beyond.err, "The trust rule of acme/app doesn't allow builds.")
    assert.include(beyond.err, "slipway repo trust acme/app --github")
    assert.notInclude(beyond.err, "SLIPWAY_KEY")
  })

  for (const [ci, flags, envOf] of [
    ["gitlab", ["--gitlab"], (token: string) => ({ GITLAB_CI: "true", CI_PIPELINE_ID: "1", SLIPWAY_ID_TOKEN: token })],
    [
      "circleci",
      ["--circleci", organization],
      (token: string, url: string) => ({
        CIRCLECI: "true",
        CIRCLE_WORKFLOW_ID: "1",
        CIRCLE_OIDC_TOKEN_V2: "of the organization",
        PATH: printing("circleci", token, `run oidc get --claims {"aud":"${url}"}`)
      })
    ],
    [
      "buildkite",
      ["--buildkite", "--repository-id", "74", "--owner-id", organization],
      (token: string, url: string) => ({
        BUILDKITE: "true",
        BUILDKITE_BUILD_ID: "1",
        PATH: printing(
          "buildkite-agent",
          token,
          `oidc request-token --audience ${url} --claim organization_id --claim pipeline_id`
        )
      })
    ]
  ] as const) {
    it.live(`imports and reports the runs by the identity of ${ci}`, function* () {
      const { issuer, runsOf, url } = yield* trustingBy(startIssuerOf(otherCis[ci]), ...flags)
      const own = { CI: "true", SLIPWAY_URL: url, SLIPWAY_OWNER: "acme", SLIPWAY_REPO: "app" }
      const env = { ...own, ...envOf(yield* issuer.token("acme/app", url), url) }
      const ran = (...args: ReadonlyArray<string>) => Effect.promise(() => runCi(args, { env }))
      const imported = yield* ran("import", "maestro", out)
      assert.strictEqual(imported.code, 0, imported.err)
      assert.isAbove(yield* runsOf, 0)
      assert.strictEqual((yield* ran("comment", "--format", "markdown")).code, 0)
    })
  }

  it.live("of CircleCI without the program uses the token of the variable", function* () {
    const { issuer, url } = yield* trustingBy(startIssuerOf(otherCis.circleci), "--circleci", organization)
    const env = {
      SLIPWAY_URL: url,
      SLIPWAY_OWNER: "acme",
      SLIPWAY_REPO: "app",
      SLIPWAY_SOURCE: "circleci:1",
      PATH: temporaryFolder(),
      CIRCLE_OIDC_TOKEN_V2: yield* issuer.token("acme/app", organization)
    }
    const ran = yield* Effect.promise(() => runCi(["comment", "--format", "markdown"], { env }))
    assert.strictEqual(ran.code, 0, ran.err)
  })

  it.live(
    "is refused for another audience, repository or issuer, when it is over, or was used: the command is printed, nothing sent",
    function* () {
      const { issuer, run, runsOf } = yield* trusting
      const other = yield* startIssuer
      const past = Math.floor(Date.now() / 1000) - 3600
      const otherwise = (more: Otherwise) => (audience: string) => issuer.token("acme/app", audience, more)
      const cases: ReadonlyArray<(audience: string) => Effect.Effect<string>> = [
        () => issuer.token("acme/app", "https://github.com/acme"),
        (audience) => issuer.token("mallory/app", audience),
        (audience) => other.token("acme/app", audience),
        (audience) => other.token("acme/app", audience, { claims: { iss: issuer.issuer } }),
        otherwise({ claims: { iat: past, nbf: past, exp: past + 600 } }),
        otherwise({ isForged: true })
      ]
      for (const tokenFor of cases) {
        const { code, err, out: said } = yield* run(tokenFor)
        assert.strictEqual(code, 3, err)
        assert.include(err, "This token gets no key.")
        assert.include(err, "slipway repo trust acme/app --github")
        assert.notMatch(err + said, /eyJ/)
      }
      assert.strictEqual(yield* runsOf, 0)

      const kept = new Map<string, string>()
      const once = Effect.fnUntraced(function* (audience: string) {
        const token = kept.get(audience) ?? (yield* issuer.token("acme/app", audience))
        kept.set(audience, token)
        return token
      })
      assert.strictEqual((yield* run(once)).code, 0)
      const replayed = yield* run(once)
      assert.strictEqual(replayed.code, 3)
      assert.include(replayed.err, "This token gets no key.")
    }
  )

  it.live("of a fork is warned in one line, and passes", function* () {
    const { job, runsOf } = yield* trusting
    const env = { ...job, GITHUB_EVENT_NAME: "pull_request", GITHUB_ACTOR: "dependabot[bot]" }
    const ran = yield* Effect.promise(() => runCi(["import", "maestro", out], { env }))
    assert.deepStrictEqual({ code: ran.code, out: ran.out }, { code: 0, out: "" })
    assert.match(ran.err, /^slipway-ci: Nothing was sent: a pull request from a fork[^\n]*$/)
    assert.strictEqual(yield* runsOf, 0)
  })
})
