/** The comparison of two runs as served, before any script runs. */
import { assert } from "@effect/vitest"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { eventsOf, recordedRun, runAccount, stepLine } from "../testing/runs.ts"
import { signIn, unescaped, visit, withoutOwnScripts } from "../testing/visit.ts"

const whole = eventsOf([
  stepLine(0, "Launch", "passed", { durationMs: 500 }),
  stepLine(500, "Log in", "passed", { durationMs: 100 }),
  stepLine(600, "Pay", "passed", { durationMs: 100 }),
  stepLine(700, "Sign out", "passed", { durationMs: 100 })
])
const broken = eventsOf([
  stepLine(0, "Launch", "passed", { durationMs: 900 }),
  stepLine(900, "Pay", "failed", { durationMs: 2000, message: "no <button>" }),
  stepLine(2900, "Take a picture", "passed", { durationMs: 10 }),
  stepLine(2910, "Sign out", "passed", { durationMs: 100 })
])

const comparePath = (left: string, right: string) => `/compare?${new URLSearchParams({ left, right })}`

/** The rows of a table, each with its class and text. */
const rowsOf = (html: string, heading: string): ReadonlyArray<readonly [kind: string, text: string]> => {
  const table = html.split("<table").find((part) => part.includes(`<th scope="col">${heading}</th>`)) ?? ""
  return [...table.matchAll(/<tr class="([\w-]+)"[^>]*>([\s\S]*?)<\/tr>/g)].map(([, kind = "", row = ""]) => [
    kind,
    row
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
  ])
}

