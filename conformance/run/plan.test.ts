import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { it } from "../../core/testing/layer.ts"
import { exampleCheck } from "../testing/example.ts"
import { estimate, planLines } from "./run.ts"
import type { Selection } from "./judge.ts"
import { plan } from "./plan.ts"

const checks = [
  exampleCheck("builds.one"),
  exampleCheck("builds.two", Effect.void, { readOnly: true }),
  exampleCheck("previews.one", Effect.void, { profile: "previews" }),
  exampleCheck("runs.one", Effect.void, { profile: "testRuns", readOnly: true })
]
const reading = exampleCheck("builds.three", Effect.void, { supplied: ["buildId", "buildBranch"] })
const all = { profiles: ["builds", "previews", "testRuns"], only: [], readOnly: false } satisfies Selection

const ids = (selection: Partial<Selection>) =>
  Effect.map(plan(checks, { ...all, ...selection }), ({ planned }) => planned.map(({ id }) => id))

const refusal = (selection: Partial<Selection>) => Effect.map(Effect.flip(ids(selection)), ({ message }) => message)

describe("a plan", () => {
  it.effect("has every check and the checks of consistent choices, in order", function* () {
    assert.deepStrictEqual(yield* ids({}), [
      "builds.one",
      "builds.two",
      "previews.one",
      "runs.one",
      "builds.choices-kept",
      "previews.choices-kept",
      "runs.choices-kept"
    ])
  })

  it.effect("can be limited to the claimed profiles, to given checks and to checks that make nothing", function* () {
    assert.deepStrictEqual(yield* ids({ profiles: ["previews"] }), ["previews.one", "previews.choices-kept"])
    assert.deepStrictEqual(yield* ids({ only: ["runs.one", "builds.two"] }), ["builds.two", "runs.one"])
    assert.deepStrictEqual(yield* ids({ only: ["builds.choices-kept"] }), [
      "builds.one",
      "builds.two",
      "builds.choices-kept"
    ])
    assert.deepStrictEqual(yield* ids({ profiles: ["builds"], readOnly: true }), ["builds.two"])
  })

  it.effect("can be limited to the checks of a sentence, and to those whose ids begin alike", function* () {
    const some = [
      exampleCheck("builds.finalize.created"),
      exampleCheck("builds.finalize.status"),
      exampleCheck("builds.files")
    ]
    const only = (asked: string) =>
      Effect.map(plan(some, { ...all, only: [asked] }), ({ planned }) => planned.map(({ id }) => id))
    assert.deepStrictEqual(yield* only("builds.finalize"), ["builds.finalize.created", "builds.finalize.status"])
    assert.deepStrictEqual(yield* only("service.three-steps"), ["builds.finalize.created", "builds.files"])
    assert.match((yield* Effect.flip(only("builds.final"))).message, /^No check is called builds\.final/)
  })

  it.effect("includes checks that read when the config supplies what they read", function* () {
    const reads = (supplied: Selection["supplied"]) =>
      Effect.map(
        plan([...checks, reading], {
          ...all,
          profiles: ["builds"],
          readOnly: true,
          ...(supplied ? { supplied } : {})
        }),
        ({ planned }) => planned.some(({ id }) => id === "builds.three")
      )
    assert.isFalse(yield* reads(undefined))
    assert.isFalse(yield* reads({ buildId: "1" }))
    assert.isTrue(yield* reads({ buildId: "1", buildBranch: "main" }))
  })

  it.effect("knows the complete plan that it is a part of", function* () {
    const { whole } = yield* plan(checks, { ...all, profiles: ["builds"], only: ["builds.one"] })
    assert.deepStrictEqual(
      whole.map(({ id }) => id),
      ["builds.one", "builds.two", "builds.choices-kept"]
    )
  })

  it.effect("is refused without a check, with an unknown check or with one of another profile", function* () {
    assert.match(yield* refusal({ profiles: ["previews"], readOnly: true }), /^Nothing would be checked/)
    assert.match(yield* refusal({ only: ["runs.one"], profiles: ["builds"] }), /^runs\.one is a check of a profile/)
    assert.strictEqual(
      yield* refusal({ only: ["builds.thwo"] }),
      "No check is called builds.thwo; did you mean builds.two?"
    )
    assert.strictEqual(yield* refusal({ only: ["builds.nothing"] }), "No check is called builds.nothing")
    assert.match((yield* Effect.flip(plan([], all))).message, /^Nothing would be checked/)
  })

  it.effect("tells its cost beforehand", function* () {
    const made = yield* plan(checks, { ...all, profiles: ["builds", "previews"] })
    assert.deepStrictEqual(estimate(made, { concurrency: 2, windowMs: 1000 }), {
      checks: 5,
      requests: 6,
      bytes: 300,
      seconds: 2
    })
    const lines = planLines(made, { concurrency: 2, windowMs: 1000 })
    assert.include(lines[0], "builds.one")
    assert.include(lines.join("\n"), "5 checks, about 6 requests and 300 bytes uploaded, about 2 s at 50 ms an answer.")
  })
})
