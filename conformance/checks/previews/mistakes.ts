import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Fields } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { mustNotBeItsOwn } from "../steps/callersMistake.ts"
import { a } from "../steps/credentials.ts"
import { previewInput } from "../steps/inputs.ts"
import { readPreview } from "../steps/previews.ts"

const misfits: Readonly<Record<string, Fields>> = {
  "no-bundle-size": { bundleSizeBytes: undefined },
  "negative-size": { bundleSizeBytes: -1 },
  "size-as-text": { bundleSizeBytes: "many" },
  "files-not-a-list": { files: "all" },
  "recordings-not-a-list": { recordings: 1 },
  "billing-kind-not-a-text": { billingKind: 1 }
}

const fields: Check = {
  id: "previews.mistakes.reserve",
  profile: "previews",
  title: "A preview reservation with a field that doesn't fit isn't answered with 5xx.",
  cost: { requests: Object.keys(misfits).length, bytes: 0 },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    for (const [mistake, fields] of Object.entries(misfits)) {
      const input = yield* previewInput(mistake, { fields })
      yield* mustNotBeItsOwn("previews", `reserve.${mistake}`, yield* dialect.reservePreview(input, a))
    }
  })
}

const bodies: Check = {
  id: "previews.mistakes.body",
  profile: "previews",
  title: "A body that isn't what previews want isn't answered with 5xx.",
  cost: { requests: 3, bytes: 40 },
  run: Effect.gen(function* () {
    const { config, content, exchange } = yield* Session
    const previews = { method: "POST", url: `${config.url}/api/v1/previews`, as: a }
    const headers = { "content-type": "application/json" }
    const notJson = yield* exchange({ ...previews, headers, content: content("not JSON", 40) })
    yield* mustNotBeItsOwn("previews", "reserve.not-json", notJson)
    yield* mustNotBeItsOwn("previews", "reserve.list", yield* exchange({ ...previews, json: [] }))
    const empty = yield* exchange({ ...previews, url: `${previews.url}/finalize`, json: {} })
    yield* mustNotBeItsOwn("previews", "finalize.empty", empty)
  })
}

const read: Check = {
  id: "previews.mistakes.read",
  profile: "previews",
  title: "A read of what can't be a shareId isn't answered with 5xx.",
  cost: { requests: 2, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    yield* mustNotBeItsOwn("previews", "read.not-ascii", yield* readPreview("größe ✓"))
    yield* mustNotBeItsOwn("previews", "read.long", yield* readPreview("x".repeat(500)))
  })
}

export const mistakeChecks: ReadonlyArray<Check> = [fields, bodies, read]
