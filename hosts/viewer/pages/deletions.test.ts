/** The pages on which people delete builds, previews and runs, and what is said of a run whose preview was deleted. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../../core/testing/layer.ts"
import { CreateShareLinkResponse } from "../../../core/api/shareLinks.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { everyday, oneOfEach } from "../testing/previews.ts"
import { frameOf, objectsOf, signIn, unescaped, visit } from "../testing/visit.ts"

const asShared = Schema.decodeUnknownEffect(CreateShareLinkResponse)

const share = Effect.fnUntraced(function* (key: string, path: string) {
  const host = yield* TestHost
  const { url } = yield* asShared((yield* host.call("POST", `/api/v1/${path}/shares`, { key, body: {} })).json)
  return new URL(url).pathname
})

layer(TestHost.layer(inMemory))("deleting on the pages", (it) => {
  it.effect("asks again on a page that names the resource, and deletes nothing before its form is sent", function* () {
    const { account, build, cookie, headers, runPage, preview, shareId } = yield* oneOfEach
    const { owner, repo } = account
    const repository = `/repositories?${new URLSearchParams({ owner, repo })}`
    for (const [path, named, leadsTo] of [
      [build, "main & <all>", repository],
      [runPage, "Checkout & <pay>", repository],
      [preview, shareId, "/"]
    ] as const) {
      assert.include((yield* visit("GET", path, { cookie })).text, `href="${path}/delete"`)
      const asked = yield* visit("GET", `${path}/delete`, { cookie })
      assert.strictEqual(asked.status, 200)
      assert.include(unescaped(asked.text), named)
      assert.include(asked.text, `<form method="post" action="${path}/delete">`)
      assert.strictEqual((yield* visit("GET", path, { cookie })).status, 200, "asking deletes nothing")
      const deleted = yield* visit("POST", `${path}/delete`, { cookie, headers, form: {} })
      assert.strictEqual(deleted.status, 303)
      assert.strictEqual(deleted.headers.get("location"), leadsTo)
      for (const method of ["GET", "POST"]) {
        const again = yield* visit(method, `${path}/delete`, {
          cookie,
          headers,
          ...(method === "POST" ? { form: {} } : {})
        })
        assert.strictEqual(again.status, 404)
      }
      assert.strictEqual((yield* visit("GET", path, { cookie })).status, 404)
    }
  })

  it.effect("needs the scope delete: without it no page offers it, and the forms are refused", function* () {
    const { build, cookie, cookieWith, headers, runPage, preview } = yield* oneOfEach
    const less = yield* cookieWith(...everyday)
    const only = yield* cookieWith("delete")
    for (const path of [build, preview, runPage]) {
      assert.notInclude((yield* visit("GET", path, { cookie: less })).text, `${path}/delete`)
      for (const cookie of [less, only]) {
        assert.strictEqual((yield* visit("GET", `${path}/delete`, { cookie })).status, 403)
        assert.strictEqual((yield* visit("POST", `${path}/delete`, { cookie, headers, form: {} })).status, 403)
      }
      assert.strictEqual((yield* visit("GET", path, { cookie })).status, 200)
    }
  })

  it.effect(
    "of a preview: its page and those of its runs answer 410 with the reason; they stay in the lists",
    function* () {
      const { account, cookie, cookieWith, headers, runPage, preview, run } = yield* oneOfEach
      const shared = yield* share(account.key, `test-runs/${run.id}`)
      const sharedPreview = yield* share(account.key, `previews/${run.previewShareId}`)
      assert.include((yield* visit("GET", shared)).text, "Device log")
      yield* visit("POST", `${preview}/delete`, { cookie, headers, form: {} })

      const deleted = yield* visit("GET", preview, { cookie })
      assert.strictEqual(deleted.status, 410)
      assert.include(deleted.text, "This preview was deleted")
      assert.include(deleted.text, `href="${runPage}"`)
      const unlinked = yield* visit("GET", preview, { cookie: yield* cookieWith("preview_upload") })
      assert.strictEqual(unlinked.status, 410)
      assert.notInclude(unlinked.text, runPage)

      for (const of of [
        { path: runPage, cookie },
        { path: runPage, cookie: yield* cookieWith("test_runs") },
        { path: shared, cookie: undefined }
      ]) {
        const kept = yield* visit("GET", of.path, { cookie: of.cookie })
        assert.strictEqual(kept.status, 410)
        assert.include(unescaped(kept.text), "Checkout & <pay>")
        assert.include(kept.text, "The preview of this run was deleted")
        assert.notInclude(kept.text, "Device log")
        assert.notInclude(kept.text, ">Preview</a")
      }
      assert.strictEqual((yield* visit("GET", sharedPreview)).status, 404)
      const compared = yield* visit("GET", `/compare?left=${run.id}&right=${run.id}`, { cookie })
      assert.strictEqual(compared.status, 200)
      assert.include(compared.text, "The preview of this run was deleted")

      const stranger = yield* signIn((yield* newAccount([...everyday, "delete"])).key)
      for (const path of [preview, runPage]) {
        assert.strictEqual((yield* visit("GET", path, { cookie: stranger })).status, 404)
      }
      yield* visit("POST", `${runPage}/delete`, { cookie, headers, form: {} })
      for (const path of [preview, runPage]) assert.strictEqual((yield* visit("GET", path, { cookie })).status, 404)
      assert.strictEqual((yield* visit("GET", shared)).status, 404)
    }
  )

  it.effect("ends what pages had opened: the running app and the objects", function* () {
    const { build, cookie, headers, preview } = yield* oneOfEach
    const shown = (yield* visit("GET", preview, { cookie })).text
    const opened = [
      frameOf((yield* visit("GET", build, { cookie })).text),
      frameOf(shown),
      `${objectsOf(shown)}recordings/0`
    ].map((url) => new URL(url, "http://viewer").pathname)
    for (const path of opened) {
      assert.strictEqual((yield* visit("GET", path, { headers: { "sec-fetch-dest": "iframe" } })).status, 200, path)
    }
    for (const path of [build, preview]) yield* visit("POST", `${path}/delete`, { cookie, headers, form: {} })
    for (const path of opened) {
      assert.strictEqual((yield* visit("GET", path, { headers: { "sec-fetch-dest": "iframe" } })).status, 404, path)
    }
  })
})

// The forms by which people keep builds, previews and runs, and release them.

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

layer(TestHost.layer(inMemory))("keeping on the pages", (it) => {
  it.effect("keep a resource and release it, and the audit log says who did", function* () {
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

  it.effect("are kept with the scope to see a resource, and released with the scope to delete it", function* () {
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
})
