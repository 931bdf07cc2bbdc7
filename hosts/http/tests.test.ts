/** The histories of tests, which the interface doesn't have, over real HTTP. The numbers are those of `core/rules/testHistory.ts`. */
import { assert } from "@effect/vitest"
import { Duration, Effect, Layer, Schema, Struct } from "effect"
import { TestClock } from "effect/testing"
import { SourceRecord, TestHistoryRecord, TestList } from "../../core/api/tests.ts"
import { TestRunList } from "../../core/api/testRuns.ts"
import type { SweepPosition } from "../../core/model/Sweep.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { readyPreview, register, registered, runBody, uploader } from "./testing/previews.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { commit, type Account } from "./testing/uploads.ts"
import { QuarantineList, QuarantineRecord } from "../../core/api/quarantines.ts"

const asList = Schema.decodeUnknownEffect(Schema.toEncoded(TestList))
const asHistory = Schema.decodeUnknownEffect(Schema.toEncoded(TestHistoryRecord))
const asSource = Schema.decodeUnknownEffect(SourceRecord)

const get = Effect.fnUntraced(function* (path: string, account: Account, query: Record<string, string> = {}) {
  const named = { org: account.owner, repo: account.repo, ...query }
  const host = yield* TestHost
  return yield* host.call("GET", `/api/v1${path}?${new URLSearchParams(named)}`, { key: account.key })
})

const listed = Effect.fnUntraced(function* (account: Account, query?: Record<string, string>) {
  const answer = yield* get("/tests", account, query)
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* asList(answer.json)
})

const namesOf = Effect.fnUntraced(function* (account: Account, query?: Record<string, string>) {
  return (yield* listed(account, query)).tests.map(({ name }) => name)
})

const source = Effect.fnUntraced(function* (account: Account, name: string, query?: Record<string, string>) {
  const answer = yield* get(`/sources/${encodeURIComponent(name)}`, account, query)
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* asSource(answer.json)
})

const at = (hour: number) => `1970-01-01T${String(hour).padStart(2, "0")}:00:00.000Z`
const failed = { status: "failed", failureMessage: "Not found: #pay\nat pay.ts:1" }

/** A store of histories in which each repository has 9,998 tests more. */
const layerAlmostFull = Layer.effect(
  TestHistoryStore,
  Effect.map(TestHistoryStore, (store) =>
    TestHistoryStore.of({
      ...store,
      room: (repository, limit) =>
        Effect.map(store.room(repository, limit - 9998), (room) => ({ ...room, tests: room.tests + 9998 }))
    })
  )
)

/** An account, and how to register a run for it: the CI run `github:<run>` began at that hour. */
const prepared = Effect.gen(function* () {
  // No run started after it was registered.
  yield* TestClock.adjust("1 day")
  const account = yield* uploader
  const { shareId } = yield* readyPreview(account)
  const run = (name: string, hour: number, fields: Record<string, unknown> = {}) =>
    registered(account, shareId, {
      name,
      branch: "main",
      commitSha: commit(hour),
      source: `github:${hour}/1`,
      startedAt: at(hour),
      durationMs: hour * 100,
      ...fields
    })
  return { account, run, shareId }
})

