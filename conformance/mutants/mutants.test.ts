/** What can be tested of the mutants without running the suite against each. */
import { assert, describe, it } from "vitest"
import { checks } from "../checks/index.ts"
import { choicesKept } from "../run/choices.ts"
import { mutants } from "./index.ts"
import { misjudged } from "./trials.ts"
import { alwaysTried, draw, interval } from "./drawn.ts"

/** The ids of everything that a whole run makes, those that the runner makes itself included. */
const allChecks: ReadonlyArray<string> = [...checks, ...choicesKept].map(({ id }) => id)

const twice = (all: ReadonlyArray<string>) => all.filter((one, index) => all.indexOf(one) !== index)

describe("the mutants", () => {
  it("are at least sixty, with ids and faults of their own", () => {
    assert.isAtLeast(mutants.length, 60)
    assert.deepStrictEqual(twice(mutants.map(({ id }) => id)), [])
    assert.deepStrictEqual(
      mutants.filter(({ id }) => allChecks.includes(id) || !/^(?:builds|previews|runs)\.[a-z0-9.-]+$/.test(id)),
      []
    )
    assert.deepStrictEqual(
      mutants.filter(({ fault }) => !/^[A-Z].*\.$/.test(fault) || fault.includes("|")),
      []
    )
  })

  it("are caught by every check, each by at least one", () => {
    assert.deepStrictEqual(
      allChecks.filter((id) => !mutants.some(({ caughtBy }) => caughtBy.includes(id))),
      [],
      "No mutant is caught by these: write one that each alone catches, or leave the check out."
    )
  })

  it("name checks that there are, each once", () => {
    for (const { caughtBy, id } of mutants) {
      assert.deepStrictEqual(
        { id, unknown: caughtBy.filter((check) => !allChecks.includes(check)) },
        { id, unknown: [] }
      )
      assert.deepStrictEqual({ id, twice: twice(caughtBy) }, { id, twice: [] })
    }
  })
})

describe("how a mutant was caught", () => {
  const failed = (check: string) => ({ check, outcome: "failed", inStep: false, said: "It isn't so." })

  it("is as it says when just these checks failed", () => {
    assert.deepStrictEqual(misjudged(["a", "b"], [failed("b"), failed("a")]), [])
  })

  it("is not when one let it through, when another failed, and when one did anything but fail", () => {
    assert.deepStrictEqual(misjudged(["a", "b"], [failed("b")]), ["a lets it through"])
    assert.deepStrictEqual(misjudged(["a"], [failed("a"), failed("c")]), ["c failed: It isn't so."])
    assert.deepStrictEqual(misjudged(["a"], [failed("a"), { ...failed("c"), inStep: true }]), [])
    assert.deepStrictEqual(misjudged(["a"], [{ ...failed("a"), outcome: "skipped" }]), ["a skipped: It isn't so."])
  })
})

const namesOf = (seed: string, count: number) => Array.from({ length: count }, (_, place) => `${seed}:${place}`)

describe("a drawn mutant", () => {
  it("is the same each time for its name, and only has conditions for its endpoint", () => {
    const drawn = namesOf("1", 200).map(draw)
    assert.deepStrictEqual(
      drawn.map(({ sentence }) => sentence),
      namesOf("1", 200).map((name) => draw(name).sentence)
    )
    for (const { conditions, fault } of drawn) {
      for (const [, , endpoints = [fault.endpoint]] of conditions) assert.include(endpoints, fault.endpoint)
    }
    assert.notDeepEqual(
      drawn.map(({ sentence }) => sentence),
      namesOf("2", 200).map((name) => draw(name).sentence)
    )
  })

  it("is in the grammar, where it is tried in every run", () => {
    const sentences = alwaysTried.map((name) => draw(name).sentence)
    assert.include(
      sentences,
      "The answer to builds.latest of builds is 404 although it is there if its branch has a slash."
    )
  })
})

describe("the interval of a share", () => {
  it("is Wilson's", () => {
    const [least, most] = interval(485, 500)
    assert.closeTo(least, 0.9511, 0.0001)
    assert.closeTo(most, 0.9817, 0.0001)
  })
})
