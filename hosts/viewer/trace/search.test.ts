import { assert, describe, it } from "@effect/vitest"
import { parseEvent } from "./event.ts"
import { hasWords, searchedText, wordsOf } from "./search.ts"

const finds = (typed: string, line: string): boolean => {
  const event = parseEvent(line, undefined)
  return event !== undefined && hasWords(searchedText(event), wordsOf(typed))
}

describe("what is typed is found", () => {
  const line = '{"t":1,"type":"network","name":"GET /Cart","status":"500","body":{"why":"B\\u00fccher"},"bytes":7}'

  it("in the type, the name, the status and every other field, in any case", () => {
    for (const typed of ["network", "/cart", "500", "bücher", "BYTES", "7", "", "  "])
      assert.isTrue(finds(typed, line), typed)
    for (const typed of ["tap", "501", "kirche"]) assert.isFalse(finds(typed, line), typed)
  })

  it("where all of its words are, in whatever order", () => {
    assert.isTrue(finds("bücher get", line))
    assert.isFalse(finds("bücher put", line))
  })

  it("also where a field is nested deeper than can be written", () => {
    const deep = `{"name":"deep","value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    assert.isTrue(finds("deep", deep))
  })
})
