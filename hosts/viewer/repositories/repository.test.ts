/** The page of a repository. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { it, layer } from "../../../core/testing/layer.ts"
import type { TestRunStatus } from "../../../core/model/TestRun.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { readyPreview } from "../../http/testing/previews.ts"
import { signIn, visit } from "../testing/visit.ts"
import { brokenFirst } from "./repository.ts"

layer(TestHost.layer(inMemory))("the page of a repository", (it) => {
  it.effect("ignores invalid parameters", function* () {
    const { key, owner, repo } = yield* newAccount(["builds", "test_runs"])
    const cookie = yield* signIn(key)
    for (const asked of [
      "buildsAfter=%00",
      "buildsAfter=a%20b",
      "runsAfter=%00",
      "pr=2147483648",
      "pr=-1",
      "pr=1.5",
      "pr=x",
      "branch=%00",
      "source=%00",
      "tab=runs&ciRunsAfter=%00",
      "tab=tests&testsAfter=a%20b",
      "tab=tests&branch=%00&status=x&flaky=x",
      "tab=nowhere",
      "platform=windows"
    ]) {
      const page = yield* visit("GET", `/repositories?owner=${owner}&repo=${repo}&${asked}`, { cookie })
      assert.strictEqual(page.status, 200, asked)
    }
    assert.strictEqual((yield* visit("GET", `/repositories?owner=%00&repo=${repo}`, { cookie })).status, 404)
  })

  it.effect("lists its ready previews without those of test runs, and no one else's", function* () {
    const scopes = ["preview_upload", "test_runs"] as const
    const [account, other] = [yield* newAccount(scopes), yield* newAccount(scopes)]
    const git = ({ owner, repo }: typeof account) => ({ owner, repo, branch: "feature/pay" })
    const { shareId } = yield* readyPreview(account, git(account))
    const ofRun = yield* readyPreview(account, { ...git(account), billingKind: "test_run" })
    const foreign = yield* readyPreview(other, git(other))
    const path = `/repositories?owner=${account.owner}&repo=${account.repo}&tab=previews`
    const { text } = yield* visit("GET", path, { cookie: yield* signIn(account.key) })
    assert.include(text, `/previews/${shareId}`)
    assert.include(text, "feature/pay")
    for (const left of [ofRun, foreign]) assert.notInclude(text, left.shareId)
    const elsewhere = yield* visit("GET", path, { cookie: yield* signIn(other.key) })
    assert.strictEqual(elsewhere.status, 404)
  })
})

const tests = { failed: ["f1", "f2", "f3", "f4"], passed: ["p1", "p2", "p3"] }

const list = (status: TestRunStatus, cursor: string | undefined, limit: number) => {
  const from = Number(cursor ?? 0)
  const to = from + limit
  return Effect.succeed({
    tests: tests[status].slice(from, to),
    ...(to < tests[status].length ? { nextCursor: String(to) } : {})
  })
}

it.effect(
  "each test is on one page, the broken ones first, also where a page ends with the last broken one",
  function* () {
    for (const limit of [1, 2, 3, 4, 5, 7, 8]) {
      const pages: Array<ReadonlyArray<string>> = []
      let cursor: string | undefined
      do {
        const page: { readonly tests: ReadonlyArray<string>; readonly nextCursor?: string } = yield* brokenFirst(
          list,
          cursor,
          limit
        )
        pages.push(page.tests)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages.flat(), [...tests.failed, ...tests.passed], `${limit}`)
      assert.isTrue(pages.slice(0, -1).every((page) => page.length === limit))
    }
  }
)
