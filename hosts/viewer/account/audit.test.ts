/** The audit log, over real HTTP: the entry of each change, its actor, and who may read it. */
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../../core/testing/layer.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { readyPreview, registered } from "../../http/testing/previews.ts"
import { bundle, finalize, put, readyBuild, reserve } from "../../http/testing/uploads.ts"
import { uploadPreview } from "../testing/previews.ts"
import { cookieOf, signIn, unescaped, visit } from "../testing/visit.ts"

/** The entries that the page lists, in order: the action of each, and all of its text. */
const listed = Effect.fnUntraced(function* (cookie: string, path = "/audit") {
  const { status, text } = yield* visit("GET", path, { cookie })
  assert.strictEqual(status, 200)
  return Array.from(text.matchAll(/<li>(.*?)<\/li>/gs), ([, item = ""]) => {
    const words = unescaped(item.replaceAll(/<[^>]*>/g, " "))
      .replaceAll(/\s+/g, " ")
      .trim()
    const action = /class="name">([^<]*)</.exec(item)?.[1] ?? ""
    return { action, words }
  })
})

const entriesOf = Effect.fnUntraced(function* (account: string) {
  const entries = yield* (yield* TestHost).admin.listAudit({ account, limit: 1000 })
  return entries.toReversed()
})

