/** What can be tested of the mutants without running the suite against each. */
import { assert, describe, it } from "vitest"
import { checks } from "../checks/index.ts"
import { choicesKept } from "../run/choices.ts"
import { bases } from "./bases/index.ts"
import { planted } from "./bases/planted.ts"
import { mutants } from "./index.ts"
import { misjudged } from "./misjudged.ts"

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

describe("a base without a fault", () => {
  for (const base of bases) {
    it(`has mutants of every fault, except for what it names: ${base.name}`, () => {
      const named = [...Object.keys(base.unplanted), ...Object.keys(base.caughtBy)]
      assert.deepStrictEqual(
        named.filter((one) => !mutants.some(({ id }) => id === one)),
        []
      )
      const checked = planted(mutants).filter((one) => one.base === base)
      assert.deepStrictEqual(
        allChecks.filter(
          (id) => !base.skippedBy.includes(id) && !checked.some(({ caughtBy }) => caughtBy.includes(id))
        ),
        [],
        "No mutant of this base is caught by these."
      )
    })
  }
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