layer(TestHost.layer(inMemory))("comparing runs", (it) => {
  it.effect("matching steps are side by side, with their differences in words", function* () {
    const account = yield* runAccount
    const left = yield* recordedRun(account, [whole], { durationMs: 800, stepCount: 4 })
    const right = yield* recordedRun(account, [broken], {
      status: "failed",
      durationMs: 3010,
      stepCount: 4,
      failureMessage: "no <button>"
    })
    const cookie = yield* signIn(account.key)
    const { status, text } = yield* visit("GET", comparePath(left.id, right.id), { cookie })
    assert.strictEqual(status, 200)
    const shown = unescaped(withoutOwnScripts(text))
    assert.deepStrictEqual(
      rowsOf(text, "Step").map(([kind, row]) => [kind, unescaped(row)]),
      [
        ["slower", "Launch ✓ passed at 0:00.000, 500 ms ✓ passed at 0:00.000, 900 ms 400 ms slower in the failure"],
        ["only-left", "Log in ✓ passed at 0:00.500, 100 ms – not there Only in the pass"],
        ["status", "Pay ✓ passed at 0:00.600, 100 ms ✕ failed at 0:00.900, 2 s passed → failed"],
        ["only-right", "Take a picture – not there ✓ passed at 0:02.900, 10 ms Only in the failure"],
        ["same", "Sign out ✓ passed at 0:00.700, 100 ms ✓ passed at 0:02.910, 100 ms The same"]
      ]
    )
    assert.include(shown, "4 of 5 steps differ, 1 of them only in duration.")
    assert.match(text, /<section class="card failure"[\s\S]*no &lt;button&gt;[\s\S]*class="transport/)
    assert.lengthOf(text.split("no &lt;button&gt;"), 2, "the message of the failure is shown once")
    const facts = new Map(rowsOf(text, "Fact").map(([kind, row]) => [row.split(" ")[0], kind]))
    assert.strictEqual(facts.get("Status"), "other")
    assert.strictEqual(facts.get("Duration"), "other")
    assert.strictEqual(facts.get("Branch"), "same")
    assert.strictEqual(facts.get("Steps"), "same")
    assert.include(shown, comparePath(right.id, left.id))
    for (const { id } of [left, right]) assert.include(shown, `href="/runs/${id}"`)
    assert.notMatch(withoutOwnScripts(text), /<script| style=/)
  })

  it.effect("the common clock lasts as long as the slower run of each step", function* () {
    const account = yield* runAccount
    const left = yield* recordedRun(account, [whole])
    const right = yield* recordedRun(account, [broken])
    const cookie = yield* signIn(account.key)
    const { text } = yield* visit("GET", comparePath(left.id, right.id), { cookie })
    const data = JSON.parse(/id="compare-data">([^<]*)</.exec(text)?.[1] ?? "")
    assert.deepStrictEqual(data.marks, [
      { left: 0, right: 0 },
      { left: 600, right: 900 },
      { left: 700, right: 2910 }
    ])
    // 900 ms to "pay", 2010 ms to "sign out", 100 ms to the end.
    assert.deepStrictEqual(
      [...text.matchAll(/data-t="(\d+)"/g)].map(([, t]) => Number(t)),
      [0, 500, 900, 2900, 2910]
    )
  })

  it.effect("of two long runs the first 500 steps are compared, and the headline says no more than that", function* () {
    const account = yield* runAccount
    const long = Array.from({ length: 501 }, (_, n) => stepLine(n, `Step ${n}`, "passed", { durationMs: 1 }))
    const run = yield* recordedRun(account, [eventsOf(long)])
    const other = yield* recordedRun(account, [eventsOf([stepLine(0, "Step 0", "failed"), ...long.slice(1)])])
    const cookie = yield* signIn(account.key)
    const same = yield* visit("GET", comparePath(run.id, run.id), { cookie })
    assert.include(same.text, "The first 500 steps are the same.")
    const different = yield* visit("GET", comparePath(run.id, other.id), { cookie })
    assert.include(different.text, "1 of the first 500 steps differs.")
  })

  it.effect("runs without recordings are compared by the failure and the facts, without a timeline", function* () {
    const account = yield* runAccount
    const left = yield* recordedRun(account, [], { name: "One" })
    const failureMessage = "No berth"
    const right = yield* recordedRun(account, [], { name: "Other", status: "failed", failureMessage })
    const cookie = yield* signIn(account.key)
    const { status, text } = yield* visit("GET", comparePath(left.id, right.id), { cookie })
    assert.strictEqual(status, 200)
    assert.include(text, "One and Other")
    assert.match(text, /No berth[\s\S]*No recording was uploaded\./)
    assert.notMatch(text, /viewer-assets\/compare|class="transport|id="steps"/)
  })

  it.effect("only an account's own runs are compared, by who is signed in with a key for runs", function* () {
    const host = yield* TestHost
    const account = yield* runAccount
    const stranger = yield* runAccount
    const own = yield* recordedRun(account, [whole])
    const others = yield* recordedRun(stranger, [whole])
    const cookie = yield* signIn(account.key)
    const unknown = yield* visit("GET", comparePath(own.id, "unknown"), { cookie })
    assert.strictEqual(unknown.status, 404)
    for (const path of [
      comparePath(own.id, others.id),
      comparePath(others.id, own.id),
      comparePath(own.id, ""),
      `/compare?left=${own.id}`,
      "/compare",
      comparePath("x".repeat(500), own.id)
    ]) {
      const answer = yield* visit("GET", path, { cookie })
      assert.strictEqual(answer.status, 404, path)
      assert.strictEqual(answer.text, unknown.text)
    }
    assert.strictEqual((yield* visit("GET", comparePath(own.id, own.id))).status, 401)
    const issued = yield* host.admin.createKey({ account: account.name, name: "b", scopes: ["builds"] })
    const builder = yield* signIn(issued.key)
    assert.strictEqual((yield* visit("GET", comparePath(own.id, own.id), { cookie: builder })).status, 403)
  })

  it.effect("a key that may not see previews compares what was registered", function* () {
    const host = yield* TestHost
    const account = yield* runAccount
    const left = yield* recordedRun(account, [whole])
    const right = yield* recordedRun(account, [broken], { status: "failed" })
    const { key } = yield* host.admin.createKey({ account: account.name, name: "runs", scopes: ["test_runs"] })
    const { text } = yield* visit("GET", comparePath(left.id, right.id), { cookie: yield* signIn(key) })
    assert.include(text, "Failed")
    assert.notMatch(text, /preview-objects|Take a picture/)
  })
})