layer(TestHost.layer(inMemory))("the audit log", (it) => {
  it.effect("has each change once, in order, with who made it; what changes nothing isn't there", function* () {
    const { admin } = yield* TestHost
    const { name, owner, repo } = yield* newAccount(["builds"])
    const before = (yield* entriesOf(name)).length
    const { record } = yield* admin.createKey({ account: name, name: "ci", scopes: ["builds"] })
    const rotated = yield* admin.rotateKey({ id: record.id, overlap: Duration.hours(1) })
    yield* admin.revokeKey({ id: record.id })
    yield* admin.revokeKey({ id: record.id })
    yield* Effect.flip(admin.rotateKey({ id: record.id, overlap: Duration.hours(1) }))
    yield* admin.linkRepository({ account: name, owner, repo })
    const trust = { owner, repo, issuer: "https://ci.example" }
    yield* admin.trustRepository({ ...trust, scopes: ["builds"] })
    yield* admin.untrustRepository(trust)
    yield* Effect.flip(admin.untrustRepository(trust))
    const { webhook } = yield* admin.addWebhook({ account: name, url: "https://ci.example/a?b=c", types: [] })
    yield* admin.removeWebhook({ id: webhook.id })
    yield* Effect.flip(admin.removeWebhook({ id: webhook.id }))
    yield* admin.unlinkRepository({ account: name, owner, repo })
    yield* Effect.flip(admin.unlinkRepository({ account: name, owner, repo }))
    yield* Effect.flip(admin.createAccount({ name }))
    const made = (yield* entriesOf(name)).slice(before)
    assert.deepStrictEqual(
      made.map(({ action, detail, subject }) => `${action} ${subject} ${detail ?? ""}`.trim()),
      [
        `key.created key:${record.id} ci: builds`,
        `key.rotated key:${record.id} ci, replaced by key:${rotated.record.id}`,
        `key.revoked key:${record.id} ci: builds`,
        `trust.created repository:${owner}/${repo} https://ci.example: builds`,
        `trust.ended repository:${owner}/${repo} https://ci.example`,
        `webhook.created webhook:${webhook.id} https://ci.example`,
        `webhook.removed webhook:${webhook.id} https://ci.example`,
        `repository.unlinked repository:${owner}/${repo}`
      ]
    )
    for (const { actor } of made) assert.deepStrictEqual(actor, { administrator: "command line" })
  })

  it.effect("has sign-ins and share links with their actor and address", function* () {
    const { url } = yield* TestHost
    const account = yield* newAccount(["builds", "preview_upload"])
    const { shareId } = yield* uploadPreview(account)
    const before = (yield* entriesOf(account.name)).length
    const cookie = yield* signIn(account.key)
    const answer = yield* Effect.promise(() =>
      fetch(`${url}/api/v1/previews/${shareId}/shares`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}` }
      })
    )
    assert.strictEqual(answer.status, 201)
    yield* visit("POST", "/sign-out", { cookie })
    yield* visit("POST", "/sign-out", { cookie })
    const other = yield* signIn(account.key)
    yield* visit("POST", "/sign-out-everywhere", { cookie: other })
    const entries = (yield* entriesOf(account.name)).slice(before)
    assert.deepStrictEqual(
      entries.map(({ action, actor }) => `${action} by ${Object.keys(actor).toSorted().join("+")}`),
      [
        "session.began by key",
        "share.created by key",
        "session.ended by key+session",
        "session.began by key",
        "sessions.ended by key+session"
      ]
    )
    for (const { address } of entries) assert.match(address ?? "", /127\.0\.0\.1/)
  })

  it.effect("names what a share link opens", function* () {
    const { call } = yield* TestHost
    const account = yield* newAccount(["preview_upload"])
    const { shareId } = yield* readyPreview(account, { branch: "feature/pay" })
    const shares = `/api/v1/previews/${shareId}/shares`
    assert.strictEqual((yield* call("POST", shares, account)).status, 201)
    const ofShares = Effect.map(entriesOf(account.name), (entries) =>
      entries.filter(({ subject }) => subject.startsWith("share:"))
    )
    const link = (yield* ofShares)[0]?.subject.slice("share:".length)
    assert.strictEqual((yield* call("DELETE", `${shares}/${link}`, account)).status, 204)
    assert.deepStrictEqual(
      (yield* ofShares).map(({ action, detail }) => `${action} ${detail ?? ""}`),
      ["share.created preview feature/pay", "share.revoked preview feature/pay"]
    )
  })

  it.effect(
    "has what was finalized, replaced and registered, once each, by which key and from which address",
    function* () {
      const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
      const before = (yield* entriesOf(account.name)).length
      const first = yield* readyBuild(account)
      const second = yield* reserve(account)
      yield* put(second.slots.bundle, bundle)
      for (const _ of [1, 2]) assert.strictEqual((yield* finalize(account, second.token)).status, 201)
      const { branch, commitSha } = first.row
      const { shareId } = yield* readyPreview(account, { branch, commitSha })
      const run = yield* registered(account, shareId)
      const at = `build:${first.row.id} ${first.row.branch} (${first.row.platform}) at ${first.row.commitSha}`
      const entries = (yield* entriesOf(account.name)).slice(before)
      assert.deepStrictEqual(
        entries.map(({ action, detail, subject }) => `${action} ${subject} ${detail ?? ""}`.trim()),
        [
          `build.finalized ${at}`,
          `build.replaced ${at}`,
          `preview.finalized preview:${shareId} ${branch} at ${commitSha}`,
          `run.registered run:${run.id} ${run.name ?? ""}`
        ]
      )
      for (const { actor, address } of entries) {
        assert.deepStrictEqual(actor, { key: account.keyId })
        assert.match(address ?? "", /127\.0\.0\.1/)
      }
    }
  )

  it.effect("has the use of a revoked or expired key, at most once an hour for each key", function* () {
    const { admin, call } = yield* TestHost
    const account = yield* newAccount(["builds"])
    const expiring = {
      account: account.name,
      name: "short",
      scopes: ["builds"],
      life: Duration.minutes(1)
    } as const
    const short = yield* admin.createKey(expiring)
    yield* TestClock.adjust("2 minutes")
    yield* admin.revokeKey({ id: account.keyId })
    const before = (yield* entriesOf(account.name)).length
    const refused = Effect.gen(function* () {
      const path = "/api/v1/builds?owner=a&repo=b&branch=main"
      assert.strictEqual((yield* call("GET", path, { key: account.key })).status, 401)
      assert.strictEqual((yield* visit("POST", "/sign-in", { form: { key: short.key } })).status, 401)
      assert.strictEqual((yield* visit("POST", "/sign-in", { form: { key: "slip_unknown" } })).status, 401)
    })
    yield* Effect.replicateEffect(refused, 3)
    const entries = (yield* entriesOf(account.name)).slice(before)
    assert.deepStrictEqual(
      entries.map(({ action, actor, address, detail }) => ({ action, actor, address, detail })),
      [
        { action: "key.refused", actor: { key: account.keyId }, address: "127.0.0.1", detail: "ci: revoked" },
        { action: "key.refused", actor: { key: short.record.id }, address: "127.0.0.1", detail: "short: expired" }
      ]
    )
    yield* TestClock.adjust("1 hour")
    yield* refused
    assert.lengthOf((yield* entriesOf(account.name)).slice(before), 4)
  })

  it.effect("has deletions, keeps and changes of an account with their actor", function* () {
    const { admin, call } = yield* TestHost
    const account = yield* newAccount(["builds", "preview_upload", "delete"])
    const { shareId } = yield* uploadPreview(account)
    const before = (yield* entriesOf(account.name)).length
    yield* admin.keep({ resource: { preview: ShareId.make(shareId) } })
    // What isn't kept any more is released without an entry.
    for (const _ of [1, 2]) yield* admin.release({ resource: { preview: ShareId.make(shareId) } })
    assert.strictEqual((yield* call("DELETE", `/api/v1/previews/${shareId}`, account)).status, 204)
    assert.strictEqual((yield* call("DELETE", `/api/v1/previews/${shareId}`, account)).status, 404)
    yield* admin.setQuotas({ account: account.name, quotas: { runsPerMonth: 7 } })
    yield* admin.retain({ account: account.name, rules: { buildsPerBranch: 3 }, forget: [] })
    yield* admin.retain({
      account: account.name,
      rules: { builds: Duration.days(30) },
      forget: ["buildsPerBranch"]
    })
    yield* admin.setQuotas({ account: account.name, quotas: { runsPerMonth: null, bytesStored: 2 ** 30 } })
    // Nothing is changed by these.
    yield* admin.setQuotas({ account: account.name, quotas: { bytesStored: 2 ** 30 } })
    yield* admin.retain({ account: account.name, rules: {}, forget: ["previews"] })
    const entries = (yield* entriesOf(account.name)).slice(before)
    assert.deepStrictEqual(
      entries.map(({ action, actor, subject }) => [action, subject.split(":")[0], Object.keys(actor).join()]),
      [
        ["keep.began", "preview", "administrator"],
        ["keep.ended", "preview", "administrator"],
        ["preview.deleted", "preview", "key"],
        ["quotas.changed", "account", "administrator"],
        ["retention.changed", "account", "administrator"],
        ["retention.changed", "account", "administrator"],
        ["quotas.changed", "account", "administrator"]
      ]
    )
    assert.deepStrictEqual(
      entries.slice(3).map(({ detail }) => detail),
      [
        "runsPerMonth default to 7",
        "buildsPerBranch default to 3",
        "buildsPerBranch 3 to default, builds default to 30d",
        "runsPerMonth 7 to default, bytesStored default to 1073741824"
      ].map((changes) => `${account.name}: ${changes}`)
    )
  })

  it.effect("is a page of the account's own entries, the latest first, a hundred at a time", function* () {
    const { admin } = yield* TestHost
    const [account, other] = [yield* newAccount(["builds"]), yield* newAccount(["builds"])]
    for (let n = 0; n < 100; n++) {
      yield* admin.createKey({ account: account.name, name: `key <${n}>`, scopes: ["builds"] })
    }
    const cookie = yield* signIn(account.key)
    const first = yield* listed(cookie)
    assert.lengthOf(first, 100)
    assert.strictEqual(first[0]?.action, "Signed in")
    assert.include(first[1]?.words, "key <99>: builds")
    assert.include(first[1]?.words, "by administrator: command line")
    const { text } = yield* visit("GET", "/audit", { cookie })
    const next = /href="([^"]*\/audit\?before=[^"]+)" rel="next"/.exec(unescaped(text))?.[1] ?? ""
    const second = yield* listed(cookie, next)
    assert.strictEqual(second[0]?.words.includes("key <0>: builds"), true)
    assert.strictEqual(second.at(-1)?.action, "Account created")
    const seen = JSON.stringify(yield* listed(yield* signIn(other.key)))
    assert.notInclude(seen, "key <")
    assert.strictEqual((yield* visit("GET", "/audit?before=%20", { cookie })).status, 404)
    assert.strictEqual((yield* visit("GET", "/audit")).status, 401)
  })

  it.effect("the page is filtered by kind and key, names keys, and is a file", function* () {
    const { admin } = yield* TestHost
    const account = yield* newAccount(["builds"])
    const { record } = yield* admin.createKey({ account: account.name, name: "to be replaced", scopes: ["builds"] })
    yield* admin.rotateKey({ id: record.id, overlap: Duration.zero })
    const cookie = yield* signIn(account.key)
    const actions = (query: string) =>
      Effect.map(listed(cookie, `/audit?${query}`), (items) => items.map(({ action }) => action))
    assert.deepStrictEqual(yield* actions("kind=key"), ["Key rotated", "Key created", "Key created"])
    assert.deepStrictEqual(yield* actions(`key=${account.keyId}`), ["Signed in"])
    assert.deepStrictEqual(yield* actions(`kind=key&key=${account.keyId}`), [])
    const [rotated] = yield* listed(cookie, "/audit?kind=key")
    assert.include(rotated?.words, "to be replaced, replaced by the key to be replaced")
    const file = yield* visit("GET", "/audit?kind=session&format=csv", { cookie })
    assert.strictEqual(file.headers.get("content-type"), "text/csv; charset=utf-8")
    const [head, ...rows] = file.text.trim().split(/\r?\n/)
    assert.strictEqual(head, "at,action,subject,detail,actor,address,id")
    assert.lengthOf(rows, 1)
    assert.include(rows[0], "session.began")
  })

  it.effect("holds no key, cookie or secret of a link, nor what a webhook is signed with", function* () {
    const { admin } = yield* TestHost
    const account = yield* newAccount(["builds", "preview_upload"])
    const { shareId } = yield* uploadPreview(account)
    const cookie = cookieOf(yield* visit("POST", "/sign-in", { form: { key: account.key } }))
    const { url } = yield* admin.createShareLink({
      account: account.name,
      shared: { preview: ShareId.make(shareId) }
    })
    const { secret } = yield* admin.addWebhook({
      account: account.name,
      url: "https://ci.example/?token=t0p",
      types: []
    })
    const all = JSON.stringify(yield* admin.listAudit({ limit: 10_000 }))
    for (const hidden of [account.key, cookie.slice("slipway=".length), url.split("/").at(-1) ?? "", secret, "t0p"]) {
      assert.isAbove(hidden.length, 2)
      assert.notInclude(all, hidden)
    }
  })
})
