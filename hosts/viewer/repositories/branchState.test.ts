/** The badge of a branch and its feed: who may see them, what they say, and whether a reader of feeds takes the feed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SaxesParser } from "saxes"
import { inMemory } from "../../http/testing/engines.ts"
import { layer } from "../../../core/testing/layer.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { accountWithRuns, retried } from "../testing/previews.ts"
import { signIn, unescaped, visit } from "../testing/visit.ts"

const scopes = ["preview_upload", "test_runs", "quarantine"] as const
const atom = "http://www.w3.org/2005/Atom"
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

interface Entry {
  readonly [element: string]: ReadonlyArray<{ readonly text: string; readonly href: string; readonly rel: string }>
}

/** Reads a feed, and holds it to the rules of RFC 4287 for feeds and entries. */
const readFeed = (text: string) => {
  const found = new Map<string, Array<{ element: string; text: string; href: string; rel: string; in: number }>>()
  const open: Array<string> = []
  let [entries, written] = [0, ""]
  const parser = new SaxesParser({ xmlns: true })
  parser.on("error", (error) => assert.fail(error.message))
  parser.on("opentag", ({ attributes, local, uri }) => {
    assert.strictEqual(uri, atom)
    if (local === "entry") entries += 1
    const at = open[1] === "entry" || local === "entry" ? entries : 0
    const of = (name: string) => attributes[name]?.value ?? ""
    if (open.length === (at === 0 ? 1 : 2) && local !== "entry")
      found.set(`${at}`, [
        ...(found.get(`${at}`) ?? []),
        { element: local, text: "", href: of("href"), rel: of("rel"), in: at }
      ])
    open.push(local)
    written = ""
  })
  parser.on("text", (part) => (written += part))
  parser.on("closetag", ({ local }) => {
    open.pop()
    const last = found.get(open[1] === "entry" ? `${entries}` : "0")?.findLast(({ element }) => element === local)
    if (last !== undefined) last.text ||= written
  })
  parser.write(text).close()
  const grouped = (at: number): Entry => Object.groupBy(found.get(`${at}`) ?? [], ({ element }) => element) as Entry
  const feed = grouped(0)
  const all = Array.from({ length: entries }, (_, index) => grouped(index + 1))
  for (const one of [feed, ...all]) {
    for (const element of ["id", "title", "updated"]) assert.strictEqual(one[element]?.length, 1, element)
    assert.match(one["updated"]?.[0]?.text ?? "", time)
    assert.isTrue(URL.canParse(one["id"]?.[0]?.text ?? ""))
    assert.isAtMost(one["link"]?.filter(({ rel }) => rel === "alternate").length ?? 0, 1)
    for (const { href } of one["link"] ?? []) assert.isTrue(URL.canParse(href), href)
  }
  assert.strictEqual(feed["author"]?.length, 1, "entries have none")
  assert.strictEqual(feed["link"]?.filter(({ rel }) => rel === "self").length, 1)
  const ids = all.map(({ id }) => id?.[0]?.text)
  assert.strictEqual(new Set(ids).size, ids.length)
  return all.map(({ title }) => title?.[0]?.text)
}

