/** A changed sentence must be reviewed before it is used. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { interfaceDigest, sentenceDigest } from "./digest.ts"
import { requirements } from "./index.ts"
import { must } from "./Requirement.ts"
import { readReviewed, unreviewed } from "./reviewed.ts"

const reviewed = readReviewed(readFileSync(join(import.meta.dirname, "reviewed.json"), "utf8"))

describe("reviewed.json", () => {
  it("has every sentence as it reads now", () => {
    const open = unreviewed(requirements, reviewed)
    assert.deepStrictEqual(
      open,
      [],
      `Review each of them: do its checks prove the current text? Then run: node conformance/requirements/review.ts ${open.join(" ")}`
    )
  })
})

describe("a sentence must be reviewed", () => {
  const sentence = must("a.b", "1", "It does.", ["a.check"])
  const seen = { "a.b": sentenceDigest(sentence) }

  it("when its text, its level or its section is another, and not when its checks are", () => {
    const others = [
      { ...sentence, text: "It doesn't." },
      { ...sentence, level: "SHOULD" as const },
      { ...sentence, section: "2" }
    ]
    for (const other of others) assert.deepStrictEqual(unreviewed([other], seen), ["a.b"])
    assert.deepStrictEqual(unreviewed([must("a.b", "1", "It does.", ["another.check"])], seen), [])
  })

  it("when it is new, and when it was removed", () => {
    assert.deepStrictEqual(unreviewed([sentence], {}), ["a.b"])
    assert.deepStrictEqual(unreviewed([], seen), ["a.b"])
  })
})

describe("the digest of the interface", () => {
  it("is a SHA-256", () => {
    assert.match(interfaceDigest, /^[0-9a-f]{64}$/)
  })
})
