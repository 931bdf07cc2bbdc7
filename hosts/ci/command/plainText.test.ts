import { assert, describe, it } from "vitest"
import { plainLine, plainLines } from "../../../core/model/plainText.ts"

describe("texts of other tools", () => {
  it("lose the colours of a terminal and control characters", () => {
    assert.strictEqual(plainLines("\u001b[31mred\u001b[0m\u0007\tx\r\ny"), "red \tx\r\ny")
    assert.strictEqual(plainLine("one\r\n  two\u0000"), "one two")
  })

  it("lose lone surrogates", () => {
    assert.isTrue(plainLine("a\ud800b").isWellFormed())
  })

  it("are truncated to the host's limit, with a mark", () => {
    assert.strictEqual(plainLine("x".repeat(5000)).length, 1024)
    assert.match(plainLine("x".repeat(5000)), /x… \(cut\)$/)
    assert.strictEqual(plainLines("x".repeat(50_000)).length, 16 * 1024)
  })

  it("are never cut in the middle of a character", () => {
    for (let before = 0; before < 4; before += 1) {
      assert.isTrue(plainLine(`${"x".repeat(before)}${"😀".repeat(1000)}`).isWellFormed())
    }
  })
})