layer(TestHost.layer(inMemory))("the state of a branch", (it) => {
  it.effect("is a badge and a feed of breaks and fixes, and a failure in quarantine is no pass", function* () {
    const { account, cookie, ran } = yield* accountWithRuns(scopes)
    const { call } = yield* TestHost
    const { key, owner, repo } = account
    const id = encodeURIComponent(`${owner}/${repo}/main`)
    const badge = Effect.map(call("GET", `/badges/${id}`, { key }), ({ text }) => /<title>([^<]+)/.exec(text)?.[1])
    const feed = Effect.gen(function* () {
      const { headers, status, text } = yield* visit("GET", `/feeds/${id}`, { cookie })
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "application/atom+xml; charset=utf-8"])
      return readFeed(text)
    })
    assert.strictEqual(yield* badge, "tests: no runs")
    assert.deepStrictEqual(yield* feed, [])
    yield* ran(1, "Tide & <moon>\uFFFE")
    yield* ran(1, "Gate", "passed", { attempts: retried })
    assert.strictEqual(yield* badge, "tests: passing")
    yield* ran(2, "Tide & <moon>\uFFFE", "failed", { failureMessage: "No ]]> tide" })
    yield* ran(2, "Gate")
    assert.strictEqual(yield* badge, "tests: 1 broken")
    yield* ran(3, "Tide & <moon>\uFFFE")
    yield* ran(3, "Elsewhere", "failed", { branch: "next" })
    assert.strictEqual(yield* badge, "tests: passing")
    yield* call("POST", `/api/v1/quarantines?org=${owner}&repo=${repo}`, {
      key,
      body: { kind: "maestro", name: "Gate", reason: "Waits for the moon" }
    })
    yield* ran(4, "Gate", "failed")
    assert.strictEqual(yield* badge, "tests: 1 quarantined")
    assert.deepStrictEqual(yield* feed, [
      "Gate failed in quarantine on main",
      "Tide & <moon>\uFFFD was fixed on main",
      "Tide & <moon>\uFFFD broke on main"
    ])
    const byDefault = yield* call("GET", `/badges/${encodeURIComponent(`${owner}/${repo}`)}`, { key })
    assert.include(byDefault.text, "1 quarantined")
    yield* call("POST", "/api/v1/sources/github%3A5/imports", {
      key,
      body: { owner, repo, id: "e2e", expectedRuns: 2, branch: "main" }
    })
    assert.strictEqual(yield* badge, "tests: incomplete")
  })

  it.effect("is seen by keys of the account alone, and a badge by a link until it ends", function* () {
    const { account, cookie, path, ran } = yield* accountWithRuns(scopes)
    const { admin, call, url } = yield* TestHost
    yield* ran(1, "Tide", "failed")
    const { owner, repo } = account
    const id = encodeURIComponent(`${owner}/${repo}/main`)
    const other = yield* newAccount(["test_runs"])
    const { key } = yield* admin.createKey({ account: account.name, name: "builds", scopes: ["builds"] })
    const paths = [`/badges/${id}`, `/feeds/${id}`, `/badges/${id}/shares`]
    for (const at of paths) {
      const theirs = yield* visit("GET", at, { cookie: yield* signIn(other.key) })
      const none = yield* visit("GET", at.replace(owner, "nobody"), { cookie: yield* signIn(other.key) })
      assert.deepStrictEqual([theirs.status, none.status], [404, 404], at)
      assert.strictEqual((yield* visit("GET", at)).status, 401, at)
      assert.strictEqual((yield* visit("GET", at, { cookie: yield* signIn(key) })).status, 403, at)
    }
    for (const wrong of ["acme", "a/b/c%00", "%F0%9F", `${owner}%2F${repo}`]) {
      const { status } = yield* visit("GET", `/badges/${wrong}/shares`, { cookie })
      assert.oneOf(status, [400, 404], wrong)
    }
    assert.include((yield* visit("GET", `${path}&tab=settings`, { cookie })).text, `/badges/${id}/shares`)
    const form = { seconds: "3600" }
    const made = yield* visit("POST", `/badges/${id}/shares`, { cookie, form, headers: { origin: url } })
    assert.strictEqual(made.status, 200)
    const [, secret = ""] = /\/shared\/([0-9A-Za-z]{32})/.exec(made.text) ?? []
    const shown = yield* call("GET", `/shared/${secret}`)
    assert.deepStrictEqual([shown.status, shown.headers.get("content-type")], [200, "image/svg+xml; charset=utf-8"])
    assert.include(shown.text, "tests: 1 broken")
    assert.strictEqual(shown.headers.get("cross-origin-resource-policy"), "cross-origin")
    for (const at of [`/shared/${secret}/view?recording=0`, `/shared/${secret}/view?path=a`]) {
      assert.strictEqual((yield* visit("GET", at)).status, 404, at)
    }
    const listed = yield* visit("GET", `/badges/${id}/shares`, { cookie })
    const [, revoke = ""] = /action="([^"]+\/revoke)"/.exec(unescaped(listed.text)) ?? []
    yield* visit("POST", revoke, { cookie, form: {}, headers: { origin: url } })
    assert.strictEqual((yield* call("GET", `/shared/${secret}`)).status, 410)
    yield* admin.unlinkRepository({ account: account.name, owner, repo })
    assert.strictEqual((yield* visit("GET", `/badges/${id}`, { cookie })).status, 404)
  })
})
