/** The page of a test. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { commit } from "../../http/testing/uploads.ts"
import { accountWithRuns, retried } from "../testing/previews.ts"
import { runAccount } from "../testing/runs.ts"
import { signIn, unescaped, visit } from "../testing/visit.ts"

const testOf = Effect.fnUntraced(function* (run: string, cookie: string) {
  const { text } = yield* visit("GET", `/runs/${run}`, { cookie })
  return unescaped(/href="(\/tests\/[^"?]+)/.exec(text)?.[1] ?? "")
})

const page = Effect.fnUntraced(function* (path: string, cookie: string) {
  const { status, text } = yield* visit("GET", path, { cookie })
  const main = unescaped(text.replace(/^[^]*?<main>/, "")).replaceAll(/\s+/g, " ")
  return { status, main, said: main.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ") }
})

layer(TestHost.layer(inMemory))("the page of a test", (it) => {
  it.effect(
    "shows where a test broke, its results with their runs, how long they took and how they failed",
    function* () {
      const { cookie, ran } = yield* accountWithRuns()
      const details = { file: "e2e/pay.js", device: { name: "Pixel 8", platform: "android" } }
      const pass = yield* ran(1, "Pay", "passed", { ...details, durationMs: 1000 })
      const first = yield* ran(2, "Pay", "failed", {
        ...details,
        durationMs: 3000,
        failureMessage: "No id 7"
      })
      yield* ran(3, "Pay", "failed", {
        ...details,
        durationMs: 2000,
        failureMessage: "No id 8"
      })
      const { main, said, status } = yield* page(`${yield* testOf(pass.id, cookie)}?branch=main`, cookie)
      assert.strictEqual(status, 200)
      for (const fact of [
        `First failed at ${commit(2).slice(0, 7)}, 1 day ago; last passed at ${commit(1).slice(0, 7)}.`,
        "Failed 2 times in a row on main.",
        "The last 3 results",
        "1 passed 2 failed 0 flaky",
        "No id 8 2 runs, first",
        "e2e/pay.js",
        "Pixel 8",
        "android"
      ]) {
        assert.include(said, fact)
      }
      assert.include(main, `href="/compare?left=${pass.id}&right=${first.id}"`)
      assert.include(main, 'aria-label="Durations of 3 results, from 1 s to 3 s; p50 2 s; p95 3 s"')
      assert.deepStrictEqual(
        [...main.matchAll(/class="cell"[^>]* title="(\w+),/g)].map(([, outcome]) => outcome),
        ["Passed", "Failed", "Failed"]
      )
    }
  )

  it.effect(
    "a test that never passed on its branch is compared with its last pass on the default branch",
    function* () {
      const { cookie, ran } = yield* accountWithRuns()
      const pass = yield* ran(1, "Pay")
      const first = yield* ran(2, "Pay", "failed", { branch: "feature/x" })
      const { main, said } = yield* page(`${yield* testOf(pass.id, cookie)}?branch=feature/x`, cookie)
      assert.include(said, `last passed on main at ${commit(1).slice(0, 7)}. Failed once on feature/x.`)
      assert.include(main, `href="/compare?left=${pass.id}&right=${first.id}"`)
    }
  )

  it.effect("says by how much a test became slower, and since which run", function* () {
    const { cookie, ran } = yield* accountWithRuns()
    const made = new Array<{ readonly id: string }>()
    for (let n = 1; n <= 46; n += 1) made.push(yield* ran(n, "Pay", "passed", { durationMs: n <= 30 ? 1000 : 2000 }))
    const { main, said } = yield* page(`${yield* testOf(made[0]?.id ?? "", cookie)}?branch=main`, cookie)
    assert.include(
      said,
      "100% slower than before: the median of the last 30 results is 2 s, and of the 16 before it was 1 s."
    )
    assert.include(said, `It is slower since ${commit(31).slice(0, 7)} (run)`)
    assert.include(main, `(<a href="/runs/${made[30]?.id}">run</a>)`)
  })

  it.effect("has an address below its repository, and below no other", function* () {
    const { account, cookie, ran } = yield* accountWithRuns()
    const path = yield* testOf((yield* ran(1, "Pay")).id, cookie)
    const { owner, repo } = account
    const { said } = yield* page(`/repositories/${owner}/${repo.toUpperCase()}${path}`, cookie)
    assert.include(said, "The only result")
    assert.strictEqual((yield* page(`/repositories/${owner}/other${path}`, cookie)).status, 404)
  })

  it.effect("a test of one name is another one in another file, and each branch has its own results", function* () {
    const { cookie, ran } = yield* accountWithRuns()
    const one = yield* ran(1, "Pay", "passed", { file: "a.js" })
    const other = yield* ran(1, "Pay", "failed", { file: "b.js" })
    yield* ran(2, "Pay", "passed", { file: "a.js", branch: "feature/x", attempts: retried })
    const path = yield* testOf(one.id, cookie)
    assert.notStrictEqual(path, yield* testOf(other.id, cookie))
    assert.include((yield* page(`${path}?branch=main`, cookie)).said, "The only result")
    assert.include((yield* page(`${path}?branch=feature/x`, cookie)).said, "flaky in 1 of 1 result")
    const all = yield* page(`${path}?branch=`, cookie)
    for (const fact of ["The last 2 results", "All branches", "feature/x"]) assert.include(all.said, fact)
  })

  it.effect(
    "without a branch in its address, it has the results of the default branch, or all if there are none",
    function* () {
      const { cookie, ran } = yield* accountWithRuns()
      const path = yield* testOf((yield* ran(1, "Pay", "failed")).id, cookie)
      yield* ran(2, "Pay", "passed", { branch: "feature/x" })
      assert.include((yield* page(path, cookie)).said, "Failed once on main.")
      const other = yield* testOf((yield* ran(2, "Map", "passed", { branch: "feature/x" })).id, cookie)
      assert.include((yield* page(other, cookie)).said, "Passed last on any branch.")
    }
  )

  it.effect("is nobody else's, and there is none of a branch on which it never ran", function* () {
    const { cookie, ran } = yield* accountWithRuns()
    const path = yield* testOf((yield* ran(1, "Pay")).id, cookie)
    const stranger = yield* signIn((yield* runAccount).key)
    assert.strictEqual((yield* page(path, stranger)).status, 404)
    assert.strictEqual((yield* page(`${path}?branch=none`, cookie)).status, 404)
    assert.strictEqual((yield* page(`${path}?branch=%00`, cookie)).status, 200)
    assert.strictEqual((yield* page("/tests/none", cookie)).status, 404)
  })
})
