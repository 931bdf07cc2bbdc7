import { assert, describe, it } from "vitest"
import { choicesOf, judgeChoices } from "./choices.ts"

const observed = [
  {
    check: "builds.one",
    observations: [
      { silence: "builds.reserve.status", answer: 201 },
      { silence: "builds.reserve.status", answer: 201 }
    ]
  },
  {
    check: "builds.two",
    observations: [
      { silence: "builds.reserve.status", answer: 201 },
      { silence: "builds.a", answer: { b: null } }
    ]
  },
  { check: "runs.one", observations: [{ silence: "runs.list", answer: ["x"] }] },
  { check: "runs.two", observations: [{ silence: "runs.list", answer: ["y"] }] },
  { check: "runs.three", observations: [{ silence: "runs.list", answer: ["x"] }] }
]

describe("the register of choices", () => {
  it("lists each silence once, with the checks that saw each answer", () => {
    assert.deepStrictEqual(choicesOf(observed), [
      { silence: "builds.a", answers: [{ answer: { b: null }, checks: ["builds.two"] }] },
      { silence: "builds.reserve.status", answers: [{ answer: 201, checks: ["builds.one", "builds.two"] }] },
      {
        silence: "runs.list",
        answers: [
          { answer: ["x"], checks: ["runs.one", "runs.three"] },
          { answer: ["y"], checks: ["runs.two"] }
        ]
      }
    ])
  })

  it("passes where each silence of a profile got one answer, whichever it is", () => {
    const choices = choicesOf(observed)
    assert.deepStrictEqual(judgeChoices("builds.choices-kept", choices), { outcome: "passed" })
    const runs = judgeChoices("runs.choices-kept", choices)
    assert.strictEqual(runs.outcome, "failed")
    assert.strictEqual(runs.violation?.came, 'runs.list: ["x"] in runs.one, runs.three; ["y"] in runs.two')
    assert.strictEqual(judgeChoices("previews.choices-kept", choices).outcome, "skipped")
  })
})