layer(TestHost.layer(inMemory))("the histories of tests", (it) => {
  it.effect("a list has the numbers of each test, those that ran last first, and a test its results", function* () {
    const { account, run } = yield* prepared
    const device = { name: "iPhone 16", platform: "ios" }
    const pay = { file: "pay.yaml", device }
    const passed = yield* run("Pay", 1, pay)
    const first = yield* run("Pay", 2, { ...pay, ...failed })
    const last = yield* run("Pay", 3, { ...pay, ...failed, branch: "feature" })
    const again = { attempts: [{ status: "failed" }, { status: "passed" }] }
    const scroll = yield* run("Scroll", 2, { kind: "detox", ...again })

    const { tests } = yield* listed(account)
    const [one, two] = tests
    assert.deepStrictEqual(tests, [
      {
        id: one?.id ?? "",
        kind: "maestro",
        name: "Pay",
        file: "pay.yaml",
        device: "ios",
        lastStatus: "failed",
        flaky: false,
        runs: 3,
        failed: 2,
        flakyRuns: 0,
        p50Ms: 200,
        p95Ms: 300,
        lastRunAt: at(3),
        failingSince: { runId: first.id, commitSha: commit(2), at: at(2) },
        lastPassed: { runId: passed.id, commitSha: commit(1), at: at(1) },
        lastMessage: "Not found: #pay"
      },
      {
        id: two?.id ?? "",
        kind: "detox",
        name: "Scroll",
        lastStatus: "passed",
        flaky: true,
        runs: 1,
        failed: 0,
        flakyRuns: 1,
        p50Ms: 200,
        p95Ms: 200,
        lastRunAt: at(2),
        lastPassed: { runId: scroll.id, commitSha: commit(2), at: at(2) }
      }
    ])

    const path = `/tests/${one?.id}`
    const { results, ...test } = yield* asHistory((yield* get(path, account)).json)
    assert.deepStrictEqual(test, one)
    const resultOf = (runId: string, hour: number, status: "passed" | "failed") => ({
      runId,
      status,
      flaky: false,
      at: at(hour),
      durationMs: hour * 100,
      branch: "main",
      commitSha: commit(hour),
      source: `github:${hour}/1`,
      ...(status === "failed" ? { message: "Not found: #pay" } : {})
    })
    assert.deepStrictEqual(results, [
      { ...resultOf(last.id, 3, "failed"), branch: "feature" },
      resultOf(first.id, 2, "failed"),
      resultOf(passed.id, 1, "passed")
    ])
    const onMain = yield* asHistory((yield* get(path, account, { branch: "main" })).json)
    assert.deepStrictEqual(onMain.results, results.slice(1))
  })

  it.effect("branch, status and flaky filter, and cursors lead through all of them", function* () {
    const { account, run } = yield* prepared
    yield* run("A", 1)
    yield* run("B", 2, failed)
    yield* run("C", 3, { attempts: [{ status: "failed" }, { status: "passed" }], branch: "feature" })
    assert.deepStrictEqual(yield* namesOf(account), ["C", "B", "A"])
    assert.deepStrictEqual(yield* namesOf(account, { branch: "main" }), ["B", "A"])
    assert.deepStrictEqual(yield* namesOf(account, { status: "failed" }), ["B"])
    assert.deepStrictEqual(yield* namesOf(account, { flaky: "true" }), ["C"])
    const first = yield* listed(account, { limit: "2" })
    const rest = yield* listed(account, { limit: "2", cursor: first.cursor ?? "" })
    assert.deepStrictEqual(
      [...first.tests, ...rest.tests].map(({ name }) => name),
      ["C", "B", "A"]
    )
    assert.isUndefined(rest.cursor)
  })

  it.effect("apps have tests, runs and failures of their own", function* () {
    const { account, run } = yield* prepared
    const pull = { source: "github:9/1", branch: "feature" }
    yield* run("Login", 1, { ...failed, app: "rider" })
    yield* run("Login", 2, { app: "driver" })
    const rider = yield* run("Login", 3, { ...failed, ...pull, app: "rider" })
    yield* run("Login", 3, { ...failed, ...pull, app: "driver" })
    yield* run("Login", 4, { ...pull, source: "github:9/2" })

    const idOf = Effect.fnUntraced(function* (app: string) {
      const { tests } = yield* listed(account, { app })
      assert.deepStrictEqual(
        tests.map((test) => [test.name, test.app]),
        [["Login", app]]
      )
      return tests[0]?.id
    })
    const [ofRider, ofDriver] = [yield* idOf("rider"), yield* idOf("driver")]
    assert.lengthOf((yield* listed(account)).tests, 3)
    assert.deepStrictEqual(yield* namesOf(account, { app: "Rider" }), [])
    const runs = yield* get("/test-runs", account, { app: "rider", branch: "feature" })
    const { testRuns } = yield* Schema.decodeUnknownEffect(TestRunList)(runs.json)
    assert.deepStrictEqual(
      testRuns.map(({ app, id }) => [app, id]),
      [["rider", rider.id]]
    )

    const all = yield* source(account, "github:9/1")
    assert.deepStrictEqual([all.new, all.known, all.app], [[ofDriver ?? ""], [ofRider ?? ""], undefined])
    assert.deepInclude(all.totals, { passed: 1, failed: 2, flaky: 0, quarantined: 0, runs: 3 })
    const one = yield* source(account, "github:9/1", { app: "driver" })
    assert.deepStrictEqual([one.new, one.known, one.app, one.complete], [[ofDriver ?? ""], [], "driver", true])
    assert.deepStrictEqual(one.totals, { passed: 0, failed: 1, flaky: 0, quarantined: 0, runs: 1, durationMs: 300 })
    const none = yield* source(account, "github:9/1", { app: "none" })
    assert.deepStrictEqual(none.totals, { passed: 0, failed: 0, flaky: 0, quarantined: 0, runs: 0, durationMs: 0 })
  })

  it.effect("a list is a table with format=csv, in which no name is a formula", function* () {
    const { account, run } = yield* prepared
    yield* run("=HYPERLINK(1)", 1, failed)
    yield* run('@a,"b"', 2)
    const answer = yield* get("/tests", account, { format: "csv", limit: "1" })
    assert.strictEqual(answer.headers.get("content-type"), "text/csv; charset=utf-8")
    const [header, row] = answer.text.split("\r\n")
    assert.match(header ?? "", /^id,kind,name,file,device,app,lastStatus,flaky,runs,failed,/)
    assert.match(row ?? "", /^[0-9a-f]{32},maestro,"'@a,""b""",,,,passed,false,1,0,/)
    const [, link = ""] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "") ?? []
    const host = yield* TestHost
    const next = yield* host.call("GET", `/api/v1/tests${link}`, { key: account.key })
    assert.match(next.text, /,maestro,'=HYPERLINK\(1\),,,,failed,/)
    assert.isNull(next.headers.get("link"))
  })

  it.effect(
    "a CI run tells which failures are new, which the base branch has, and which tests are flaky",
    function* () {
      const { account, run } = yield* prepared
      yield* run("Old", 1, failed)
      yield* run("New", 1)
      yield* run("New", 2, { branch: "other", ...failed })
      const ci = { branch: "feature", source: "jenkins:folder/job#7", commitSha: commit(9) }
      yield* run("Old", 3, { ...ci, ...failed })
      yield* run("New", 3, { ...ci, ...failed })
      yield* run("Fine", 3, ci)
      yield* run("Shaky", 3, { ...ci, attempts: [{ status: "failed" }, { status: "passed" }] })
      const { tests } = yield* listed(account)
      const idOf = (wanted: string) => tests.find(({ name }) => name === wanted)?.id ?? ""
      const summary = {
        source: "jenkins:folder/job#7",
        branch: "feature",
        commitSha: commit(9),
        totals: { passed: 1, failed: 2, flaky: 1, quarantined: 0, runs: 4, durationMs: 1200 },
        base: "main",
        new: [idOf("New")],
        flakyOnBase: [],
        known: [idOf("Old")],
        quarantined: [],
        flaky: [idOf("Shaky")],
        complete: true
      }
      assert.deepStrictEqual(yield* source(account, ci.source), summary)
      const other = { ...summary, base: "other", new: [idOf("Old")], known: [idOf("New")] }
      assert.deepStrictEqual(yield* source(account, ci.source, { base: "other" }), other)

      for (let n = 10; n <= 20; n += 1) yield* run("New", n, n % 3 === 0 ? failed : {})
      const later = yield* source(account, ci.source)
      assert.deepStrictEqual(later.flakyOnBase, [{ id: idOf("New"), unstable: 3, of: 12 }])
      assert.include(later.new, idOf("New"))

      const long = `jenkins:${"folder/".repeat(100)}app#1`
      yield* run("Old", 4, { source: long, ...failed })
      assert.deepStrictEqual((yield* source(account, long)).known, [idOf("Old")])
    }
  )

  it.effect("a CI run is not complete if its runs have more than 32 MiB, of which the newest are read", function* () {
    const { account, run } = yield* prepared
    const report = { status: "failed", failureMessage: "\u{8349}".repeat(16 * 1024) }
    const attempts = Array.from({ length: 20 }, () => report)
    for (let at = 0; at < 40; at += 1) yield* run(`Test ${at}`, 1, { ...failed, attempts })
    const { complete, new: added, totals } = yield* source(account, "github:1/1")
    assert.deepStrictEqual([totals.failed, complete], [40, false])
    assert.isBelow(added.length, 40)
    assert.isAbove(added.length, 30)
  })

  it.effect(
    "a CI run is compared with the default branch that its repository is set to, until it is unset",
    function* () {
      const { account, run } = yield* prepared
      const { admin } = yield* TestHost
      const link = { account: account.name, owner: account.owner, repo: account.repo }
      yield* run("Pay", 1)
      yield* run("Pay", 2, { branch: "trunk", ...failed })
      yield* run("Pay", 3, { branch: "feature", ...failed })
      const compared = Effect.map(source(account, "github:3/1"), ({ base, known }) => [base, known.length])
      assert.deepStrictEqual(yield* compared, ["main", 0])
      assert.strictEqual((yield* admin.linkRepository({ ...link, defaultBranch: "trunk" })).defaultBranch, "trunk")
      assert.deepStrictEqual(yield* compared, ["trunk", 1])
      assert.notProperty(yield* admin.configureRepository({ ...link, defaultBranch: null }), "defaultBranch")
      assert.deepStrictEqual(yield* compared, ["main", 0])
      yield* Effect.flip(admin.configureRepository({ ...link, repo: "other" }))
    }
  )

  it.effect(
    "a CI run is incomplete from the announcement of an import until all its runs are registered",
    function* () {
      const { account, run } = yield* prepared
      const announce = Effect.fnUntraced(function* (body: Record<string, unknown>, name = "github:7/1") {
        const { call } = yield* TestHost
        return yield* call("POST", `/api/v1/sources/${encodeURIComponent(name)}/imports`, {
          key: account.key,
          body: { owner: account.owner, repo: account.repo, id: "e2e", ...body }
        })
      })
      const read = Effect.map(source(account, "github:7"), ({ complete, imports, totals }) => [
        complete,
        imports?.state,
        imports?.missing.map((one) => Struct.omit(one, ["openedAt"])),
        totals.runs
      ])
      const e2e = { job: "e2e", expectedRuns: 2 }
      const missing = { id: "e2e", attempt: "1", ...e2e }
      const opened = yield* announce({ ...e2e, branch: "feature", commitSha: commit(7).toUpperCase(), pr: 3 })
      assert.strictEqual(opened.status, 200, opened.text)
      assert.deepStrictEqual(yield* read, [false, "incomplete", [{ ...missing, state: "open" }], 0])
      const listedRuns = yield* source(account, "github:7/1")
      assert.deepInclude(listedRuns, { branch: "feature", commitSha: commit(7) })

      yield* run("Pay", 7, { source: "github:7/1" })
      yield* announce({ ...e2e, registeredRuns: 1 })
      assert.deepStrictEqual(yield* read, [false, "incomplete", [{ ...missing, registeredRuns: 1, state: "short" }], 1])
      yield* run("Map", 7, { source: "github:7/1" })
      const closed = yield* announce({ ...e2e, registeredRuns: 2 })
      assert.deepInclude(closed.json, { state: "complete", completedImports: 1, missing: [] })
      assert.deepStrictEqual(yield* read, [true, "complete", [], 2])

      const second = { id: "detox", job: "unit", expectedRuns: 0, expectedImports: 3 }
      yield* announce({ ...second, registeredRuns: 0 })
      assert.deepStrictEqual(yield* read, [false, "incomplete", [], 2])
      yield* announce({ ...second, id: "third" })
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual((yield* read)[1], "incomplete")
      yield* TestClock.adjust("1 hour")
      const interrupted = yield* read
      assert.deepStrictEqual(interrupted.slice(0, 2), [false, "interrupted"])
      yield* announce({ ...second, id: "third", registeredRuns: 0 }, "github:7/2")
      assert.deepStrictEqual((yield* read).slice(0, 2), [true, "complete"])

      yield* run("Pay", 8)
      assert.notProperty(yield* source(account, "github:8"), "imports")
    }
  )

  it.effect(
    "an announcement that doesn't fit is refused by name, and one of another account is not found",
    function* () {
      const [account, stranger] = [yield* uploader, yield* uploader]
      const { call } = yield* TestHost
      const announce = (body: Record<string, unknown>, { key }: Account = account) =>
        call("POST", "/api/v1/sources/x/imports", { key, body })
      const named = { owner: account.owner, repo: account.repo }
      const wrong = {
        id: "",
        job: 1,
        app: "x".repeat(101),
        expectedRuns: -1,
        registeredRuns: 0.5,
        expectedImports: "2"
      }
      assert.sameMembers([...(yield* issuePaths(yield* announce({ ...named, ...wrong })))], Object.keys(wrong))
      yield* refusal(yield* announce({ ...named, id: "a", expectedRuns: 1 }, stranger), 404, "not_found")
      const builder = yield* newAccount(["builds"])
      yield* refusal(yield* announce({ ...named, id: "a", expectedRuns: 1 }, builder), 403, "insufficient_scope")
      const send = (id: string) => announce({ ...named, id, expectedRuns: 1 })
      yield* Effect.forEach(
        Array.from({ length: 300 }, (_, at) => at),
        (at) => send(`import ${at}`),
        { concurrency: 20 }
      )
      assert.deepStrictEqual(yield* issuePaths(yield* send("one more")), ["id"])
      assert.strictEqual((yield* send("import 0")).status, 200)
      assert.lengthOf((yield* source(account, "x")).imports?.missing ?? [], 300)
    }
  )

  it.effect("a CI run whose runs expired keeps its totals, and is not complete", function* () {
    const { account, run } = yield* prepared
    const { admin } = yield* TestHost
    yield* run("Pay", 1, failed)
    yield* admin.retain({ account: account.name, rules: { runs: Duration.days(1) }, forget: [] })
    yield* TestClock.adjust("3 days")
    yield* run("Fine", 1)
    let from: SweepPosition | undefined
    do {
      from = (yield* admin.sweepStep({ dryRun: false, ...(from === undefined ? {} : { from }) })).next
    } while (from !== undefined)
    const { complete, known, new: added, totals } = yield* source(account, "github:1/1")
    assert.deepStrictEqual([totals.failed, totals.runs, added, known, complete], [1, 2, [], [], false])
  })

  it.effect("what doesn't fit is refused by name, and nothing of another account is found", function* () {
    const { account, run } = yield* prepared
    yield* run("Pay", 1, failed)
    const [test] = (yield* listed(account)).tests
    const { tests } = yield* listed(account, { status: "passed" })
    assert.deepStrictEqual(tests, [])
    const wrong = { org: "", repo: "a/b", status: "red", flaky: "false", limit: "x", format: "xml", branch: "" }
    assert.sameMembers([...(yield* issuePaths(yield* get("/tests", account, wrong)))], Object.keys(wrong))
    assert.deepStrictEqual(yield* issuePaths(yield* get("/tests", account, { cursor: "x" })), ["cursor"])

    const stranger = yield* uploader
    const elsewhere = { org: account.owner, repo: account.repo }
    const paths = ["/tests", "/sources/github%3A1%2F1"] as const
    for (const path of paths) yield* refusal(yield* get(path, stranger, elsewhere), 404, "not_found")
    yield* refusal(yield* get(`/tests/${test?.id}`, stranger), 404, "not_found")
    yield* refusal(yield* get("/sources/github%3A2", account), 404, "not_found")
    const builder = yield* newAccount(["builds"])
    for (const path of [...paths, `/tests/${test?.id}`]) {
      yield* refusal(yield* get(path, builder), 403, "insufficient_scope")
    }
  })
})

