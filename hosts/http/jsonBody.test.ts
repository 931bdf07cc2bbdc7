/** What reading a body costs, in items that are decoded: each once, few in a turn of the event loop, none of a refused list. */
import { assert } from "@effect/vitest"
import { Context, Effect, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { it } from "../../core/testing/layer.ts"
import { boundsOf, lengthOf } from "../../core/api/bodyBounds.ts"
import { defaultLimits } from "../../core/rules/limits.ts"
import { Settings } from "../../core/service/Settings.ts"
import { itemsPerTurn, jsonBody } from "./jsonBody.ts"

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
