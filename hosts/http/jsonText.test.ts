import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { parseJson } from "./jsonText.ts"

const refusalOf = (text: string, depth: number, fields: number) => {
  const parsed = parseJson(text, { depth, fields })
  return Result.isFailure(parsed) ? parsed.failure : undefined
}

describe("JSON text within bounds", () => {
  it.prop("is the value that JSON makes of it", { value: Schema.Json }, ({ value }) => {
    const text = JSON.stringify(value)
    assert.deepStrictEqual(parseJson(text, { depth: 1000, fields: 1000 }), Result.succeed(JSON.parse(text)))
  })

  it("counts its deepest nesting", () => {
    assert.isUndefined(refusalOf('[[],{"a":[]},[]]', 3, 1))
    assert.strictEqual(refusalOf('[[],{"a":[]},[]]', 2, 1), "too deep")
  })

  it("counts the fields of all objects together", () => {
    assert.isUndefined(refusalOf('{"a":{"b":1},"c":[{"d":2}]}', 9, 4))
    assert.strictEqual(refusalOf('{"a":{"b":1},"c":[{"d":2}]}', 9, 3), "too many fields")
  })

  it("ignores what is inside strings, whatever their escapes", () => {
    for (const inside of ["[[[:::", '\\"[:{', "\\\\", '\\\\\\"[[[::', "\\u0022[["]) {
      assert.isUndefined(refusalOf(`["${inside}",{"a":"${inside}"}]`, 2, 1), inside)
      assert.strictEqual(refusalOf(`["${inside}",{"a":"${inside}"}]`, 1, 1), "too deep", inside)
    }
  })

  it("is distinguished from invalid JSON, even with an unterminated string", () => {
    for (const text of ["", "{", '"a', '"a\\', "]", "undefined", '{"a":1}}']) {
      assert.strictEqual(refusalOf(text, 9, 9), "not JSON", text)
    }
  })
})
