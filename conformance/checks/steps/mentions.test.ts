import { assert, describe, it } from "vitest"
import { mentions } from "./mentions.ts"

describe("what an answer mentions", () => {
  it("is found as a value and as a name, within a longer text and in other letters, wherever it lies", () => {
    const json = { data: [{ git: "acme/app#7 Main@ABC1234" }], files: { "a/style-17.css": { size: 64 } }, w: 3117 }
    for (const mark of ["main", "abc1234", "style-17.css", 64, 3117])
      assert.isTrue(mentions({ json }, [mark]), `${mark}`)
    assert.isTrue(mentions({ json }, ["not there", 64]))
    assert.isFalse(mentions({ json }, ["not there", 65]))
  })

  it("has a number in a text on its own, and not as a part of a hash, a longer number or a URL", () => {
    const has = (text: string) => mentions({ json: { text } }, [3117])
    for (const text of ["3117x2556", "ios 1179×3117", "3117"]) assert.isTrue(has(text), text)
    for (const text of ["a3117f", "31170", "0.3117", "http://127.0.0.1:3117/x"]) assert.isFalse(has(text), text)
  })

  it("is nothing in an answer that isn't JSON", () => {
    assert.isFalse(mentions({ json: undefined }, ["x"]))
  })
})
