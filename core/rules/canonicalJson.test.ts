import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import { canonicalJson } from "./canonicalJson.ts"

describe("canonical JSON", () => {
  it("is the same whatever the order of the keys, at every depth", () => {
    assert.strictEqual(
      canonicalJson({ b: [{ d: 1, c: { f: 1, e: 2 } }], a: 1, 10: 1, 9: 1 }),
      canonicalJson({ 9: 1, 10: 1, a: 1, b: [{ c: { e: 2, f: 1 }, d: 1 }] })
    )
    assert.strictEqual(canonicalJson({ b: 1, a: [true, null, "x"] }), '{"a":[true,null,"x"],"b":1}')
  })

  it("differs for values whose JSON differs", () => {
    const values = [null, "null", 0, "0", false, "", [], {}, [[]], [{}], [null], { a: null }, { a: 1 }, { "a:1": 1 }]
    assert.strictEqual(new Set(values.map(canonicalJson)).size, values.length)
    assert.notStrictEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
  })

  it("leaves out what JSON leaves out, and writes an instant as JSON does", () => {
    assert.strictEqual(canonicalJson({ a: undefined, b: [undefined] }), '{"b":[null]}')
    assert.strictEqual(canonicalJson(DateTime.makeUnsafe(0)), '"1970-01-01T00:00:00.000Z"')
  })

  it("treats keys such as __proto__ like any other", () => {
    const text = '{"__proto__":{"b":1,"a":2},"constructor":1,"toString":2}'
    const written = canonicalJson(JSON.parse(text))
    assert.strictEqual(written, '{"__proto__":{"a":2,"b":1},"constructor":1,"toString":2}')
  })

  it("writes lone surrogates so that two of them differ", () => {
    assert.notStrictEqual(canonicalJson("\ud800"), canonicalJson("\ud801"))
    assert.isTrue(canonicalJson("\ud800").isWellFormed())
  })

  it("writes a value nested far deeper than the stack", () => {
    const text = `${'{"a":['.repeat(200_000)}0${"]}".repeat(200_000)}`
    assert.strictEqual(canonicalJson(JSON.parse(text)), text)
  })

  it.prop(
    "of what is in order already is JSON itself, and is its own canonical form",
    { value: Schema.Json },
    ({ value }) => {
      const written = canonicalJson(value)
      // The assertion of Vitest takes objects with the keys "\\0" and " " for different ones.
      assert.isTrue(isDeepStrictEqual(JSON.parse(written), JSON.parse(JSON.stringify(value))), written)
      assert.strictEqual(canonicalJson(JSON.parse(written)), written)
    }
  )
})
