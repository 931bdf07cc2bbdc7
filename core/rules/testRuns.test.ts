import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import { AccountId } from "../model/Account.ts"
import { ShareId, type Preview } from "../model/Preview.ts"
import { RepositoryId, type Repository } from "../model/Repository.ts"
import { ReservationId } from "../model/Reservation.ts"
import { TestRunId } from "../model/TestRun.ts"
import { compareRuns, decideRun, isFlaky, pageSize, statusOf, type RunReport } from "./testRuns.ts"

const now = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const accountId = AccountId.make("a")

const repository: Repository = { id: RepositoryId.make("r"), accountId, owner: "Acme", repo: "App", linkedAt: now }

const waiting: Preview = {
  id: ReservationId.make("1"),
  tokenHash: "token",
  accountId,
  reservedAt: now,
  expiresAt: now,
  shareId: ShareId.make("share"),
  declaration: {
    contentHash: "a",
    bundleSizeBytes: 1,
    bundleContentType: "text/javascript",
    isTransformed: false,
    files: [],
    recordings: [],
    git: { branch: "main", commitSha: "c", pr: 3, owner: "Acme", repo: "App" }
  }
}
const ready: Preview = { ...waiting, finalizedAt: now, hostedPrefix: "hosted/1/" }

const report = (fields: Partial<RunReport> = {}): RunReport => ({
  kind: "maestro",
  name: "Checkout",
  previewShareId: ready.shareId,
  status: "passed",
  ...fields
})

const event = { id: TestRunId.make("run"), now }

const decide = (
  fields: Partial<RunReport>,
  preview: Option.Option<Preview> = Option.some(ready),
  found: Option.Option<Repository> = Option.some(repository)
) => decideRun(report(fields), { repository: found, preview }, event)

const stored = (fields: Partial<RunReport> = {}) => Result.getOrThrow(decide(fields)).run

describe("whether a run is registered", () => {
  const unknown = Option.none()
  const own = Option.some(repository)
  for (const [what, found, preview, decided] of [
    ["another's repository, an unknown preview", unknown, unknown, "NotFound"],
    ["another's repository, a preview that is not ready", unknown, Option.some(waiting), "NotFound"],
    ["another's repository, a ready preview", unknown, Option.some(ready), "NotFound"],
    ["its own repository, an unknown preview", own, unknown, "NotFound"],
    ["its own repository, a preview that is not ready", own, Option.some(waiting), "PreviewNotReady"],
    ["its own repository, a ready preview", own, Option.some(ready), "registered"]
  ] as const) {
    it(`${what}: ${decided}`, () => {
      for (const status of ["passed", "Passed"]) {
        const result = decide({ status }, preview, found)
        assert.strictEqual(Result.isSuccess(result) ? "registered" : result.failure._tag, decided)
      }
    })
  }
})

describe("test runs", () => {
  it("pass when the exact string `passed` was sent, and in no other case", () => {
    assert.strictEqual(statusOf("passed"), "passed")
    for (const sent of ["Passed", "PASSED ", "passed ", "failed", "", 1, true, null, undefined, {}, [], ["passed"]]) {
      assert.strictEqual(statusOf(sent), "failed", JSON.stringify(sent))
    }
  })

  it("take branch and commit of the preview unless they bring their own, and nothing else of it", () => {
    assert.deepInclude(stored(), { branch: "main", commitSha: "c" })
    assert.deepInclude(stored({ branch: "own", commitSha: "d" }), { branch: "own", commitSha: "d" })
    assert.deepInclude(stored({ branch: "own" }), { branch: "own", commitSha: "c" })
    assert.notProperty(stored(), "pr")
    const bare = { ...ready, declaration: { ...ready.declaration, git: {} } }
    const { run } = Result.getOrThrow(decide({}, Option.some(bare)))
    for (const field of ["branch", "commitSha"]) assert.notProperty(run, field)
  })

  it("keep what a failed run says of its failure, and leave it out of a passed one", () => {
    const failure = { failureMessage: "It broke", failedStepIndex: 2 }
    assert.deepInclude(stored({ ...failure, status: "failed" }), failure)
    for (const field of Object.keys(failure)) {
      assert.notProperty(stored(failure), field)
      assert.notProperty(stored({ status: "failed" }), field)
    }
  })

  it("keep what a failed attempt says of its failure, and leave it out of a passed one", () => {
    const failed = { status: "failed", durationMs: 5, failureMessage: "It broke" } as const
    const passed = { status: "passed", failureMessage: "It broke" } as const
    assert.deepStrictEqual(stored({ attempts: [failed, passed] }).attempts, [failed, { status: "passed" }])
  })

  it("are flaky when they passed after an attempt that failed, and in no other case", () => {
    const [failed, passed] = [{ status: "failed" } as const, { status: "passed" } as const]
    assert.isTrue(isFlaky(stored({ attempts: [failed, passed] })))
    for (const attempts of [[], [passed], [passed, passed]]) assert.isFalse(isFlaky(stored({ attempts })))
    assert.isFalse(isFlaky(stored()))
    assert.isFalse(isFlaky(stored({ status: "failed", attempts: [failed, failed] })))
  })

  it("are the account's and the repository's, whatever the report says", () => {
    const { metadataBytes: _, ...run } = stored({ source: "ci" })
    assert.deepStrictEqual(run, {
      ...report({ source: "ci" }),
      branch: "main",
      commitSha: "c",
      status: "passed",
      id: event.id,
      accountId,
      repositoryId: repository.id,
      createdAt: now
    })
  })

  it("are listed 20 to a page by default, and never less than 1 or more than 100", () => {
    for (const [limit, size] of [
      [undefined, 20],
      [0, 1],
      [-5, 1],
      [1, 1],
      [2, 2],
      [100, 100],
      [101, 100],
      [1000, 100],
      [1e30, 100]
    ] as const) {
      assert.strictEqual(pageSize(limit), size)
    }
  })

  it("are sorted newest first, those of one millisecond by id", () => {
    const place = (millis: number, id: string) => ({ createdAt: DateTime.makeUnsafe(millis), id: TestRunId.make(id) })
    const sorted = [place(3, "a"), place(2, "c"), place(2, "b"), place(2, "a"), place(1, "z")]
    assert.deepStrictEqual(sorted.toReversed().toSorted(compareRuns), sorted)
    assert.strictEqual(compareRuns(place(1, "a"), place(1, "a")), 0)
    for (const [at, a] of sorted.entries()) {
      for (const [other, b] of sorted.entries()) {
        assert.strictEqual(Math.sign(compareRuns(a, b)), Math.sign(at - other))
      }
    }
  })
})
