/** The pages with which owners administer their account, over real HTTP. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { signIn, unescaped, visit, type Visit } from "../testing/visit.ts"

const ownAccount = Effect.gen(function* () {
  const account = yield* newAccount(["builds", "account_admin"])
  const cookie = yield* signIn(account.key)
  const get = (path: string) => visit("GET", path, { cookie })
  const post = (path: string, form: Record<string, string> = {}) => visit("POST", path, { cookie, form })
  return { account, cookie, get, post }
})

/** The secret that a page shows once. */
const secretIn = ({ text }: Visit): string => /<input id="link" readonly value="([^"]*)"/.exec(text)?.[1] ?? ""

/** The ids of the keys or webhooks that a page links to, in order. */
const idsIn = ({ text }: Visit, kind: "keys" | "webhooks") =>
  Array.from(text.matchAll(new RegExp(`href="/account/${kind}/([^"]+)"`, "g")), ([, id = ""]) => id)

/** Why a form was refused. */
const problemIn = ({ status, text }: Visit): string => {
  assert.strictEqual(status, 400)
  return unescaped(/role="alert">([^<]*)</.exec(text)?.[1] ?? "")
}

const works = Effect.fnUntraced(function* (key: string) {
  const { call } = yield* TestHost
  return (yield* call("GET", "/api/v1/builds?owner=a&repo=b&branch=main", { key })).status !== 401
})

