/** Where a failure in quarantine is shown: everywhere as such, and nowhere as passed. */
import { assert } from "@effect/vitest"
import { Effect, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import { text as textOfBody } from "node:stream/consumers"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import { layer } from "../../../core/testing/layer.ts"
import { WebhookFormat } from "../../../core/model/SlipwayEvent.ts"
import { startComments } from "../../ci/testing/commentsEmulator.ts"
import { runCi } from "../../ci/testing/runCi.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { accountWithRuns } from "../testing/previews.ts"
import { signIn, unescaped, visit } from "../testing/visit.ts"

const scopes = ["builds", "preview_upload", "test_runs", "quarantine"] as const

/** What reads as passed, on a page or in an answer. The legend of a chart explains every mark. */
const readsAsPassed =
  /class="(?:pill|mark|verdict|cell)[^"]*\bpassed\b|"Passed\b|>\s*Passed\b|\b(?!0 )\d+ passed\b|"passed":[1-9]|"status":"passed"|lastStatus":"passed"|,passed,/

/** A webhook of the settings, which nobody answers: with it, a host publishes events before it has noticed others. */
const webhook = { url: "http://127.0.0.1:1/", secret: Redacted.make(`whsec_${Buffer.alloc(32, 7).toString("base64")}`) }

/** The bodies that arrive at a URL. */
const receiver = Effect.gen(function* () {
  const bodies = yield* Queue.unbounded<string>()
  const server = createServer((request, response) => {
    void textOfBody(request).then((body) => {
      Queue.offerUnsafe(bodies, body)
      response.end("ok")
    })
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  return { bodies, url: `http://127.0.0.1:${yield* Effect.promise(() => listen(server))}` }
})

layer(TestHost.layer(inMemory, {}, { webhook }))("a quarantined test", (it) => {
  it.effect("no surface shows its failure as passed, and each shows that it is quarantined", function* () {
    const { admin, call, url } = yield* TestHost
    const { account, cookie, path, ran } = yield* accountWithRuns(scopes)
    const { key, owner, repo } = account
    const query = `org=${owner}&repo=${repo}`
    const added = yield* call("POST", `/api/v1/quarantines?${query}`, {
      key,
      body: { kind: "maestro", name: "Tide", reason: "Waits for the moon", owner: "ada" }
    })
    assert.strictEqual(added.status, 201, added.text)
    const { bodies, url: hook } = yield* receiver
    const types = ["run.registered", "test.broken", "ci_run.finished"] as const
    for (const format of [undefined, ...WebhookFormat.literals]) {
      const order = {
        url: hook,
        account: account.name,
        types: [...types],
        ...(format === undefined ? {} : { format })
      }
      const { webhook } = yield* admin.addWebhook(order)
      yield* admin.testWebhook({ id: webhook.id })
      yield* Queue.take(bodies)
    }
    const announce = (fields: object) =>
      call("POST", "/api/v1/sources/github%3A2/imports", {
        key,
        body: { owner, repo, id: "e2e", expectedRuns: 1, branch: "main", ...fields }
      })
    const first = yield* ran(1, "Tide", "failed", { failureMessage: "No tide" })
    yield* announce({})
    const last = yield* ran(2, "Tide", "failed", { failureMessage: "No tide", pr: 7 })
    yield* announce({ registeredRuns: 1 })
    const [test] = (yield* call("GET", `/api/v1/tests?${query}`, { key })).text.match(/[\da-f]{32}/) ?? []
    const source = new URLSearchParams({ owner, repo, source: "github:2" })
    const pages = {
      home: "/",
      overview: path,
      "the tests of a repository": `${path}&tab=tests&branch=main`,
      "the CI runs of a repository": `${path}&tab=runs`,
      "a CI run": `/sources?${source}`,
      "a test": `/tests/${test}`,
      "a test on all branches": `/tests/${test}?branch=`,
      "a run": `/runs/${last.id}`,
      "two runs": `/compare?left=${first.id}&right=${last.id}`,
      "a preview": new URL(last.previewUrl).pathname,
      "a search for a test": "/search?q=Tide",
      "a search for a pull request": "/search?q=%237"
    }
    for (const [name, at] of Object.entries(pages)) {
      const { status, text } = yield* visit("GET", at, { cookie })
      assert.strictEqual(status, 200, name)
      const shown = unescaped(text.replace(/^[^]*?<main>/, ""))
        .replaceAll(/<ul class="legend">[^]*?<\/ul>|<select[^]*?<\/select>/g, "")
        .replaceAll(/<span class="pill \w+">0 \w+<\/span>/g, "")
      assert.match(shown, /quarantined/i, name)
      assert.notMatch(shown, readsAsPassed, name)
    }
    const words = (text: string) => unescaped(text.replaceAll(/<[^>]*>/g, " ")).replaceAll(/\s+/g, " ")
    const overview = words((yield* visit("GET", path, { cookie })).text)
    assert.include(overview, "Nothing is broken on main , but 1 test failed in quarantine")
    assert.match(overview, /New since \w+ 0 .* Quarantined 1 The last result .* Tide Quarantined/)
    assert.match(words((yield* visit("GET", "/", { cookie })).text), /broken 0 quarantined 1 flaky this week 0/)
    const answers = {
      "test runs": `/api/v1/test-runs?${query}`,
      tests: `/api/v1/tests?${query}`,
      "tests as a table": `/api/v1/tests?${query}&format=csv`,
      "a test": `/api/v1/tests/${test}`,
      "a CI run": `/api/v1/sources/github%3A2?${query}`,
      quarantines: `/api/v1/quarantines?${query}`,
      "a badge": `/badges/${owner}%2F${repo}`,
      "a feed": `/feeds/${owner}%2F${repo}`
    }
    for (const [name, at] of Object.entries(answers)) {
      const { status, text } = yield* call("GET", at, { key })
      assert.strictEqual(status, 200, name)
      assert.match(text, /quarantine/, name)
      assert.notMatch(text, readsAsPassed, name)
    }
    const { json } = yield* call("GET", answers["a CI run"], { key })
    const { known, new: added2, quarantined, totals } = Object(json)
    assert.deepStrictEqual([known, added2, quarantined], [[], [], [test]])
    assert.deepStrictEqual([totals.failed, totals.quarantined], [0, 1])
    const agent = {
      list_tests: { owner, repo, state: "broken" },
      list_failures: { owner, repo, pr: 7 },
      read_run: { run: last.id },
      compare_with_last_pass: { run: last.id },
      read_test: { test },
      list_quarantines: { owner, repo }
    }
    for (const [name, given] of Object.entries(agent)) {
      const { status, text } = yield* call("POST", "/mcp", {
        key,
        headers: { accept: "application/json, text/event-stream" },
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }
      })
      assert.strictEqual(status, 200, name)
      const shown = text.replaceAll("\\", "")
      assert.notInclude(shown, '"isError":true', name)
      assert.match(shown, /quarantine/, name)
      assert.notMatch(shown, readsAsPassed, name)
    }
    // Two runs, one test that broke and one CI run that finished, in each format.
    const delivered = yield* Effect.replicateEffect(Queue.take(bodies), 4 * 4)
    for (const body of delivered) {
      assert.match(body, /quarantine/)
      assert.notMatch(body, readsAsPassed)
      assert.notMatch(body, /Tide:? (?:passed|is fixed|broke)|"CI run passed"/)
    }
    const github = yield* Effect.acquireRelease(Effect.promise(startComments), ({ close }) => Effect.sync(close))
    const env = {
      SLIPWAY_URL: url,
      SLIPWAY_KEY: key,
      SLIPWAY_OWNER: owner,
      SLIPWAY_REPO: repo,
      SLIPWAY_PR: "7",
      SLIPWAY_COMMIT: "a".repeat(40),
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: "acme/app",
      GITHUB_RUN_ID: "2",
      GITHUB_TOKEN: "ghs_0123456789012345678901234567",
      GITHUB_API_URL: github.url
    }
    const commands = {
      comment: ["comment", "--format", "markdown", "--format", "check", "--format", "errors", "--fail-on", "failed"],
      runs: ["runs", "--source", "github:2"],
      "runs --json": ["runs", "--json"],
      tests: ["tests", "--broken"],
      "tests --json": ["tests", "--json"],
      run: ["run", last.id],
      "run --json": ["run", last.id, "--json"],
      failed: ["failed", "--source", "github:2"],
      "quarantine list": ["quarantine", "list"]
    }
    for (const [name, args] of Object.entries(commands)) {
      const { code, err, out } = yield* Effect.promise(() => runCi(args, { env }))
      assert.strictEqual(code, 0, `${name}: ${err}`)
      assert.match(`${out}\n${err}`, name === "quarantine list" ? /moon/ : /quarantine/, name)
      assert.notMatch(`${out}\n${err}`, readsAsPassed, name)
    }
    const shownOnGitHub = JSON.stringify([github.comments, github.checks])
    assert.include(shownOnGitHub, "1 quarantined")
    assert.notMatch(shownOnGitHub, readsAsPassed)
    const tables = [`/tests/${test}?format=csv`, `${path}&tab=runs&format=csv`]
    for (const at of tables) {
      const { status, text } = yield* visit("GET", at, { cookie })
      assert.strictEqual(status, 200, at)
      assert.match(text, /quarantined/, at)
      assert.notMatch(text.split("\n").slice(1).join("\n"), /passed/, at)
    }
    for (const [ended, count] of Object.entries({
      quarantined: 2,
      failed: 0,
      flaky: 0,
      passed: 0,
      incomplete: 0
    })) {
      const { text } = yield* visit("GET", `${path}&tab=runs&ended=${ended}`, { cookie })
      assert.lengthOf(text.match(/href="\/sources\?/g) ?? [], count, ended)
    }
    yield* ran(2, "Gate", "failed", { failureMessage: "Shut" })
    const both = words((yield* visit("GET", path, { cookie })).text)
    assert.match(both, /Gate is broken on main since .* Broken on main before 1 Gate .* Quarantined 1 .* Tide/)
    assert.match(words((yield* visit("GET", "/", { cookie })).text), /broken 1 quarantined 1 flaky this week 0/)
  })

  it.effect("is quarantined and released on its page, by keys with the scope alone", function* () {
    const { admin, url } = yield* TestHost
    const { account, cookie, ran } = yield* accountWithRuns(scopes)
    const attempts = [{ status: "failed" }, { status: "passed" }]
    yield* ran(1, "Tide", "passed", { attempts })
    yield* ran(1, "Gate")
    const { call } = yield* TestHost
    const listed = yield* call("GET", `/api/v1/tests?org=${account.owner}&repo=${account.repo}`, {
      key: account.key
    })
    const idOf = (name: string): string =>
      Object(listed.json).tests.find((one: { readonly name: string }) => one.name === name).id
    const page = `/tests/${idOf("Tide")}`
    const shown = (cookie: string, at = page) =>
      Effect.map(visit("GET", at, { cookie }), ({ text }) => unescaped(text).replaceAll(/\s+/g, " "))
    assert.include(yield* shown(cookie), "This test is flaky. In quarantine,")
    assert.notInclude(yield* shown(cookie, `/tests/${idOf("Gate")}`), "This test is flaky")
    const { key } = yield* admin.createKey({ account: account.name, name: "reader", scopes: ["test_runs"] })
    const reader = yield* signIn(key)
    assert.notInclude(yield* shown(reader), "Quarantine</h2>")

    const headers = { origin: url }
    const form = { reason: "Waits for the moon", owner: "ada", days: "3" }
    const refused = yield* visit("POST", `${page}/quarantine`, { cookie: reader, form, headers })
    assert.strictEqual(refused.status, 403)
    for (const wrong of [
      { ...form, days: "91" },
      { ...form, reason: "" }
    ]) {
      const { status, text } = yield* visit("POST", `${page}/quarantine`, { cookie, form: wrong, headers })
      assert.strictEqual(status, 400)
      assert.include(text, "1 to 90 days")
    }
    const done = yield* visit("POST", `${page}/quarantine`, { cookie, form, headers })
    assert.deepStrictEqual([done.status, done.headers.get("location")], [303, page])
    for (const fact of ["Waits for the moon", "ada", "Until"]) assert.include(yield* shown(reader), fact)

    for (let n = 2; n <= 11; n += 1) yield* ran(n, "Tide", "passed", { startedAt: new Date(3e9).toISOString() })
    yield* TestClock.adjust("1 minute")
    for (let n = 12; n <= 21; n += 1) yield* ran(n, "Tide", "passed", { startedAt: "2030-01-01T00:00:00.000Z" })
    assert.include(yield* shown(reader), "It passed 10 times in a row on the default branch since.")
    yield* TestClock.adjust("4 days")
    assert.include(yield* shown(reader), "The quarantine ended")
    yield* visit("POST", `${page}/quarantine`, { cookie, form: { ...form, reason: "Again" }, headers })
    yield* visit("POST", `${page}/quarantine/remove`, { cookie, form: {}, headers })
    assert.notInclude(yield* shown(reader), "Again")
    const owner = yield* admin.createKey({ account: account.name, name: "owner", scopes: ["account_admin"] })
    const log = (yield* visit("GET", "/audit", { cookie: yield* signIn(owner.key) })).text
    for (const entry of ["Test quarantined", "Tide: Waits for the moon", "Quarantine ended"]) {
      assert.include(log, entry)
    }
  })
})
