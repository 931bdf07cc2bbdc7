/** Which failures the page of a CI run calls new. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { testEngines } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { accountWithRuns, retried } from "../testing/histories.ts"
import { unescaped, visit } from "../testing/visit.ts"

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`the page of a CI run, on ${engines.metadata}`, (it) => {
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

    it.effect("a test with several runs is counted once, and failed if one of them failed", () =>
      Effect.gen(function* () {
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
      })
    )

    it.effect("failures that the base branch has too are known, the others are new", () =>
      Effect.gen(function* () {
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
        assert.deepStrictEqual((yield* groups(`${path}&base=develop`, cookie))[0], [
          "New failures 2",
          ["Search", "Pay"]
        ])
        const { text } = yield* visit("GET", path, { cookie })
        assert.include(unescaped(text), "<bdi>No <button></bdi>")
        assert.notInclude(text, "at pay.js")
        assert.notInclude(text, "there are more")
      })
    )
  })
}
