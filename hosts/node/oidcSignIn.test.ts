/** People sign in by a real OpenID Connect provider: what lets them in, and what keeps them out. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { TestHost } from "../http/testing/TestHost.ts"
import { capturedLog } from "../http/testing/capturedLog.ts"
import { inMemory } from "../http/testing/engines.ts"
import { it, layer } from "../../core/testing/layer.ts"
import { unescaped } from "../viewer/testing/visit.ts"
import { type Browser, newBrowser, settingsFor, TestProvider, throughProvider } from "./testing/oidcProvider.ts"
import { grantedTo, isUsableSubject } from "./oidcSignIn.ts"

const grants = [
  { group: "qa", account: "acme", scopes: ["test_runs"] },
  { group: "mobile", account: "acme", scopes: ["builds", "test_runs"] },
  { group: "web", account: "other", scopes: ["builds"] }
] as const

it("a person's first group in the mapping decides the account; all groups that lead there give their scopes", () => {
  assert.deepStrictEqual(grantedTo(grants, ["web", "mobile", "qa"]), {
    account: "acme",
    scopes: ["test_runs", "builds"]
  })
  assert.deepStrictEqual(grantedTo(grants, ["mobile"]), { account: "acme", scopes: ["builds", "test_runs"] })
  assert.deepStrictEqual(grantedTo(grants, ["web"]), { account: "other", scopes: ["builds"] })
})

it("groups that the mapping doesn't have give nothing, nor does a group whose name merely looks alike", () => {
  for (const groups of [[], ["Mobile"], ["mobile "], ["*"]]) assert.isUndefined(grantedTo(grants, groups))
})

/** A host with the accounts `acme` and `other`, and the provider by which it signs people in. */
const layerHost = (groupsIn: "the ID token" | "userinfo") =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { admin, url } = yield* TestHost
      const provider = yield* TestProvider
      provider.accept(url)
      yield* admin.createAccount({ name: "acme" })
      yield* admin.createAccount({ name: "other" })
    })
  ).pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(TestProvider, ({ issuer }) => TestHost.layer(inMemory, {}, { oidc: settingsFor(issuer) }))
      )
    ),
    Layer.provideMerge(TestProvider.layer({ groupsIn }))
  )

/** A person of the provider's, in these groups, with a browser of its own. */
const newPerson = Effect.fnUntraced(function* (name: string, groups: ReadonlyArray<string>) {
  const { people } = yield* TestProvider
  people.set(name, groups)
  return { name, browser: newBrowser() }
})

/** What the provider does wrong until the test is over. */
const newFault = Effect.flatMap(TestProvider, ({ wrong }) =>
  Effect.acquireRelease(Effect.succeed(wrong), () =>
    Effect.sync(() =>
      Object.assign(wrong, { claims: undefined, isForged: undefined, refusesSecret: undefined, repeats: undefined })
    )
  )
)

type Person = Effect.Success<ReturnType<typeof newPerson>>

const through = Effect.fnUntraced(function* ({ browser, name }: Person, to?: string) {
  const { url } = yield* TestHost
  return yield* Effect.promise(() => throughProvider(browser, url, name, to))
})

const visit = Effect.fnUntraced(function* (browser: Browser, path: string, form?: Record<string, string>) {
  const { url } = yield* TestHost
  const { text, ...answer } = yield* Effect.promise(() => browser.ask(new URL(path, url).href, form))
  return { ...answer, text: unescaped(text) }
})

/** Signs in, and answers where that led. */
const signIn = Effect.fnUntraced(function* (person: Person, to?: string) {
  return yield* visit(person.browser, yield* through(person, to))
})

const isSignedIn = ({ browser }: Person) => Effect.map(visit(browser, "/sessions"), ({ status }) => status === 200)