layer(TestHost.layer(embedded()))("the pages of an account's owner", (it) => {
  it.effect("create a key, shown once, rotate it and revoke it, each in the audit log", function* () {
    const { admin } = yield* TestHost
    const { account, get, post } = yield* ownAccount
    const made = yield* post("/account/keys", { name: "ci", scope: "builds", expires: "604800" })
    const key = secretIn(made)
    assert.strictEqual(made.status, 200)
    assert.isTrue(yield* works(key))
    const list = yield* get("/account/keys")
    assert.notInclude(list.text, key)
    const [id = ""] = idsIn(list, "keys")
    const [record] = (yield* admin.listKeys({ account: account.name })).keys.toReversed()
    assert.deepStrictEqual([record?.id, record?.name, record?.scopes], [id, "ci", ["builds"]])

    const rotated = yield* post(`/account/keys/${id}/rotate`, { overlap: "0" })
    assert.isTrue(yield* works(secretIn(rotated)))
    assert.isFalse(yield* works(key))

    const [next = ""] = idsIn(rotated, "keys")
    const revoked = yield* post(`/account/keys/${next}/revoke`)
    assert.deepStrictEqual([revoked.status, revoked.headers.get("location")], [303, "/account/keys"])
    assert.isFalse(yield* works(secretIn(rotated)))
    const again = yield* post(`/account/keys/${next}/rotate`, { overlap: "0" })
    assert.include(problemIn(again), "is revoked or expired")

    const entries = (yield* admin.listAudit({ account: account.name, limit: 100 })).toReversed()
    assert.deepStrictEqual(
      entries.flatMap(({ action, actor }) => ("session" in actor && actor.key === account.keyId ? [action] : [])),
      ["key.created", "key.rotated", "key.revoked"]
    )
  })

  it.effect("refuse a form that doesn't fit with the name of the field, and change nothing", function* () {
    const { account, post } = yield* ownAccount
    const { admin } = yield* TestHost
    const before = (yield* admin.listAudit({ account: account.name, limit: 100 })).length
    const cases = [
      ["/account/keys", { name: "", scope: "builds", expires: "" }, "Name: must not be empty"],
      ["/account/keys", { name: "ci", expires: "" }, "Scopes: is required"],
      ["/account/keys", { name: "ci", scope: "builds", expires: "1" }, "Expires after: must be one of the choices"],
      ["/account/webhooks", { url: "http://ci.example/" }, "URL: must be an https URL"],
      ["/account/webhooks", { url: "https://127.0.0.1:9/" }, "must not be of the machine of the service"],
      ["/account/retention", { previews: "soon" }, "previews: must be a number of days"]
    ] as const
    for (const [path, form, why] of cases) assert.include(problemIn(yield* post(path, form)), why)
    const contradictory = { previews: "7", runs: "30", histories: "", builds: "", buildsPerBranch: "" }
    assert.include(problemIn(yield* post("/account/retention", contradictory)), "Test runs must not be longer")
    assert.lengthOf(yield* admin.listAudit({ account: account.name, limit: 100 }), before)
  })

  it.effect("filter keys and repositories by a part of their name, if there are many", function* () {
    const { admin } = yield* TestHost
    const { account, get } = yield* ownAccount
    assert.notInclude((yield* get("/account/keys")).text, 'name="text"')
    for (let n = 1; n <= 20; n += 1) {
      yield* admin.createKey({ account: account.name, name: `CI of team ${n}`, scopes: ["builds"] })
      yield* admin.linkRepository({ account: account.name, owner: account.owner, repo: `App-${n}` })
    }
    const names = Effect.fnUntraced(function* (path: string) {
      const { text } = yield* get(path)
      const list = /<ul class="list">[^]*?<\/ul>/.exec(text)?.[0] ?? ""
      assert.include(text, 'name="text"')
      return (list.match(/<span class="name">/g) ?? []).length
    })
    assert.strictEqual(yield* names("/account/keys"), 21)
    assert.strictEqual(yield* names("/account/keys?text=ci+of+TEAM+1"), 11)
    assert.strictEqual(yield* names("/account/keys?text=none"), 0)
    assert.strictEqual(yield* names("/account/repositories?text=app-2"), 2)
  })

  it.effect("set retention rules, and forget those that are default again", function* () {
    const { account, get, post } = yield* ownAccount
    const { admin } = yield* TestHost
    yield* admin.retain({ account: account.name, rules: { billed: "forever" }, forget: [] })
    const rules = { previews: "30", runs: "7", histories: "", builds: "forever", buildsPerBranch: "5" }
    assert.strictEqual((yield* post("/account/retention", rules)).status, 303)
    const own = Effect.map(admin.retain({ account: account.name, rules: {}, forget: [] }), ({ own }) => own)
    assert.deepStrictEqual(Object.keys(yield* own).toSorted(), [
      "billed",
      "builds",
      "buildsPerBranch",
      "previews",
      "runs"
    ])
    assert.include((yield* get("/account/retention")).text, '<option value="7" selected>7 days')
    yield* post("/account/retention", { ...rules, previews: "", runs: "", builds: "", buildsPerBranch: "" })
    assert.deepStrictEqual(yield* own, { billed: "forever" })
  })

  it.effect("set and unset the default branch and the web address of a repository", function* () {
    const { account, post } = yield* ownAccount
    const { admin } = yield* TestHost
    const { owner, repo } = account
    const path = `/account/repositories/settings?${new URLSearchParams({ owner, repo })}`
    const webUrl = "https://github.com/acme/app"
    const linked = Effect.map(admin.listRepositories({ account: account.name }), ([one]) => [
      one?.defaultBranch,
      one?.webUrl
    ])
    assert.strictEqual((yield* post(path, { owner, repo, defaultBranch: "trunk", webUrl })).status, 303)
    assert.deepStrictEqual(yield* linked, ["trunk", webUrl])
    const wrong = yield* post(path, { owner, repo, defaultBranch: "", webUrl: "github.com/acme/app" })
    assert.include(problemIn(wrong), "Web address: must be the URL of a repository")
    assert.include(wrong.text, 'value="github.com/acme/app"', "what was typed is there again")
    yield* post(path, { owner, repo, defaultBranch: "", webUrl: "" })
    assert.deepStrictEqual(yield* linked, [undefined, undefined])
  })

  it.effect("add a webhook, whose secret is shown once, and remove it", function* () {
    const { account, get, post } = yield* ownAccount
    const { admin } = yield* TestHost
    const made = yield* post("/account/webhooks", { url: "https://ci.example/hook", event: "run.registered" })
    assert.match(secretIn(made), /^whsec_/)
    const list = yield* get("/account/webhooks")
    assert.notInclude(list.text, secretIn(made))
    const [id = ""] = idsIn(list, "webhooks")
    const own = Effect.map(admin.listWebhooks(), (all) =>
      all.flatMap((one) => (one.account?.name === account.name ? [one.webhook] : []))
    )
    assert.deepStrictEqual(
      (yield* own).map((one) => `${one.id} ${one.types.join()}`),
      [`${id} run.registered`]
    )
    assert.include((yield* get(`/account/webhooks/${id}`)).text, "Nothing was delivered yet")
    assert.strictEqual((yield* post(`/account/webhooks/${id}/remove`)).status, 303)
    assert.isEmpty(yield* own)
  })
})
