/** What reading a body costs, in items that are decoded: each once, few in a turn of the event loop, none of a refused list. */
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { it, layer } from "../../core/testing/layer.ts"
import { boundsOf, lengthOf, type BodyBounds } from "../../core/api/bodyBounds.ts"
import { defaultLimits } from "../../core/rules/limits.ts"
import { Settings } from "../../core/service/Settings.ts"
import { itemsPerTurn, jsonBody, boundedText, roomFor } from "./jsonBody.ts"
import { inMemory } from "./testing/engines.ts"
import { previews } from "./testing/largeBodies.ts"
import { previewBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"

/** Reads a body of `{"tags": […], "files": […]}`, and tells in which turn of the event loop each item was decoded. */
const reading = Effect.fnUntraced(function* (text: string) {
  let turn = 0
  const turns: Array<number> = []
  const item = Schema.Number.check(Schema.makeFilter(() => turns.push(turn) > 0))
  const listOf = Schema.Array(item)
  const schema = Schema.Struct({
    tags: Schema.optionalKey(listOf.check(Schema.isMaxLength(20))),
    files: Schema.optionalKey(listOf.annotate(lengthOf("files")))
  })
  const settings = Settings.make({ url: "http://host", limits: { ...defaultLimits, files: 100_000 } })
  const read = yield* jsonBody(schema).pipe(Effect.provideService(Settings, settings))
  let next = setImmediate(function again() {
    turn++
    next = setImmediate(again)
  })
  const headers = { "content-type": "application/json" }
  const request = HttpServerRequest.fromWeb(new Request("http://host", { method: "POST", headers, body: text }))
  const result = yield* Effect.result(read({ request, endpoint: { annotations: Context.empty() } }))
  clearImmediate(next)
  const inTurn = new Map<number, number>()
  for (const one of turns) inTurn.set(one, (inTurn.get(one) ?? 0) + 1)
  return { result, decoded: turns.length, maxInTurn: Math.max(0, ...inTurn.values()) }
})

const numbers = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, index) => index))

it.live("decodes no item of a list that is too long", function* () {
  const { decoded, result } = yield* reading(`{"tags":${numbers(100_000)},"files":[1]}`)
  assert.isTrue(Result.isFailure(result))
  assert.strictEqual(decoded, 1)
})

it.live("decodes each item of a long list once, and lets others work in between", function* () {
  for (const count of [itemsPerTurn, 20_000, 40_000]) {
    const { decoded, maxInTurn, result } = yield* reading(`{"tags":[1,2],"files":${numbers(count)}}`)
    const expected = { tags: [1, 2], files: Array.from({ length: count }, (_, index) => index) }
    assert.deepStrictEqual(result, Result.succeed(expected))
    assert.strictEqual(decoded, count + 2)
    assert.isAtMost(maxInTurn, itemsPerTurn + 2)
  }
})

it("refuses a schema with a list without a maximum length, wherever it is", () => {
  const endless = Schema.Struct({ steps: Schema.optionalKey(Schema.Array(Schema.String)) })
  for (const schema of [
    endless,
    Schema.Union([Schema.String, endless]),
    Schema.Array(endless).check(Schema.isMaxLength(2))
  ]) {
    assert.throws(() => boundsOf(schema, defaultLimits), /needs a maximum length/)
  }
})

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

const run = promisify(execFile)

it.live(
  "a process with half a gigabyte of memory survives eight bodies with a third of a million items each",
  function* () {
    const program = new URL("testing/smallHeap.ts", import.meta.url).pathname
    const { stdout } = yield* Effect.promise(() => run(process.execPath, ["--max-old-space-size=512", program]))
    assert.deepStrictEqual(JSON.parse(stdout), Array(8).fill(400))
  }
)

// A host may allow more files than are decoded in one turn of the event loop.

layer(
  TestHost.layer(inMemory, {
    limits: { bundleBytes: 1000, fileBytes: 500, totalBytes: 100_000, files: 5000, recordings: 2 }
  })
)("a host that allows 5,000 files", (it) => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ path: `f${n}`, sizeBytes: 1, contentType: "a/b" }))

  const send = Effect.fnUntraced(function* (list: ReadonlyArray<unknown>, fields: Record<string, unknown> = {}) {
    const host = yield* TestHost
    const { key } = yield* newAccount(["preview_upload"])
    return yield* host.call("POST", previews, { key, body: previewBody({ files: list, ...fields }) })
  })

  it.effect("accepts them", function* () {
    const answer = yield* send(files(5000))
    assert.strictEqual(answer.status, 201, answer.text.slice(0, 1000))
  })

  it.effect("names each issue by its index in the whole list, and those of other fields once", function* () {
    const list = files(3500).map((one, n) => (n % 1500 === 7 ? { ...one, sizeBytes: -1 } : one))
    const problem = yield* refusal(yield* send(list, { entry: "" }), 400, "invalid_request")
    assert.deepStrictEqual(problem._tag === "InvalidRequest" ? problem.issues.map(({ path }) => path).toSorted() : [], [
      "entry",
      "files.1507.sizeBytes",
      "files.3007.sizeBytes",
      "files.7.sizeBytes"
    ])
  })

  it.effect("names a path that is declared twice, however far apart", function* () {
    const problem = yield* refusal(yield* send([...files(3000), ...files(1)]), 400, "invalid_request")
    assert.deepStrictEqual(problem._tag === "InvalidRequest" ? problem.issues.map(({ path }) => path) : [], [
      "files.3000.path"
    ])
  })
})
