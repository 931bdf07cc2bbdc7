import { assert, describe, it } from "vitest"
import { excerpt, oneLine, visible } from "./visible.ts"

describe("visible", () => {
  it("lets ordinary text of any language be", () => {
    const text = "Größe\tשלום 你好 👍🏽 ‹redacted 1› “quoted”\n  next"
    assert.strictEqual(visible(text), text)
  })

  it("shows what would be obeyed or not be seen", () => {
    assert.strictEqual(visible("\u0000\u001B[31m\u009B\u007F"), String.raw`\u0000\u001b[31m\u009b\u007f`)
    assert.strictEqual(visible("a\u202Eb\u2066c\u200Fd\u200Be\u2028"), String.raw`a\u202eb\u2066c\u200fd\u200be\u2028`)
    assert.strictEqual(visible("\uD800 \uFFFE \uFEFF \u{E0041}"), String.raw`\ud800 \ufffe \ufeff \udb40\udc41`)
  })

  it("ends lines in one way, and shows a return that ends none", () => {
    assert.strictEqual(visible("a\r\nb\rc"), "a\nb\\u000dc")
  })
})

describe("oneLine", () => {
  it("makes one line of many", () => {
    assert.strictEqual(oneLine(" a\n\n  b\tc \r\n"), "a b c")
  })
})

describe("excerpt", () => {
  it("leaves short texts be, and says how much of a long one is left out", () => {
    assert.strictEqual(excerpt("12345", 5), "12345")
    assert.strictEqual(excerpt("1".repeat(2345), 5), "11111… (2,340 characters more)")
  })
})
