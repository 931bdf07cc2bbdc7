/** The forms by which people keep builds, previews and runs, and release them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { testEngines } from "../../http/testing/engines.ts"
import { everyday, oneOfEach } from "../testing/ofEach.ts"
import { signIn, visit } from "../testing/visit.ts"

/** One of each resource of a new account, with the subject of its audit entries and the scope to see it. */
const prepared = Effect.map(oneOfEach, ({ build, preview, row, run, runPage, shareId, ...rest }) => ({
  ...rest,
  resources: [
    [build, `build:${row.id}`, "builds"],
    [preview, `preview:${shareId}`, "preview_upload"],
    [runPage, `run:${run.id}`, "test_runs"]
  ] as const
}))

/** What the audit log has about keeping, the latest first. */
const keepsOf = Effect.fnUntraced(function* (account: string) {
  const { admin } = yield* TestHost
  const all = yield* admin.listAudit({ account, limit: 100 })
  return all.filter(({ action }) => action === "keep.began" || action === "keep.ended")
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`keeping on the pages, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("keep a resource and release it, and the audit log says who did", () =>
      Effect.gen(function* () {
        const { account, cookie, headers, resources } = yield* prepared
        for (const [page, subject] of resources) {
          const looks = Effect.map(visit("GET", page, { cookie }), ({ text }) => ({
            keeps: text.includes(`action="${page}/keep"`),
            releases: text.includes(`action="${page}/release"`),
            kept: text.includes("however old it gets")
          }))
          assert.deepStrictEqual(yield* looks, { keeps: true, releases: false, kept: false })
          // Again changes nothing, and is no entry.
          for (const _ of [1, 2]) {
            const { headers: answered, status } = yield* visit("POST", `${page}/keep`, { cookie, headers, form: {} })
            assert.deepStrictEqual([status, answered.get("location")], [303, page])
            yield* TestClock.adjust("1 minute")
          }
          assert.deepStrictEqual(yield* looks, { keeps: false, releases: true, kept: true })
          const { status } = yield* visit("POST", `${page}/release`, { cookie, headers, form: {} })
          assert.strictEqual(status, 303)
          assert.deepStrictEqual(yield* looks, { keeps: true, releases: false, kept: false })
          const entries = (yield* keepsOf(account.name)).filter((entry) => entry.subject === subject)
          assert.deepStrictEqual(
            entries.map(({ action }) => action),
            ["keep.ended", "keep.began"]
          )
          for (const { actor } of entries) assert.include(actor, { key: account.keyId })
        }
      })
    )

    it.effect("are kept with the scope to see a resource, and released with the scope to delete it", () =>
      Effect.gen(function* () {
        const { account, cookie, cookieWith, headers, resources } = yield* prepared
        for (const [page, , scope] of resources) {
          const seeing = yield* cookieWith(scope)
          const blind = yield* cookieWith(scope === "builds" ? "test_runs" : "builds", "delete")
          const ask = (by: string, what: string) =>
            Effect.map(visit("POST", page + what, { cookie: by, headers, form: {} }), ({ status }) => status)
          assert.strictEqual(yield* ask(blind, "/keep"), 403)
          assert.strictEqual(yield* ask(seeing, "/keep"), 303)
          const { text } = yield* visit("GET", page, { cookie: seeing })
          assert.include(text, "however old it gets")
          assert.notInclude(text, "/release")
          for (const by of [seeing, blind]) assert.strictEqual(yield* ask(by, "/release"), 403)
          assert.include((yield* visit("GET", page, { cookie })).text, `action="${page}/release"`)
        }
        assert.lengthOf(yield* keepsOf(account.name), resources.length)
      })
    )

    it.effect(
      "are not for other accounts, nor for nobody, nor for other sites, and what doesn't exist isn't kept",
      () =>
        Effect.gen(function* () {
          const { account, cookie, headers, resources } = yield* prepared
          const stranger = yield* signIn((yield* newAccount([...everyday, "delete"])).key)
          for (const [page] of resources) {
            for (const what of ["/keep", "/release"]) {
              const ask = (by: string | undefined, path: string, origin: string) =>
                Effect.map(
                  visit("POST", path + what, { cookie: by, headers: { ...headers, origin }, form: {} }),
                  ({ status }) => status
                )
              assert.strictEqual(yield* ask(stranger, page, headers.origin), 404)
              assert.strictEqual(yield* ask(undefined, page, headers.origin), 401)
              assert.strictEqual(yield* ask(cookie, page, "https://evil.example"), 403)
              const none = page.replace(/[^/]+$/, "00000000-0000-7000-8000-000000000000")
              assert.strictEqual(yield* ask(cookie, none, headers.origin), 404)
            }
          }
          assert.isEmpty(yield* keepsOf(account.name))
        })
    )
  })
}
