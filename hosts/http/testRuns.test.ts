/** The sentences of the interface about test runs, over real HTTP, on every set of engines. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { testEngines } from "./testing/engines.ts"
import {
  asRun,
  asRuns,
  list,
  listed,
  readyPreview,
  register,
  registered,
  reservePreview,
  runBody,
  uploader
} from "./testing/previews.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { commit, type Account } from "./testing/uploads.ts"

const viewerUrl = "https://viewer.example"

/** An account with a preview that is ready. */
const prepared = Effect.gen(function* () {
  const account = yield* uploader
  const { shareId } = yield* readyPreview(account)
  return { account, shareId }
})

const idsOf = Effect.fnUntraced(function* (account: Account, query: Record<string, string> = {}) {
  return (yield* listed(account, query)).testRuns.map(({ id }) => id)
})

const fields = {
  kind: "detox",
  name: "Checkout",
  prompt: "Buy the first item,\n\tthen pay",
  branch: "feature/ünïcode-🚢",
  commitSha: commit(0xabc),
  stepCount: 12,
  durationMs: 34_567,
  source: "ci",
  pr: 7,
  startedAt: "2026-02-03T04:05:06.789Z"
}

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { viewerUrl }))(`test runs on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("§2.7 every field of the registration is stored and returned in the record", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const body = runBody(account, shareId, {
          ...fields,
          status: "failed",
          failureMessage: "Element not found:\n\t#pay",
          failedStepIndex: 11,
          device: { name: "iPhone 16", platform: "ios", osVersion: "18.2" },
          attempts: [{ status: "failed", durationMs: 600, failureMessage: "Element not found:\n\t#pay" }],
          file: "flows/pay.yaml",
          tags: ["smoke", "pay"]
        })
        const answer = yield* register(account, {
          ...body,
          commitSha: fields.commitSha.toUpperCase(),
          colour: "blue"
        })
        assert.strictEqual(answer.status, 201, answer.text)
        const { id } = yield* asRun(answer.json)
        const record = {
          ...body,
          id,
          previewUrl: `${viewerUrl}/previews/${shareId}`,
          traceUrl: `${viewerUrl}/runs/${id}`,
          createdAt: DateTime.formatIso(yield* DateTime.now)
        }
        assert.deepStrictEqual(answer.json, record)
        assert.strictEqual(answer.headers.get("location"), record.traceUrl)
        assert.deepStrictEqual((yield* list(account)).json, { testRuns: [record] })
      })
    )

    it.effect("§2.7 omitted fields stay absent", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const run = yield* registered(account, shareId)
        assert.sameMembers(Object.keys(run), [
          "id",
          "previewShareId",
          "kind",
          "name",
          "status",
          "owner",
          "repo",
          "createdAt",
          "previewUrl",
          "traceUrl"
        ])
      })
    )

    it.effect("§2.7 a run is stored as passed only when `status` is exactly `passed`, else as failed", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        for (const [sent, stored] of [
          ["passed", "passed"],
          ["Passed", "failed"],
          ["PASSED ", "failed"],
          ["passed ", "failed"],
          ["pa\u0073sed", "passed"],
          ["passed\u0000", "failed"],
          ["\ud800", "failed"],
          ["", "failed"],
          ["failed", "failed"],
          ["skipped", "failed"],
          [1, "failed"],
          [true, "failed"],
          [null, "failed"],
          [{}, "failed"],
          [{ passed: "passed" }, "failed"],
          [[], "failed"],
          [["passed"], "failed"],
          [undefined, "failed"]
        ]) {
          const { id, status } = yield* registered(account, shareId, { status: sent })
          assert.strictEqual(status, stored, JSON.stringify(sent))
          assert.strictEqual((yield* listed(account)).testRuns.find((one) => one.id === id)?.status, stored)
        }
      })
    )

    it.effect("§2.7 the failure fields are optional, for failed runs; those of a passed run are ignored", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const failure = { failureMessage: "It broke", failedStepIndex: 2 }
        const failed = yield* registered(account, shareId, { ...failure, status: "failed" })
        assert.deepInclude(failed, failure)
        for (const status of ["failed", "passed"]) {
          const bare = yield* registered(account, shareId, { status })
          for (const field of Object.keys(failure)) assert.notProperty(bare, field)
        }
        const passed = yield* registered(account, shareId, { ...failure, status: "passed", stepCount: 1 })
        for (const field of Object.keys(failure)) assert.notProperty(passed, field)
      })
    )

    it.effect("§2.7 `failedStepIndex` counts from 0 and lies below `stepCount` where both are given", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        for (const [stepCount, failedStepIndex] of [
          [1, 0],
          [12, 11],
          [undefined, 99]
        ]) {
          const run = yield* registered(account, shareId, { status: "failed", stepCount, failedStepIndex })
          assert.strictEqual(run.failedStepIndex, failedStepIndex)
        }
        for (const [stepCount, failedStepIndex] of [
          [0, 0],
          [1, 1],
          [12, 13]
        ]) {
          const body = runBody(account, shareId, { status: "failed", stepCount, failedStepIndex })
          assert.deepStrictEqual(yield* issuePaths(yield* register(account, body)), ["failedStepIndex"])
        }
        assert.lengthOf(yield* idsOf(account), 3)
      })
    )

    it.effect("§3 a run is stored when its preview belongs to the account; branch and commit default to it", () =>
      Effect.gen(function* () {
        const account = yield* uploader
        const git = { branch: "from-the-preview", commitSha: commit(5) }
        const { shareId } = yield* readyPreview(account, git)
        assert.deepInclude(yield* registered(account, shareId), git)
        const own = { branch: "of-the-run", commitSha: commit(6) }
        assert.deepInclude(yield* registered(account, shareId, own), own)
        assert.deepInclude(yield* registered(account, shareId, { branch: own.branch }), {
          ...git,
          branch: own.branch
        })
        assert.lengthOf(yield* idsOf(account, { branch: git.branch }), 1)
        assert.lengthOf(yield* idsOf(account, { branch: own.branch }), 2)
      })
    )

    it.effect(
      "§4.9 the preview and the repository must be the account's, the preview ready; else nothing is stored",
      () =>
        Effect.gen(function* () {
          const { account, shareId } = yield* prepared
          const stranger = yield* prepared
          const waiting = yield* reservePreview(account)
          const waitingElsewhere = yield* reservePreview(stranger.account)
          for (const [repository, preview, status, code] of [
            [account, stranger.shareId, 404, "not_found"],
            [account, waitingElsewhere.shareId, 404, "not_found"],
            [account, "0".repeat(22), 404, "not_found"],
            [account, shareId.toLowerCase() + "x", 404, "not_found"],
            [account, waiting.shareId, 409, "preview_not_ready"],
            [stranger.account, shareId, 404, "not_found"],
            [stranger.account, waiting.shareId, 404, "not_found"],
            [{ owner: "Nobody", repo: "nothing" }, shareId, 404, "not_found"]
          ] as const) {
            yield* refusal(yield* register(account, runBody(repository, preview)), status, code)
          }
          yield* TestClock.adjust("1 hour")
          yield* refusal(yield* register(account, runBody(account, waiting.shareId)), 409, "preview_not_ready")
          assert.deepStrictEqual(yield* idsOf(account), [])
          assert.deepStrictEqual(yield* idsOf(stranger.account), [])
          yield* registered(account, shareId)
          assert.lengthOf(yield* idsOf(account), 1)
        })
    )

    it.effect("§4.10 `org` and `repo` are required and must identify a repository linked to the account", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { account, shareId } = yield* prepared
        const stranger = yield* prepared
        const run = yield* registered(account, shareId)
        yield* registered(stranger.account, stranger.shareId)
        for (const [query, paths] of [
          ["", ["org", "repo"]],
          ["?org=a", ["repo"]],
          ["?repo=a", ["org"]],
          ["?org=&repo=", ["org", "repo"]],
          ["?org=a&org=b&repo=c", ["org"]],
          ["?owner=a&repo=c", ["org"]]
        ] as const) {
          const answer = yield* host.call("GET", `/api/v1/test-runs${query}`, { key: account.key })
          assert.deepStrictEqual(yield* issuePaths(answer), [...paths], query)
        }
        for (const [org, repo] of [
          [stranger.account.owner, stranger.account.repo],
          [account.owner, "nothing"],
          ["Nobody", account.repo]
        ] as const) {
          yield* refusal(yield* list(account, { org, repo }), 404, "not_found")
        }
        assert.deepStrictEqual(yield* idsOf(account, { org: account.owner.toUpperCase(), repo: "aPP" }), [run.id])
        const link = { account: account.name, owner: account.owner, repo: account.repo }
        yield* host.admin.unlinkRepository(link)
        yield* refusal(yield* list(account), 404, "not_found")
        yield* host.admin.linkRepository(link)
        assert.deepStrictEqual(yield* idsOf(account), [run.id])
      })
    )

    it.effect("§4.10 the list holds the runs of its repository only", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { account, shareId } = yield* prepared
        const second = { ...account, repo: "Second" }
        yield* host.admin.linkRepository({ account: account.name, owner: second.owner, repo: second.repo })
        const one = yield* registered(account, shareId)
        const other = yield* registered(second, shareId)
        assert.deepStrictEqual(yield* idsOf(account), [one.id])
        assert.deepStrictEqual(yield* idsOf(second), [other.id])
      })
    )

    it.effect("§4.10 branch, kind, status, source and pr filter, each alone and any two together", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const values = {
          branch: ["main", "Main", undefined],
          kind: ["maestro", "detox"],
          status: ["passed", "failed"],
          source: ["ci", "local", undefined],
          pr: [7, 8, undefined]
        } as const
        type Filter = keyof typeof values
        const filters = ["branch", "kind", "status", "source", "pr"] as const satisfies ReadonlyArray<Filter>
        // Every pair of values of every pair of fields; the other fields take their values in turn.
        const sent = filters.flatMap((a, at) =>
          filters.slice(at + 1).flatMap((b) =>
            values[a].flatMap((x, i) =>
              values[b].map((y, j) => ({
                ...Object.fromEntries(filters.map((f, n) => [f, values[f][(i + j + n) % values[f].length]])),
                [a]: x,
                [b]: y
              }))
            )
          )
        )
        const runs = yield* Effect.forEach(sent, (one) => registered(account, shareId, one), { concurrency: 4 })
        const expected = (by: Record<string, unknown>) =>
          runs.filter((run) => filters.every((f) => by[f] === undefined || run[f] === by[f])).map(({ id }) => id)
        const check = Effect.fnUntraced(function* (by: Record<string, string | number>) {
          const query = Object.fromEntries(Object.entries(by).map(([name, value]) => [name, String(value)]))
          const found = yield* idsOf(account, { ...query, limit: "100" })
          assert.sameMembers(found, expected(by), JSON.stringify(by))
        })
        assert.isBelow(runs.length, 100)
        yield* check({})
        for (const [at, a] of filters.entries()) {
          for (const x of values[a]) {
            if (x === undefined) continue
            assert.isNotEmpty(expected({ [a]: x }))
            yield* check({ [a]: x })
            for (const b of filters.slice(at + 1)) {
              for (const y of values[b]) if (y !== undefined) yield* check({ [a]: x, [b]: y })
            }
          }
        }
        yield* check({ branch: "main", kind: "detox", status: "passed", source: "ci", pr: 7 })
        for (const nothing of [{ branch: "none" }, { source: "CI" }, { pr: "9" }]) {
          assert.deepStrictEqual(yield* idsOf(account, nothing), [])
        }
      })
    )

    it.effect("§4.10 an invalid filter is refused by name", () =>
      Effect.gen(function* () {
        const { account } = yield* prepared
        for (const [name, values] of [
          ["branch", ["", "a\u0000b", "x".repeat(1025)]],
          ["kind", ["", "appium", "Detox"]],
          ["status", ["", "Passed", "flaky"]],
          ["source", ["", "a\nb", "x".repeat(1025)]],
          ["pr", ["", "0", "-1", "1.5", "x", "99999999999", "Infinity", "NaN", " ", "0x7"]],
          ["cursor", ["", "x", "a".repeat(1025)]]
        ] as const) {
          for (const value of values) {
            const answer = yield* list(account, { [name]: value })
            assert.deepStrictEqual(yield* issuePaths(answer), [name], `${name}: ${JSON.stringify(value)}`)
          }
        }
        const all = { kind: "x", status: "x", pr: "x", limit: "x" }
        assert.sameMembers([...(yield* issuePaths(yield* list(account, all)))], Object.keys(all))
      })
    )

    it.effect("§4.10, §8 `limit` is clamped to the range 1 to 100; absent it is 20, and no number is refused", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        yield* Effect.forEach(Array.from({ length: 105 }), () => registered(account, shareId), { concurrency: 8 })
        for (const [limit, size] of [
          ["0", 1],
          ["-5", 1],
          ["1", 1],
          ["2", 2],
          ["99", 99],
          ["100", 100],
          ["101", 100],
          ["1000", 100],
          ["9007199254740991", 100],
          ["+7", 7],
          ["9".repeat(30), 100],
          [undefined, 20]
        ] as const) {
          const page = yield* listed(account, limit === undefined ? {} : { limit })
          assert.lengthOf(page.testRuns, size, `limit ${limit}`)
          assert.isDefined(page.nextCursor)
        }
        for (const limit of ["x", "", " ", "1.5", "NaN", "Infinity", "10x", "0x10", "1e2", "null"]) {
          assert.deepStrictEqual(yield* issuePaths(yield* list(account, { limit })), ["limit"], `limit ${limit}`)
        }
      })
    )

    it.effect("§4.10 runs of the same millisecond are always listed in the order of their ids", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const runs = yield* Effect.all(
          Array.from({ length: 16 }, () => registered(account, shareId)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(runs.map(({ createdAt }) => DateTime.toEpochMillis(createdAt))).size, 1)
        const ids = runs.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1))
        assert.deepStrictEqual(yield* idsOf(account), ids)
        assert.deepStrictEqual(yield* idsOf(account), ids)
      })
    )

    it.effect("§4.10 cursors lead through 250 runs while others are added, without loss or repetition", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const there: Array<string> = []
        for (const _ of Array.from({ length: 25 })) {
          // Ten runs share each millisecond, so that pages end in the middle of one.
          const runs = yield* Effect.all(
            Array.from({ length: 10 }, () => registered(account, shareId)),
            { concurrency: "unbounded" }
          )
          there.push(...runs.map(({ id }) => id))
          yield* TestClock.adjust("1 millis")
        }
        const met: Array<string> = []
        let cursor: string | undefined
        let pages = 0
        do {
          const page = yield* listed(account, { limit: "17", ...(cursor === undefined ? {} : { cursor }) })
          met.push(...page.testRuns.map(({ id }) => id))
          cursor = page.nextCursor
          pages += 1
          yield* registered(account, shareId)
          yield* TestClock.adjust("1 millis")
          yield* registered(account, shareId)
        } while (cursor !== undefined && pages < 100)
        assert.strictEqual(new Set(met).size, met.length, "a run came twice")
        assert.includeMembers(met, there)
        assert.lengthOf(met, 250)
        assert.strictEqual(pages, 15)
      })
    )

    it.effect("§4.10 a page ends before it would be larger than 1 MiB, and its cursor leads to the rest", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        const attempts = Array.from({ length: 20 }, () => ({ status: "failed", failureMessage: "x".repeat(16 * 1024) }))
        const ids: Array<string> = []
        for (const _ of Array.from({ length: 5 })) {
          ids.unshift((yield* registered(account, shareId, { attempts })).id)
          yield* TestClock.adjust("1 millis")
        }
        const first = yield* listed(account, { limit: "100" })
        const second = yield* listed(account, { limit: "100", cursor: first.nextCursor ?? "" })
        assert.deepStrictEqual(
          [first, second].map(({ testRuns }) => testRuns.map(({ id }) => id)),
          [ids.slice(0, 3), ids.slice(3)]
        )
        assert.isUndefined(second.nextCursor)
      })
    )

    it.effect("§4.10 a cursor keeps the filters, and the last page has none even if it is full", () =>
      Effect.gen(function* () {
        const { account, shareId } = yield* prepared
        for (const index of Array.from({ length: 12 }).keys()) {
          yield* registered(account, shareId, { kind: index % 2 === 0 ? "maestro" : "detox" })
        }
        const first = yield* listed(account, { kind: "detox", limit: "3" })
        assert.lengthOf(first.testRuns, 3)
        const second = yield* listed(account, { kind: "detox", limit: "3", cursor: first.nextCursor ?? "" })
        assert.lengthOf(second.testRuns, 3)
        assert.isUndefined(second.nextCursor)
        const all = [...first.testRuns, ...second.testRuns]
        assert.strictEqual(new Set(all.map(({ id }) => id)).size, 6)
        for (const { kind } of all) assert.strictEqual(kind, "detox")
        assert.isUndefined((yield* listed(account, { limit: "12" })).nextCursor)
      })
    )

    it.effect(
      "§4.10 a cursor that no page returned is refused or treated as a position, and never causes a fault",
      () =>
        Effect.gen(function* () {
          const { account, shareId } = yield* prepared
          const run = yield* registered(account, shareId)
          const encode = (text: string) => Buffer.from(text).toString("base64url")
          for (const text of [
            "nonsense",
            "1",
            "1.",
            ".x",
            "-1.x",
            "1e3.x",
            "99999999999999999.x",
            "1. x",
            "1.\u0000"
          ]) {
            assert.deepStrictEqual(yield* issuePaths(yield* list(account, { cursor: encode(text) })), ["cursor"], text)
          }
          for (const text of [
            "0.x",
            "999999999999999.x",
            `5.${run.id}`,
            `5.'; drop table runs; --`.replaceAll(" ", "")
          ]) {
            assert.oneOf((yield* list(account, { cursor: encode(text) })).status, [200, 400], text)
          }
          // A cursor holds only a position in a list, so another account's cursor reveals none of its runs.
          const stranger = yield* prepared
          yield* registered(account, shareId)
          const { nextCursor } = yield* listed(account, { limit: "1" })
          assert.deepStrictEqual(yield* idsOf(stranger.account, { cursor: nextCursor ?? "" }), [])
        })
    )

    it.effect("§5 the order of checks is key, scope, body, ownership, state; and so for the list", () =>
      Effect.gen(function* () {
        const account = yield* uploader
        const unscoped = yield* newAccount(["builds"])
        const { shareId } = yield* reservePreview(account)
        const nobody = { owner: "Nobody", repo: "nothing" }
        yield* refusal(yield* register({ key: "wrong" }, {}), 401, "unauthorized")
        yield* refusal(yield* register(unscoped, {}), 403, "insufficient_scope")
        yield* refusal(yield* register(account, runBody(nobody, shareId, { kind: 1 })), 400, "invalid_request")
        yield* refusal(yield* register(account, runBody(nobody, shareId)), 404, "not_found")
        yield* refusal(yield* register(account, runBody(account, shareId)), 409, "preview_not_ready")
        yield* refusal(yield* list({ ...account, key: "wrong" }, { limit: "x" }), 401, "unauthorized")
        yield* refusal(yield* list(unscoped, { limit: "x" }), 403, "insufficient_scope")
        yield* refusal(yield* list(account, { org: "Nobody", limit: "x" }), 400, "invalid_request")
        yield* refusal(yield* list(account, { org: "Nobody", cursor: "x" }), 400, "invalid_request")
        yield* refusal(yield* list(account, { org: "Nobody" }), 404, "not_found")
        assert.deepStrictEqual((yield* asRuns((yield* list(account)).json)).testRuns, [])
      })
    )
  })
}