const almostFull = { ...inMemory, ports: Layer.provideMerge(layerAlmostFull, inMemory.ports) }
layer(TestHost.layer(almostFull))("a repository with 9,998 tests", (it) => {
  it.effect(
    "has room for two more; then a test with a single result goes, the oldest first, or the run is refused",
    function* () {
      const { account, run, shareId } = yield* prepared
      const names = Effect.map(namesOf(account), (found) => found.toSorted())
      for (const [name, hour] of [
        ["Pay", 1],
        ["Pay", 2],
        ["Login 11:03", 3],
        ["Login 11:04", 4]
      ] as const) {
        yield* run(name, hour)
      }
      assert.deepStrictEqual(yield* names, ["Login 11:04", "Pay"])
      yield* run("Login 11:04", 5)
      const answer = yield* register(account, runBody(account, shareId, { name: "Login 11:05" }))
      const problem = yield* refusal(answer, 403, "quota_exceeded")
      assert.include(problem, { quota: "testsPerRepository", used: 10_000, limit: 10_000 })
      assert.include(problem.detail, "Give each test the same name in every run.")
      assert.deepStrictEqual(yield* names, ["Login 11:04", "Pay"])
      yield* run("Pay", 6)
    }
  )
})

// Quarantines over real HTTP: who may change them, what is refused, and what a list has.

