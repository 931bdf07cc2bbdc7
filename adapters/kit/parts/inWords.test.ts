import { assert, describe, it } from "vitest"
import { Conflict } from "../../../core/ports/Conflict.ts"
import { inWords } from "./inWords.ts"

describe("what a case failed with", () => {
  it("is named where it is no error, such as the success of a call that had to fail", () => {
    const words = "A call failed with undefined, or succeeded with it where it had to fail."
    assert.strictEqual(inWords(undefined).message, words)
    assert.include(inWords({ _tag: "Missing" }).message, "{ _tag: 'Missing' }")
  })

  it("is named where it is an error without a message", () => {
    assert.strictEqual(inWords(new Conflict()).message, "A call failed with Conflict.")
    assert.strictEqual(inWords(new Error("")).message, "A call failed with Error.")
  })

  it("stays as it is where it has a message itself", () => {
    const error = new Error("The disk is full.")
    assert.strictEqual(inWords(error), error)
  })
})
