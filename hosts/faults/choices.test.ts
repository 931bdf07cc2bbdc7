import { assert, describe, it } from "vitest"
import { choicesOf } from "./choices.ts"

describe("choices in turn", () => {
  const all = ["killed", "frozen", "cut", "held"]
  const drawn = (seed: string) => {
    const next = choicesOf(seed).inTurn(all)
    return Array.from({ length: 3 }, () => all.map(next))
  }

  it("bring each item once before any comes again, in an order that changes", () => {
    const rounds = drawn("a seed")
    for (const round of rounds) assert.sameMembers(round, all)
    assert.isAbove(new Set(rounds.map(String)).size, 1)
  })

  it("are repeated by a seed", () => {
    assert.deepStrictEqual(drawn("a seed"), drawn("a seed"))
    assert.notDeepEqual(drawn("a seed"), drawn("another"))
  })
})
