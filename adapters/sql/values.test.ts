import { assert } from "@effect/vitest"
import { Cause, Effect, Exit, References, Schema } from "effect"
import { maxUnreadable, tooManyUnreadable } from "../../core/rules/pages.ts"
import { it } from "../../core/testing/layer.ts"
import { decodeFirst, decodeRows, readFully } from "./values.ts"

const note = Schema.Struct({ text: Schema.fromJsonString(Schema.Struct({ word: Schema.String })) })
const decode = decodeRows({ note })
const row = (letter: string, length: number) => ({ "note.text": JSON.stringify({ word: letter.repeat(length) }) })

it.effect("a long text is decoded once while it is among the latest, and short texts always", function* () {
  const decoded = (letter: string, length: number) =>
    Effect.map(decode([row(letter, length)]), ([one]) => {
      assert.strictEqual(one?.note.text.word, letter.repeat(length))
      return one?.note.text
    })
  const first = yield* decoded("a", 200_000)
  assert.notStrictEqual(yield* decoded("s", 10), yield* decoded("s", 10))
  yield* decoded("b", 200_000)
  assert.strictEqual(yield* decoded("a", 200_000), first)
  yield* decoded("c", 200_000)
  assert.strictEqual(yield* decoded("a", 200_000), first, "b is forgotten before it, which was used earlier")
  yield* decoded("d", 600_000)
  assert.notStrictEqual(yield* decoded("a", 200_000), first)
})

it.effect("a row that can't be read is a defect that names its record, and is left out of a list", function* () {
  const entities = { note: Schema.Struct({ id: Schema.String, ...note.fields }) }
  const rows = ["{", '{"word":5}'].map((text) => ({ "note.id": "n7", "note.text": text }))
  for (const row of rows) {
    const [defect] = (yield* Effect.flip(Effect.sandbox(decodeFirst(entities)([row])))).reasons
    assert.include(String(defect && "defect" in defect ? defect.defect : undefined), "(note n7)")
  }
  const readable = { "note.id": "n8", "note.text": '{"word":"a"}' }
  const listed = yield* decodeRows(entities)([...rows, readable])
  assert.deepStrictEqual(
    listed.map((row) => row.note.id),
    ["n8"]
  )
})

it.effect("a page is full behind rows that can't be read, of which it reads on only so many", () =>
  Effect.gen(function* () {
    let read = 0
    /** A list whose first rows can't be read. */
    const pageOf = (limit: number, unreadable: number) => {
      const all = Array.from({ length: 3000 }, (_, n) => (n < unreadable ? { "note.text": "{" } : row("a", 1)))
      read = 0
      return readFully(limit, (limit) => {
        read += limit
        return decode(all.slice(0, limit))
      })
    }
    for (const [limit, unreadable] of [
      [1, 1],
      [1, 700],
      [10, 3],
      [10, maxUnreadable]
    ] as const) {
      assert.lengthOf(yield* pageOf(limit, unreadable), limit, `${limit} behind ${unreadable}`)
      assert.isAtMost(read, 10 * (limit + unreadable))
    }
    const exit = yield* Effect.exit(pageOf(10, 3000))
    assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", tooManyUnreadable)
    assert.isAtMost(read, 5 * maxUnreadable)
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
)
