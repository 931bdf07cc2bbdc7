/** The home page of an account. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { readyPreview } from "../../http/testing/previews.ts"
import { paths } from "../access/site.ts"
import { accountWithRuns, registerRun, retried } from "../testing/previews.ts"
import { signIn, visit } from "../testing/visit.ts"

layer(TestHost.layer(inMemory))("the home page", (it) => {
  it.effect(
    "has a card for each repository: broken ones first, then flaky ones, then those that ran last",
    function* () {
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
    }
  )

  it.effect("lists CI runs, and says how many broken tests a card leaves out", function* () {
    const { cookie, ran } = yield* accountWithRuns()
    for (const n of [1, 2, 3, 4, 5]) yield* ran(1, `Test ${n}`, "failed", { commitMessage: "Pay", author: "Zoë" })
    yield* ran(2, "Test 1", "failed", { branch: "next" })
    const { text } = yield* visit("GET", "/", { cookie })
    const said = text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
    assert.include(said, "+2 more")
    const [, latest = ""] = said.split("Latest CI runs")
    assert.match(latest, /github:2 [^]* Pay [^]*Zoë · main · 0000000 [^]*github:1 5 failed/)
  })

  it.effect("leads to the usage of the account", function* () {
    const { cookie } = yield* accountWithRuns()
    assert.include((yield* visit("GET", "/", { cookie })).text, 'href="/usage"')
    const { status, text } = yield* visit("GET", "/usage", { cookie })
    assert.strictEqual(status, 200)
    assert.match(text, /billed test runs? this month[^]*test runs? this month/)
  })
})

// The search across an account.

const all = ["builds", "preview_upload", "test_runs"] as const

layer(TestHost.layer(inMemory))("search", (it) => {
  it.effect("finds tests, CI runs, a preview and repositories of the account, and no one else's", function* () {
    const [account, other] = [yield* newAccount(all), yield* newAccount(all)]
    const commitSha = "abcdef12".repeat(5)
    const sources = new Map<string, string>()
    for (const { key, owner, repo } of [account, other]) {
      const of = { key, owner, repo }
      const { shareId } = yield* readyPreview(of)
      sources.set(key, shareId)
      yield* registerRun(of, {
        previewShareId: shareId,
        name: "Pay <b>by card</b>",
        status: "failed",
        branch: "feature/pay",
        commitSha,
        pr: 4711,
        source: "github:99/1",
        author: "Zoë Bell",
        commitMessage: "Pay later",
        file: "flows/checkout.yaml",
        device: { name: "Pixel 9", platform: "android" }
      })
    }
    const cookie = yield* signIn(account.key)
    const search = (text: string) =>
      Effect.map(visit("GET", `/search?${new URLSearchParams({ q: text })}`, { cookie }), ({ status, text: body }) => {
        assert.strictEqual(status, 200, text)
        assert.notInclude(body, "<b>by card</b>", text)
        assert.notInclude(body, other.owner, text)
        return body
      })
    const source = paths.source(account, "github:99/1").replaceAll("&", "&amp;")
    for (const text of ["feature/pay", "abcdef", "ABCDEF12", "#4711", "4711", "bell LATER zoë", "github:99"]) {
      assert.include(yield* search(text), source, text)
    }
    const branch = `${paths.repository(account)}&branch=feature%2Fpay`.replaceAll("&", "&amp;")
    for (const text of ["feature/pay", "URE/PA"]) assert.include(yield* search(text), branch, text)
    for (const text of ["BY CARD", "card pay", "checkout.yaml android", "pixel pay"]) {
      assert.include(yield* search(text), "Pay &lt;b&gt;by card", text)
    }
    assert.include(yield* search(sources.get(account.key) ?? ""), paths.preview(sources.get(account.key) ?? ""))
    assert.include(yield* search(account.owner.toUpperCase()), paths.repository(account).replaceAll("&", "&amp;"))
    for (const text of ["no such name", "%", "\0", sources.get(other.key) ?? "", "x".repeat(5000)]) {
      assert.match(yield* search(text), /Nothing matches|Search for tests/, text)
    }
  })

  it.effect("needs the scope of test runs", function* () {
    const { key } = yield* newAccount(["builds"])
    const page = yield* visit("GET", "/search?q=pay", { cookie: yield* signIn(key) })
    assert.strictEqual(page.status, 403)
  })
})
