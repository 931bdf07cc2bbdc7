import { Option, Redacted, Schema } from "effect"
import { assert, describe, it } from "vitest"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { makeSeal } from "./capability.ts"

const sealOf = (secret: SigningSecret) => makeSeal(Schema.String, { secret, purpose: "test" })
const old = Redacted.make("old")
const newer = Redacted.make("new")
const other = Redacted.make("another")

describe("a seal", () => {
  it("is made with the first of several secrets, and opened with any of them", () => {
    const both = sealOf([newer, old])
    assert.strictEqual(both.seal("a"), sealOf(newer).seal("a"))
    for (const secret of [old, newer]) assert.deepStrictEqual(both.open(sealOf(secret).seal("a")), Option.some("a"))
    assert.deepStrictEqual(both.open(sealOf(other).seal("a")), Option.none())
  })
})
