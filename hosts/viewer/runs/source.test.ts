/** Which failures the page of a CI run calls new. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { commit } from "../../http/testing/uploads.ts"
import { accountWithRuns, retried } from "../testing/previews.ts"
import { unescaped, visit } from "../testing/visit.ts"

layer(TestHost.layer(inMemory))("the page of a CI run", (it) => {
  /** The headings of a page, and the tests below each. */
  const groups = Effect.fnUntraced(function* (path: string, cookie: string) {
    const { status, text } = yield* visit("GET", path, { cookie })
    assert.strictEqual(status, 200)
    return unescaped(text)
      .split('<section class="card"')
      .slice(1)
      .map((section) => [
        (/<h2[^>]*>([^]*?)<\/h2>/.exec(section)?.[1] ?? "")
          .replaceAll(/<[^>]*>/g, "")
          .trim()
          .replaceAll(/\s+/g, " "),
        [...section.matchAll(/<span class="name"><bdi>([^<]*)/g)].map(([, name]) => name)
      ])
  })

  it.effect("a test with several runs is counted once, and failed if one of them failed", function* () {
    const { account, cookie, ran } = yield* accountWithRuns()
    const { owner, repo } = account
    for (const status of ["failed", "passed", "failed"] as const) yield* ran(1, "Pay", status)
    for (const name of ["Pixel 6", "Pixel 8"]) yield* ran(1, "Map", "passed", { device: { name } })
    const path = `/sources?${new URLSearchParams({ owner, repo, source: "github:1" })}`
    assert.deepStrictEqual(yield* groups(path, cookie), [
      ["New failures 1", ["Pay", "Pay", "Pay"]],
      ["Passed 1", ["Map", "Map"]]
    ])
    assert.match((yield* visit("GET", path, { cookie })).text, />1 failed<[^]*>0 flaky<[^]*>1 passed</)
    yield* ran(1, "Map", "failed", { job: "e2e (34)" })
    assert.match((yield* visit("GET", path, { cookie })).text, /Map<[^]*<bdi>e2e \(34\)<\/bdi>/)
  })

  it.effect(
    "tests are grouped by app, platform and job, and each failure links what changed since the last pass",
    function* () {
      const { account, cookie, ran } = yield* accountWithRuns()
      const { name: account_, owner, repo } = account
      const { admin } = yield* TestHost
      yield* admin.configureRepository({ account: account_, owner, repo, webUrl: "https://github.com/acme/app" })
      const on = (platform: string) => ({
        app: "rider",
        job: `e2e ${platform}`,
        device: { platform, name: "Phone" }
      })
      for (const platform of ["ios", "android"]) {
        yield* ran(1, "Pay", "passed", on(platform))
        yield* ran(2, "Map", "passed", on(platform))
      }
      const broke = yield* ran(2, "Pay", "failed", on("ios"))
      yield* ran(3, "Pay", "failed", { ...on("ios"), branch: "next" })
      yield* ran(3, "Pay", "failed", { ...on("android"), branch: "next" })
      const page = (n: number) => `/sources?${new URLSearchParams({ owner, repo, source: `github:${n}` })}`
      const text = unescaped((yield* visit("GET", page(3), { cookie })).text).replaceAll(/\s+/g, " ")
      assert.deepStrictEqual(
        Array.from(text.matchAll(/<h3><bdi>([^<]*)</g), ([, heading]) => heading),
        ["rider · Android · e2e android", "rider · iOS · e2e ios"]
      )
      const url = "https://github.com/acme/app"
      assert.deepStrictEqual(
        Array.from(text.matchAll(/href="([^"]*)">Diff</g), ([, href]) => href),
        [`${url}/compare/${commit(1)}...${commit(3)}`, `${url}/compare/${commit(1)}...${commit(2)}`]
      )
      assert.include(text, `Broken since <a href="${url}/commit/${broke.commitSha}"`)
      assert.strictEqual((yield* visit("GET", page(4), { cookie })).status, 404)
    }
  )

  it.effect(
    "a new failure of a test that fails on the base branch now and then is in a group of its own",
    function* () {
      const { account, cookie, path, ran } = yield* accountWithRuns()
      const { owner, repo } = account
      // Of 40 CI runs on main, `Wind` is flaky in every third, `Tide` fails in seven and passes again, and `Berth` never fails.
      for (let n = 1; n <= 40; n += 1) {
        yield* ran(n, "Wind", "passed", n % 3 === 0 ? { attempts: retried } : {})
        yield* ran(n, "Tide", n % 6 === 3 ? "failed" : "passed", { failureMessage: "No tide" })
        yield* ran(n, "Berth")
        yield* ran(n, "Gate", n > 38 ? "failed" : "passed")
      }
      const change = { branch: "next", base: "main" }
      for (const name of ["Wind", "Tide", "Berth", "Gate"]) yield* ran(45, name, "failed", change)
      const source = `/sources?${new URLSearchParams({ owner, repo, source: "github:45" })}`
      assert.deepStrictEqual(yield* groups(source, cookie), [
        ["New failures 1", ["Berth"]],
        ["New, but flaky on main 2", ["Tide", "Wind"]],
        ["Known on main 1", ["Gate"]]
      ])
      const { text } = yield* visit("GET", source, { cookie })
      assert.include(text, "flaky on main (13 of the last 40)")
      assert.include(text, "flaky on main (7 of the last 40)")
      const list = yield* visit("GET", `${path}&tab=runs&branch=next`, { cookie })
      assert.match(list.text, /<strong>1 new failure<\/strong>\s*<span class="type">2 new, but flaky</)

      const overview = unescaped((yield* visit("GET", `${path}&branch=main`, { cookie })).text)
      assert.include(overview, "intermittent: failed in 7 of its last 40 results, never for long")
      assert.match(overview, /flaky in 33% of its last 40 results \(13\)/)
    }
  )

  it.effect(
    "of two apps, each is shown alone with links to the other, and one fails although the other passes",
    function* () {
      const { account, cookie, path, ran } = yield* accountWithRuns()
      const { owner, repo } = account
      yield* ran(0, "Login", "failed", { app: "rider <b>" })
      for (const [app, status] of [
        ["rider <b>", "failed"],
        ["driver", "passed"],
        ["courier", "failed"]
      ] as const) {
        yield* ran(1, "Login", status, { app, branch: "next", base: "main" })
      }
      const source = `/sources?${new URLSearchParams({ owner, repo, source: "github:1" })}`
      assert.deepStrictEqual(yield* groups(source, cookie), [
        ["New failures 1", ["Login"]],
        ["Known on main 1", ["Login"]],
        ["Passed 1", ["Login"]]
      ])
      assert.deepStrictEqual(yield* groups(`${source}&app=courier`, cookie), [["New failures 1", ["Login"]]])
      assert.deepStrictEqual(yield* groups(`${source}&app=driver`, cookie), [["Passed 1", ["Login"]]])
      assert.deepStrictEqual(yield* groups(`${source}&app=none`, cookie), [])
      const { text } = yield* visit("GET", source, { cookie })
      assert.deepStrictEqual(
        [...text.matchAll(/<li>\s*<a href="[^"]*"[^>]*><bdi>([^<]*)</g)].map(([, app]) => app),
        ["All apps", "courier", "driver", "rider &lt;b&gt;"]
      )
      const tests = Effect.fnUntraced(function* (query: string) {
        const { text } = yield* visit("GET", `${path}&tab=tests&branch=next${query}`, { cookie })
        return [...text.matchAll(/<span class="type">\s*<bdi>([^<]*)</g)].map(([, app]) => app)
      })
      assert.sameMembers(yield* tests(""), ["courier", "driver", "rider &lt;b&gt;"])
      assert.deepStrictEqual(yield* tests("&app=driver"), ["driver"])
    }
  )

  it.effect("more than 50 passed tests are folded, and failures never", function* () {
    const { account, cookie, ran } = yield* accountWithRuns()
    const { owner, repo } = account
    const path = `/sources?${new URLSearchParams({ owner, repo, source: "github:1" })}`
    const folded = Effect.map(visit("GET", path, { cookie }), ({ text }) =>
      Array.from(text.matchAll(/<details class="digests">\s*<summary>([^<]*)/g), ([, summary]) => summary)
    )
    yield* Effect.forEach(
      Array.from({ length: 51 }, (_, n) => n),
      (n) => ran(1, `Pay ${n}`, "failed")
    )
    yield* Effect.forEach(
      Array.from({ length: 50 }, (_, n) => n),
      (n) => ran(1, `Map ${n}`)
    )
    assert.deepStrictEqual(yield* folded, [])
    yield* ran(1, "Map 50")
    assert.deepStrictEqual(yield* folded, ["Show 51 passed tests"])
  })

  it.effect(
    "a CI run of which an import is missing is incomplete here and in every list, also without a run",
    function* () {
      const { account, cookie, path, ran } = yield* accountWithRuns()
      const { owner, repo } = account
      const { call } = yield* TestHost
      const announce = (fields: Record<string, unknown>) =>
        call("POST", "/api/v1/sources/github%3A2%2F1/imports", {
          key: account.key,
          body: { owner, repo, id: "e2e", job: "<e2e>", branch: "main", expectedRuns: 2, ...fields }
        })
      yield* ran(1, "Pay")
      const page = `/sources?${new URLSearchParams({ owner, repo, source: "github:2" })}`
      /** What each page says of it: the pages of the CI run, of lists of CI runs, of the repository, and the home page. */
      const shown = Effect.forEach([page, `${path}&tab=runs`, "/search?q=main", path, "/"], (one) =>
        Effect.map(visit("GET", one, { cookie }), ({ status, text }) => {
          assert.strictEqual(status, 200, one)
          const [, state] = /class="pill incomplete">(\w+)</.exec(text) ?? []
          return state ?? text.includes('class="mark incomplete"')
        })
      )
      yield* announce({})
      assert.deepStrictEqual(yield* shown, ["incomplete", "incomplete", "incomplete", true, "incomplete"])
      yield* ran(2, "Map")
      const { text } = yield* visit("GET", page, { cookie })
      assert.include(text, "<bdi>The import of &lt;e2e&gt;, attempt 1 announced 2 runs and has not finished.</bdi>")
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* shown, ["interrupted", "interrupted", "interrupted", true, "interrupted"])
      yield* announce({ registeredRuns: 2 })
      assert.deepStrictEqual(yield* shown, [false, false, false, false, false])
    }
  )

  it.effect("the base branch that CI sent is compared with, unless another is asked for", function* () {
    const { account, cookie, ran } = yield* accountWithRuns()
    const { owner, repo } = account
    yield* ran(1, "Pay", "failed", { branch: "release" })
    yield* ran(2, "Pay", "passed")
    yield* ran(3, "Pay", "failed", { branch: "feature/x", base: "release" })
    const path = `/sources?${new URLSearchParams({ owner, repo, source: "github:3" })}`
    assert.deepStrictEqual(yield* groups(path, cookie), [["Known on release 1", ["Pay"]]])
    assert.deepStrictEqual(yield* groups(`${path}&base=main`, cookie), [["New failures 1", ["Pay"]]])
  })

  it.effect("a CI run of the base branch is compared with the one before it", function* () {
    const { account, cookie, ran } = yield* accountWithRuns()
    const { owner, repo } = account
    yield* ran(1, "Pay", "failed")
    for (const name of ["Pay", "Search"]) yield* ran(2, name, "failed")
    const path = `/sources?${new URLSearchParams({ owner, repo, source: "github:2" })}`
    assert.deepStrictEqual(yield* groups(path, cookie), [
      ["New failures 1", ["Search"]],
      ["Known failures 1", ["Pay"]]
    ])
    const { text } = yield* visit("GET", path, { cookie })
    assert.match(text, /These tests did not fail before on[^]*These tests failed before on/)
  })

  it.effect("failures that the base branch has too are known, the others are new", function* () {
    const { account, cookie, ran } = yield* accountWithRuns()
    const { owner, repo } = account
    for (const name of ["Pay", "Search", "Map"]) yield* ran(1, name, name === "Search" ? "failed" : "passed")
    const branch = { branch: "feature/x", pr: 7 }
    yield* ran(2, "Pay", "failed", { ...branch, failureMessage: "No <button>\n  at pay.js" })
    yield* ran(2, "Search", "failed", branch)
    yield* ran(2, "Map", "passed", { ...branch, attempts: retried })
    yield* ran(2, "List", "passed", branch)
    const path = `/sources?${new URLSearchParams({ owner, repo, source: "github:2" })}`
    assert.deepStrictEqual(yield* groups(path, cookie), [
      ["New failures 1", ["Pay"]],
      ["Known on main 1", ["Search"]],
      ["Flaky 1", ["Map"]],
      ["Passed 1", ["List"]]
    ])
    assert.deepStrictEqual((yield* groups(`${path}&base=develop`, cookie))[0], ["New failures 2", ["Search", "Pay"]])
    const { text } = yield* visit("GET", path, { cookie })
    assert.include(unescaped(text), "<bdi>No <button></bdi>")
    assert.notInclude(text, "at pay.js")
    assert.notInclude(text, "there are more")
  })
})
