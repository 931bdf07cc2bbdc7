/** Every form of the pages: who may send it, and that what is refused changes nothing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Scope } from "../../../core/model/ApiKey.ts"
import { layer } from "../../../core/testing/layer.ts"
import { type Holdings, newHoldings } from "../../http/security/testing/holdings.ts"
import { inventory, snapshot } from "../../http/security/testing/snapshot.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { isSignedIn, ownId, signIn, unescaped, visit } from "../testing/visit.ts"

type Form = readonly [path: string, needs: ReadonlyArray<Scope>, fields?: Readonly<Record<string, string>>]

/** The forms about a resource that has a name. */
const formsOf = (
  { build, keyId, links, owner, preview, repo, runs, test }: Holdings,
  webhook: string
): ReadonlyArray<Form> => {
  const repository = { owner, repo, defaultBranch: "theirs", webUrl: "" }
  const ofResources = (
    [
      [`/builds/${build.id}`, ["builds"], ["builds"]],
      [`/previews/${preview.shareId}`, ["preview_upload"], ["preview_upload"]],
      [`/runs/${runs.failed}`, ["test_runs"], ["test_runs", "preview_upload"]]
    ] as const
  ).flatMap(([page, seen, shared]): ReadonlyArray<Form> => [
    [`${page}/keep`, seen],
    [`${page}/release`, [...seen, "delete"]],
    [`${page}/delete`, [...seen, "delete"]],
    [`${page}/shares`, shared, { seconds: "3600" }],
    [`${page}/shares/${links.preview.id}/revoke`, shared]
  ])
  return [
    ...ofResources,
    [`/badges/${encodeURIComponent(`${owner}/${repo}/main`)}/shares`, ["test_runs"], { seconds: "3600" }],
    [
      `/tests/${test}/quarantine`,
      ["test_runs", "quarantine"],
      { reason: "Waits for the moon", owner: "ada", days: "3" }
    ],
    [`/tests/${test}/quarantine/remove`, ["test_runs", "quarantine"]],
    [`/account/keys/${keyId}/rotate`, ["account_admin"], { overlap: "0" }],
    [`/account/keys/${keyId}/revoke`, ["account_admin"]],
    [`/account/webhooks/${webhook}/remove`, ["account_admin"]],
    [`/account/webhooks/${webhook}/resume`, ["account_admin"]],
    [`/account/repositories/settings?${new URLSearchParams({ owner, repo })}`, ["account_admin"], repository]
  ]
}

/** The forms about the account or the session of who sends them. */
const ownForms = (session: string): ReadonlyArray<Form> => [
  ["/account/keys", ["account_admin"], { name: "more", scope: "account_admin", expires: "" }],
  ["/account/webhooks", ["account_admin"], { url: "https://ci.example/hook" }],
  [
    "/account/retention",
    ["account_admin"],
    { previews: "30", runs: "7", histories: "", builds: "", buildsPerBranch: "" }
  ],
  [`/sessions/${session}/end`, []],
  ["/sign-out-everywhere", []]
]

layer(TestHost.layer(inMemory, { rates: {} }))("every form of the pages", (it) => {
  const prepared = Effect.gen(function* () {
    const { admin } = yield* TestHost
    const own = yield* newHoldings
    const { webhook } = yield* admin.addWebhook({ account: own.name, url: "https://ci.example/", types: [] })
    const named = formsOf(own, webhook.id)
    return { own, named, all: [...named, ...ownForms(yield* ownId(own.cookie))] }
  })
  const stateOf = Effect.fnUntraced(function* (own: Holdings) {
    const { admin } = yield* TestHost
    const changes = (yield* admin.listAudit({ account: own.name, limit: 1000 })).map(({ action }) => action)
    return {
      changes: changes.filter((action) => action !== "session.began"),
      snapshot: yield* snapshot(own),
      inventory: yield* inventory(own),
      isSignedIn: yield* isSignedIn(own.cookie)
    }
  })

  it.effect("is refused from other sites, without a session, and to another account", function* () {
    const { all, named, own } = yield* prepared
    const before = yield* stateOf(own)
    for (const [path, , form = {}] of all) {
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" }
      ] as ReadonlyArray<Record<string, string>>) {
        const { status, text } = yield* visit("POST", path, { cookie: own.cookie, form, headers })
        assert.strictEqual(status, 403, path)
        assert.include(text, "sent from another site", path)
      }
      const unknown = yield* visit("POST", path, { form })
      assert.strictEqual(unknown.status, 401, path)
      // After signing in, people aren't redirected to a path that accepts only forms.
      assert.include(unescaped(unknown.text), 'name="to" value="/"', path)
    }
    const stranger = yield* signIn((yield* newAccount([Scope.literals[0], ...Scope.literals.slice(1)])).key)
    for (const [path, , form = {}] of named) {
      assert.strictEqual((yield* visit("POST", path, { cookie: stranger, form })).status, 404, path)
    }
    assert.deepStrictEqual(yield* stateOf(own), before)
  })

  it.effect("is refused to a key that lacks one of its scopes", function* () {
    const { all, own } = yield* prepared
    const before = yield* stateOf(own)
    const without = yield* Effect.forEach(Scope.literals, (scope) => {
      const keys = own.keys.filter(({ scopes }) => !scopes.includes(scope))
      const [key] = keys.toSorted((one, other) => other.scopes.length - one.scopes.length)
      return Effect.map(signIn(key?.key ?? ""), (cookie) => [scope, cookie] as const)
    }).pipe(Effect.map((entries) => new Map(entries)))
    for (const [path, needs, form = {}] of all) {
      for (const scope of needs) {
        const { status } = yield* visit("POST", path, { cookie: without.get(scope), form })
        assert.strictEqual(status, 403, `${path} without ${scope}`)
      }
    }
    assert.deepStrictEqual(yield* stateOf(own), before)
  })

  it.effect("is on a page of the account that needs account_admin too, and another account doesn't find", function* () {
    const { named, own } = yield* prepared
    const ofAccount = named.flatMap(([path]) =>
      path.startsWith("/account/") ? [path.replace(/\/(?:rotate|revoke|remove|resume)$/, "")] : []
    )
    const everyday = own.keys.find(({ scopes }) => scopes.join() === "builds,preview_upload,test_runs")?.key ?? ""
    const [less, stranger] = [yield* signIn(everyday), yield* signIn((yield* newAccount(["account_admin"])).key)]
    const lists = ["/account/keys", "/account/repositories", "/account/webhooks", "/account/retention"]
    for (const path of new Set([...lists, ...ofAccount])) {
      const statusOf = (cookie?: string) => Effect.map(visit("GET", path, { cookie }), ({ status }) => status)
      const statuses = [
        yield* statusOf(own.cookie),
        yield* statusOf(),
        yield* statusOf(less),
        yield* statusOf(stranger)
      ]
      assert.deepStrictEqual(statuses, [200, 401, 403, lists.includes(path) ? 200 : 404], path)
    }
  })
})
