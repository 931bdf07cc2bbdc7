import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { BodyBounds } from "../../core/api/bodyBounds.ts"
import { boundedText, roomFor } from "./jsonBody.ts"

const scalar: BodyBounds = { values: 1, depth: 0, fields: new Map() }
const listOf = (most: number, bounds = scalar): BodyBounds => ({ ...scalar, depth: 1, items: { most, bounds } })
const objectOf = (fields: Readonly<Record<string, BodyBounds>>): BodyBounds => ({
  ...scalar,
  depth: 1,
  fields: new Map(Object.entries(fields))
})

/** Bounds that admit so many values, or so deep a nesting. */
const admitting = (most: { readonly values?: number; readonly depth?: number }): BodyBounds => {
  const room = roomFor({ ...scalar, values: 0 })
  return { ...scalar, values: ((most.values ?? 1e6) - room.values) / 2, depth: (most.depth ?? 1e6) - room.depth }
}

const outcome = (text: string, bounds: BodyBounds) => {
  const { issues, parsed } = Result.match(boundedText(text, bounds), {
    onFailure: ({ issues }) => ({ issues, parsed: undefined }),
    onSuccess: ({ text, tooLong }) => ({ issues: tooLong, parsed: JSON.parse(text) as unknown })
  })
  return { parsed, issues: (issues ?? []).map(({ message, path }) => `${path} ${message}`) }
}

const partsOf = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value) : []
const valuesIn = (value: unknown): number => partsOf(value).reduce<number>((sum, part) => sum + valuesIn(part), 1)
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...partsOf(value).map(depthOf)) : 0

describe("JSON text within bounds", () => {
  it.prop(
    "has as many values and is as deep as JSON says, written closely or widely",
    { value: Schema.Json },
    (one) => {
      const values = valuesIn(one.value)
      const depth = depthOf(one.value)
      for (const text of [JSON.stringify(one.value), JSON.stringify(one.value, undefined, "\t ")]) {
        assert.deepStrictEqual(outcome(text, admitting({ values, depth })), { parsed: JSON.parse(text), issues: [] })
        if (values > 1) {
          const [fewer] = outcome(text, admitting({ values: values - 1, depth })).issues
          assert.strictEqual(fewer, ` must have at most ${values - 1} values, at all depths together`)
        }
        const [flatter] = outcome(text, admitting({ values, depth: depth - 1 })).issues
        assert.strictEqual(flatter, depth > 0 ? ` must be nested at most ${depth - 1} deep` : undefined)
      }
    }
  )

  it("has lists that are too long cut out, wherever they are", () => {
    const bounds = objectOf({ a: listOf(2), b: listOf(9, objectOf({ c: listOf(0) })), d: listOf(1) })
    assert.deepStrictEqual(
      outcome(
        '{"x":[1,2,3],"a":[1,[2,2,2],{"a":[]}],"b":[{"c":[]},{"c":[ {"d":[1,2]} ]},{"a":[1,2,3]}],"d":[1]}',
        bounds
      ),
      {
        parsed: { x: [1, 2, 3], a: [], b: [{ c: [] }, { c: [] }, { a: [1, 2, 3] }], d: [1] },
        issues: ["a must have at most 2 items, not 3", "b.1.c must have at most 0 items, not 1"]
      }
    )
  })

  it("finds a list by its name, however that is written and as often as it is there", () => {
    const bounds = objectOf({ tags: listOf(1) })
    assert.deepStrictEqual(
      outcome('{"t\\u0061gs" : [1,2], "tags":[1,2,3], "tags\\q":[1,2]}'.replace("\\q", "x"), bounds),
      {
        parsed: { tags: [], tagsx: [1, 2] },
        issues: ["tags must have at most 1 items, not 2", "tags must have at most 1 items, not 3"]
      }
    )
  })

  it("counts nothing inside texts, whatever their escapes", () => {
    for (const inside of ["[[[,,,:::", '\\"[,:{', "\\\\", '\\\\\\"[[[,,', "\\u0022[["]) {
      const text = `["${inside}",{"a":"${inside}"}]`
      assert.deepStrictEqual(outcome(text, admitting({ values: 4, depth: 2 })), {
        parsed: JSON.parse(text),
        issues: []
      })
    }
  })

  it("refuses brackets that don't match, before anything is parsed", () => {
    const bounds = objectOf({ tags: listOf(1) })
    for (const text of ["{", "]", '{"a":1}}', '{"tags":[1,2}', '{"tags":[1,2', '{"tags":[1,2,"]}', "[}"]) {
      assert.deepStrictEqual(
        outcome(text, bounds),
        { parsed: undefined, issues: [" must be valid JSON in UTF-8"] },
        text
      )
    }
  })
})
