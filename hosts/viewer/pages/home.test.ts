/** The home page of an account. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestHost } from "../../http/testing/TestHost.ts"
import { testEngines } from "../../http/testing/engines.ts"
import { accountWithRuns, retried } from "../testing/histories.ts"
import { visit } from "../testing/visit.ts"

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`the home page, on ${engines.metadata}`, (it) => {
    it.effect("has a card for each repository: broken ones first, then flaky ones, then those that ran last", () =>
      Effect.gen(function* () {
        const { admin } = yield* TestHost
        const { account, cookie, ran } = yield* accountWithRuns()
        const { name, owner } = account
        for (const repo of ["broken", "flaky", "quiet"]) yield* admin.linkRepository({ account: name, owner, repo })
        yield* ran(1, "Pay", "failed", { repo: "broken" })
        yield* ran(1, "Pay", "passed", { repo: "flaky", attempts: retried })
        yield* ran(2, "Pay")
        const { text } = yield* visit("GET", "/", { cookie })
        const cards = [...text.matchAll(/<li class="card repository">([^]*?)<\/li>/g)].map(([, card = ""]) =>
          card.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
        )
        const facts = [
          [`${owner}/broken`, "broken 1", "Pay since"],
          [`${owner}/flaky`, "broken 0", "flaky this week 1"],
          [`${owner}/App`, "broken 0", "flaky this week 0", "last CI run 1 day ago"],
          [`${owner}/quiet`, "No test runs yet."]
        ]
        assert.lengthOf(cards, facts.length)
        facts.forEach((expected, at) => {
          for (const fact of expected) assert.include(cards[at] ?? "", fact)
        })
      })
    )

    it.effect("leads to the usage of the account", () =>
      Effect.gen(function* () {
        const { cookie } = yield* accountWithRuns()
        assert.include((yield* visit("GET", "/", { cookie })).text, 'href="/usage"')
        const { status, text } = yield* visit("GET", "/usage", { cookie })
        assert.strictEqual(status, 200)
        assert.match(text, /billed test runs? this month[^]*test runs? this month/)
      })
    )
  })
}
