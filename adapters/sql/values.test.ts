import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { decodeFirst, decodeRows } from "./values.ts"

const note = Schema.Struct({ text: Schema.fromJsonString(Schema.Struct({ word: Schema.String })) })
const decode = decodeRows({ note })
const row = (letter: string, length: number) => ({ "note.text": JSON.stringify({ word: letter.repeat(length) }) })

it.effect("a long text is decoded once while it is among the latest, and short texts always", () =>
  Effect.gen(function* () {
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
)

it.effect("a row that can't be read is a defect that names its record, and is left out of a list", () =>
  Effect.gen(function* () {
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
)
