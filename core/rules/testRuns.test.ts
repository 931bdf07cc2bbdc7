import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import { readFileSync } from "node:fs"
import { AccountId } from "../model/Account.ts"
import { ShareId } from "../model/Preview.ts"
import type { Preview } from "../model/Preview.ts"
import { RepositoryId } from "../model/Repository.ts"
import type { Repository } from "../model/Repository.ts"
import { ReservationId } from "../model/Reservation.ts"
import { TestRunId } from "../model/TestRun.ts"
import { tableRows } from "../testing/tableRows.ts"
import { compareRuns, decideRun, pageSize, statusOf } from "./testRuns.ts"
import type { RunReport } from "./testRuns.ts"

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

const decide = (fields: Partial<RunReport> = {}, preview: Preview | undefined = ready, linked = true) =>
  decideRun(
    report(fields),
    {
      repository: linked ? Option.some(repository) : Option.none(),
      preview: Option.fromUndefinedOr(preview)
    },
    event
  )

const stored = (fields: Partial<RunReport> = {}) => Result.getOrThrow(decide(fields))

describe("the table of what is decided of a registration, as its docstring has it", () => {
  const rows = tableRows(readFileSync(new URL("./testRuns.ts", import.meta.url), "utf8"))

  it("has rows", () => assert.lengthOf(rows, 4))

  const previews: Record<string, ReadonlyArray<Preview | undefined>> = {
    any: [undefined, waiting, ready],
    "not the account's": [undefined],
    "its own, not ready": [waiting],
    "its own and ready": [ready]
  }

  for (const [linked = "", preview = "", decided = ""] of rows) {
    it(`${linked} + ${preview} → ${decided}`, () => {
      assert.oneOf(linked, ["the account's", "not the account's"])
      assert.property(previews, preview)
      for (const one of previews[preview] ?? []) {
        const found = {
          repository: linked === "the account's" ? Option.some(repository) : Option.none(),
          preview: Option.fromUndefinedOr(one)
        }
        for (const status of ["passed", "Passed"]) {
          const result = decideRun(report({ status }), found, event)
          const outcome = Result.isSuccess(result) ? "the run" : `\`${result.failure._tag}\``
          assert.isTrue(decided === outcome || decided.startsWith(`${outcome}, `), outcome)
          if (Result.isSuccess(result))
            assert.strictEqual(result.success.status, status === "passed" ? status : "failed")
        }
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
    const run = Result.getOrThrow(decide({}, bare))
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

  it("are the account's and the repository's, whatever the report says", () => {
    assert.deepStrictEqual(stored({ source: "ci" }), {
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

  it("are listed 20 to a page unless said, and never less than 1 or more than 100", () => {
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

  it("stand newest first, those of one millisecond by their id", () => {
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