const asQuarantines = Schema.decodeUnknownEffect(Schema.toEncoded(QuarantineList))
const asRecord = Schema.decodeUnknownEffect(Schema.toEncoded(QuarantineRecord))

const tide = { kind: "maestro", name: "Tide", reason: "Waits for the moon" }
const pathOf = ({ owner, repo }: Account, more: Record<string, string> = {}) =>
  `/api/v1/quarantines?${new URLSearchParams({ org: owner, repo, ...more })}`

const post = Effect.fnUntraced(function* (account: Account, body: unknown, key = account.key) {
  return yield* (yield* TestHost).call("POST", pathOf(account), { key, body })
})

const add = Effect.fnUntraced(function* (account: Account, body: unknown) {
  const answer = yield* post(account, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return yield* asRecord(answer.json)
})

const list = Effect.fnUntraced(function* (account: Account, more: Record<string, string> = {}) {
  const answer = yield* (yield* TestHost).call("GET", pathOf(account, more), { key: account.key })
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* asQuarantines(answer.json)
})

const owner = newAccount(["test_runs", "quarantine"])

layer(TestHost.layer(inMemory))("quarantines", (it) => {
  it.effect("hold for 14 days unless the request says until when, and replace one of the same test", function* () {
    const account = yield* owner
    const added = yield* add(account, tide)
    const { createdAt, expiresAt, id, ...rest } = added
    assert.match(id, /^[\da-f]{32}$/)
    assert.strictEqual(Date.parse(expiresAt) - Date.parse(createdAt), Duration.toMillis("14 days"))
    assert.deepStrictEqual(rest, { ...tide, expired: false, passesInARow: 0 } as typeof rest)
    yield* TestClock.adjust("1 second")
    const again = yield* add(account, { ...tide, owner: "ada", days: 90 })
    assert.deepStrictEqual([again.id, again.owner], [id, "ada"])
    const elsewhere = yield* add(account, { ...tide, platform: "ios", file: "tide.yaml", app: "shop" })
    assert.notStrictEqual(elsewhere.id, id)
    const { quarantines } = yield* list(account)
    assert.sameMembers(
      quarantines.map((one) => one.id),
      [id, elsewhere.id]
    )
    yield* TestClock.adjust("91 days")
    assert.deepStrictEqual(
      (yield* list(account)).quarantines.map(({ expired }) => expired),
      [true, true]
    )
  })

  it.effect("are listed in pages, the newest first", function* () {
    const account = yield* owner
    for (const name of ["a", "b", "c"]) {
      yield* add(account, { ...tide, name })
      yield* TestClock.adjust("1 second")
    }
    const first = yield* list(account, { limit: "2" })
    const second = yield* list(account, { limit: "2", cursor: first.cursor ?? "" })
    assert.deepStrictEqual(
      [...first.quarantines, ...second.quarantines].map(({ name }) => name),
      ["c", "b", "a"]
    )
    assert.isUndefined(second.cursor)
    const { call } = yield* TestHost
    assert.deepStrictEqual(yield* issuePaths(yield* call("GET", pathOf(account, { cursor: "?" }), account)), ["cursor"])
  })

  it.effect("are refused with the field that doesn't fit, and nothing is stored", function* () {
    const account = yield* owner
    const ends = (hours: number) => new Date(hours * 3_600_000).toISOString()
    for (const [body, path] of [
      [{ ...tide, name: undefined }, "name"],
      [{ ...tide, prompt: "Do it" }, "prompt"],
      [{ ...tide, reason: "" }, "reason"],
      [{ ...tide, reason: "x".repeat(501) }, "reason"],
      [{ ...tide, owner: "x".repeat(101) }, "owner"],
      [{ ...tide, days: 91 }, "days"],
      [{ ...tide, days: 0 }, "days"],
      [{ ...tide, day: 3 }, "day"],
      [{ ...tide, days: 3, expiresAt: ends(1e6) }, "days"],
      [{ ...tide, expiresAt: ends(-1) }, "expiresAt"],
      [{ ...tide, expiresAt: ends(1e7) }, "expiresAt"],
      [{ ...tide, kind: "jest" }, "kind"]
    ] as const) {
      assert.deepStrictEqual(yield* issuePaths(yield* post(account, body)), [path], JSON.stringify(body))
    }
    assert.deepStrictEqual(yield* list(account), { quarantines: [] })
  })

  it.effect("are changed by keys with the scope alone, and not by another account", function* () {
    const { admin, call } = yield* TestHost
    const [account, stranger] = [yield* owner, yield* owner]
    const { id } = yield* add(account, tide)
    const reader = yield* admin.createKey({ account: account.name, name: "reader", scopes: ["test_runs"] })
    yield* refusal(yield* post(account, tide, reader.key), 403, "insufficient_scope")
    const at = `/api/v1/quarantines/${id}`
    yield* refusal(yield* call("DELETE", at, { key: reader.key }), 403, "insufficient_scope")
    yield* refusal(yield* post(account, tide, stranger.key), 404, "not_found")
    yield* refusal(yield* call("DELETE", at, stranger), 404, "not_found")
    const { status } = yield* call("GET", pathOf(account), { key: reader.key })
    assert.strictEqual(status, 200)
    assert.strictEqual((yield* call("DELETE", at, account)).status, 204)
    yield* refusal(yield* call("DELETE", at, account), 404, "not_found")
    assert.deepStrictEqual(yield* list(account), { quarantines: [] })
  })
})