/** The key records of everybody who signed in, in both accounts. */
const records = Effect.gen(function* () {
  const { admin } = yield* TestHost
  const lists = yield* Effect.forEach(["acme", "other"], (account) => admin.listKeys({ account }))
  return lists.flatMap(({ account, keys }) => keys.map((key) => ({ ...key, account: account.name })))
})

const recordsOf = ({ name }: Person) =>
  Effect.map(records, (all) => all.filter((key) => key.name.includes(`${name}@example.com`)))

/** Checks that an answer refuses the sign-in with this text, and that nothing was changed. */
const refused = Effect.fnUntraced(function* (
  answer: { readonly status: number; readonly text: string },
  status: number,
  said: string,
  person: Person
) {
  assert.include(answer.text, said)
  assert.strictEqual(answer.status, status)
  assert.include(answer.text, 'href="/sign-in"')
  assert.isFalse(yield* isSignedIn(person))
  assert.isEmpty(yield* recordsOf(person))
})

for (const groupsIn of ["the ID token", "userinfo"] as const) {
  layer(layerHost(groupsIn))(`sign-in with groups in ${groupsIn}`, (it) => {
    it.effect("is offered beside keys, and leads to the page that was asked for", function* () {
      const ada = yield* newPerson("ada", ["mobile"])
      const { issuer } = yield* TestProvider
      const page = yield* visit(ada.browser, "/previews/x?a=b")
      assert.strictEqual(page.status, 401)
      assert.include(page.text, `Sign in with ${new URL(issuer).host}`)
      assert.include(page.text, 'href="/sign-in/oidc?to=%2Fpreviews%2Fx%3Fa%3Db"')
      assert.include(page.text, "API key")
      const { location, status } = yield* signIn(ada, "/previews/x?a=b#t=12.4")
      assert.strictEqual(status, 303)
      assert.match(location ?? "", /\/previews\/x\?a=b#t=12\.4$/)
      assert.strictEqual((yield* visit(ada.browser, "/previews/x?a=b")).status, 404)
      assert.include((yield* visit(ada.browser, "/")).text, "acme")
      assert.match((yield* signIn(ada, "//evil.example/")).location ?? "", /^http:\/\/127\.0\.0\.1:\d+\/$/)
    })
  })
}

layer(layerHost("userinfo"))("a person who signed in by the provider", (it) => {
  it.effect("has one key record, whose revocation ends the sessions at the next request", function* () {
    const { admin } = yield* TestHost
    const grace = yield* newPerson("grace", ["mobile"])
    yield* signIn(grace)
    yield* signIn(grace)
    assert.isTrue(yield* isSignedIn(grace))
    const [record, ...others] = yield* recordsOf(grace)
    assert.isEmpty(others)
    assert.isDefined(record)
    assert.include(record?.name, `Sign-in of grace@example.com, grace at ${(yield* TestProvider).issuer}`)
    assert.deepStrictEqual(record?.scopes, ["builds", "preview_upload"])
    if (record !== undefined) yield* admin.revokeKey({ id: record.id })
    assert.isFalse(yield* isSignedIn(grace))
  })

  it.effect("is signed out by the button, and after the time that the settings say", function* () {
    const hedy = yield* newPerson("hedy", ["mobile"])
    yield* signIn(hedy)
    yield* visit(hedy.browser, "/sign-out", {})
    assert.isFalse(yield* isSignedIn(hedy))
    yield* signIn(hedy)
    yield* TestClock.adjust("479 minutes")
    assert.isTrue(yield* isSignedIn(hedy))
    yield* TestClock.adjust("1 minute")
    assert.isFalse(yield* isSignedIn(hedy))
  })

  it.effect("may do what all of its groups give in the account of the first, and nothing else", function* () {
    const lin = yield* newPerson("lin", ["web", "qa", "staff"])
    yield* signIn(lin)
    assert.include((yield* visit(lin.browser, "/")).text, "acme")
    assert.strictEqual((yield* visit(lin.browser, "/runs/x")).status, 404)
    assert.strictEqual((yield* visit(lin.browser, "/previews/x")).status, 403)
  })

  it.effect("loses the scopes of former groups at the next sign-in, in every browser", function* () {
    const { people } = yield* TestProvider
    const mary = yield* newPerson("mary", ["mobile"])
    const elsewhere = { ...mary, browser: newBrowser() }
    yield* signIn(mary)
    yield* signIn(elsewhere)
    people.set("mary", ["web"])
    yield* signIn(mary)
    assert.include((yield* visit(mary.browser, "/")).text, "other")
    assert.isFalse(yield* isSignedIn(elsewhere))
    const live = (yield* recordsOf(mary)).filter(({ revokedAt }) => revokedAt === undefined)
    assert.deepStrictEqual(
      live.map(({ account }) => account),
      ["other"]
    )
  })
})

const log = capturedLog()
const logged = layerHost("the ID token").pipe(Layer.provide(log.layer))

layer(logged)("a sign-in is refused, and nothing is changed,", (it) => {
  it.effect("when none of the groups has an account", function* () {
    const eve = yield* newPerson("eve", ["staff"])
    yield* refused(yield* signIn(eve), 403, "none of your groups has an account here", eve)
    const none = yield* newPerson("none", [])
    yield* refused(yield* signIn(none), 403, "SLIPWAY_OIDC_ACCOUNTS", none)
  })

  it.effect("when the group's account isn't there", function* () {
    const eve = yield* newPerson("ghost", ["ghosts"])
    yield* refused(yield* signIn(eve), 403, "slipway account create nowhere", eve)
  })

  for (const [what, fault, status, said] of [
    ["is meant for another application", { claims: { aud: "another" } }, 401, "SLIPWAY_OIDC_CLIENT_ID"],
    [
      "is meant for others too, and this isn't the one that asked",
      { claims: { aud: ["slipway", "x"], azp: "x" } },
      401,
      "CLIENT_ID"
    ],
    ["is by another issuer", { claims: { iss: "https://evil.example" } }, 401, "SLIPWAY_OIDC_ISSUER"],
    ["has expired", { claims: { exp: 1_000_000_000 } }, 401, "has expired"],
    ["has the nonce of another sign-in", { claims: { nonce: "replayed" } }, 400, "Start again"],
    ["is issued in an hour", { claims: { iat: Math.floor(Date.now() / 1000) + 3600 } }, 401, "from the future"],
    ["has an empty subject", { claims: { sub: "" } }, 401, "you are not signed in"],
    ["has a subject of 256 characters", { claims: { sub: "s".repeat(256) } }, 401, "1 to 255 ASCII characters"],
    ["has a subject with line breaks", { claims: { sub: "eve\nat" } }, 401, "1 to 255 ASCII characters"],
    ["has no nonce", { claims: { nonce: undefined } }, 401, "you are not signed in"],
    ["is signed by another key", { isForged: true }, 401, "you are not signed in"],
    ["is that it doesn't accept the host's secret", { refusesSecret: true }, 401, "SLIPWAY_OIDC_CLIENT_SECRET"]
  ] as const) {
    it.effect(`when the provider's answer ${what}`, function* () {
      const wrong = yield* newFault
      const eve = yield* newPerson("eve", ["mobile"])
      const back = yield* through(eve)
      Object.assign(wrong, "claims" in fault ? { claims: (right: object) => ({ ...right, ...fault.claims }) } : fault)
      yield* refused(yield* visit(eve.browser, back), status, said, eve)
    })
  }

  it.effect("when the person or the provider says no", function* () {
    const { issuer } = yield* TestProvider
    const eve = yield* newPerson("eve", ["mobile"])
    const back = new URL(yield* through(eve))
    const no = new URLSearchParams({
      error: "access_denied",
      state: back.searchParams.get("state") ?? "",
      iss: issuer
    })
    yield* refused(yield* visit(eve.browser, `/sign-in/oidc/callback?${no}`), 403, "refused your sign-in", eve)
  })

  it.effect("when the answer was used already, in the same browser or with its cookies copied", function* () {
    const { url } = yield* TestHost
    const amy = yield* newPerson("amy", ["mobile"])
    const back = yield* through(amy)
    const copied = newBrowser()
    yield* visit(copied, "/sign-in")
    for (const [name, value] of amy.browser.cookies(url)) copied.cookies(url).set(name, value)
    assert.strictEqual((yield* visit(amy.browser, back)).status, 303)
    const again = yield* visit(amy.browser, back)
    assert.strictEqual(again.status, 400)
    assert.include(again.text, "used already")
    const replayed = yield* visit(copied, back)
    assert.strictEqual(replayed.status, 400)
    assert.include(replayed.text, "used already")
    assert.isFalse(yield* isSignedIn({ ...amy, browser: copied }))
    assert.lengthOf(yield* recordsOf(amy), 1)
  })

  it.effect("when the provider answers a second time for a sign-in that was used", function* () {
    const { url } = yield* TestHost
    const wrong = yield* newFault
    const amy = yield* newPerson("amy-again", ["mobile"])
    const back = yield* through(amy)
    const copied = newBrowser()
    yield* visit(copied, "/sign-in")
    for (const [name, value] of amy.browser.cookies(url)) copied.cookies(url).set(name, value)
    assert.strictEqual((yield* visit(amy.browser, back)).status, 303)
    wrong.repeats = true
    const replayed = yield* visit(copied, back)
    assert.strictEqual(replayed.status, 400)
    assert.include(replayed.text, "used already")
    assert.isFalse(yield* isSignedIn({ ...amy, browser: copied }))
  })

  it.effect("when another browser began it, when its time is over, and when the state differs", function* () {
    const eve = yield* newPerson("eve", ["mobile"])
    const mallory = yield* newPerson("mallory", ["mobile"])
    yield* refused(yield* visit(eve.browser, yield* through(mallory)), 400, "begun in another browser", eve)
    const back = yield* through(eve)
    yield* refused(yield* visit(eve.browser, back.replace(/state=./, "state=")), 400, "Start again", eve)
    const late = yield* through(eve)
    yield* TestClock.adjust("10 minutes")
    yield* refused(yield* visit(eve.browser, late), 400, "longer than ten minutes", eve)
  })

  it.effect("with its reason in the log, at most ten times a minute for one client", function* () {
    yield* TestClock.adjust("1 minute")
    log.lines.length = 0
    yield* Effect.replicateEffect(visit(newBrowser(), "/sign-in/oidc/callback?code=x&state=y"), 15)
    for (const text of ["Authentication failed", "A sign-in was refused"]) {
      const lines = log.lines.filter((line) => line.includes(text))
      assert.lengthOf(lines, 10)
    }
  })
})

it("a subject fits the name of a key, percent-encoded and beside its issuer", () => {
  const longest = "%".repeat(255)
  assert.isTrue(isUsableSubject(longest, "https://issuer.example"))
  assert.isFalse(isUsableSubject(longest, `https://issuer.example/${"x".repeat(100)}`))
})

layer(TestHost.layer(inMemory, {}, { oidc: settingsFor("http://127.0.0.1:1") }))("a provider that is down", (it) => {
  it.effect("keeps nobody from signing in with a key, and is asked again next time", function* () {
    const { admin } = yield* TestHost
    const browser = newBrowser()
    for (const attempt of [1, 2]) {
      const answer = yield* visit(browser, "/sign-in/oidc")
      assert.strictEqual(answer.status, 503, `attempt ${attempt}`)
      assert.include(answer.text, "can't be reached")
    }
    yield* admin.createAccount({ name: "acme" })
    const { key } = yield* admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
    assert.strictEqual((yield* visit(browser, "/sign-in", { key })).status, 303)
  })
})
