import { Effect } from "effect"
import { assert, chai, describe, it } from "vitest"
import { Conflict } from "../../../core/ports/WriteFailure.ts"
import { inWords, withKeptLog } from "./suite.ts"

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

  it("has what was logged, beside the difference of an assertion, and not in an error of several cases", () => {
    const shared = new Error("Try again.")
    assert.strictEqual(inWords(shared, ["no disk"]).message, "Error: Try again.\nThe last lines of the log:\nno disk")
    assert.strictEqual(shared.message, "Try again.")
    const assertion = new chai.AssertionError("expected 1 to equal 2")
    assert.strictEqual(inWords(assertion, ["no disk"]), assertion)
    assert.strictEqual(assertion.message, "expected 1 to equal 2\nThe last lines of the log:\nno disk")
  })

  it("has the last lines that the case logged, which name the reason of a problem", async () => {
    const logs = Effect.forEach(Array.from({ length: 12 }).keys(), (index) => Effect.logWarning(`reason ${index}`))
    const { message } = await Effect.runPromise(Effect.flip(withKeptLog(Effect.andThen(logs, Effect.fail("problem")))))
    assert.include(message, "'problem'")
    assert.deepStrictEqual(message.match(/reason \d+/g)?.length, 10)
    assert.match(message, /reason 11"$/)
  })
})
