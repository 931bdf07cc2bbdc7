/**
 * No body of a request costs more to decode than the largest one that fits its schema, twice and with some room; what is
 * larger is refused before it is decoded, and changes nothing.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Result, SchemaAST } from "effect"
import type { BodyBounds } from "../../core/api/bodyBounds.ts"
import { boundedText, roomFor } from "./jsonBody.ts"
import { inMemory } from "./testing/engines.ts"
import {
  builds,
  mebibyte,
  previews,
  runs,
  statuses,
  validFiles,
  validRecordings,
  withFields
} from "./testing/largeBodies.ts"
import { jsonAt, jsonEndpoints, locationsOf } from "./testing/jsonEndpoints.ts"
import { it, layer } from "../../core/testing/layer.ts"
import { previewBody, runBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { bytes, reserveBody } from "./testing/uploads.ts"

/** How many values there are in a text that is parsed: no more than its separators and openings. */
const maxValuesIn = (text: string): number => text.match(/[,[{]/g)?.length ?? 1

const listOf = (item: string, count: number): string => `[${Array(count).fill(item).join(",")}]`

describe("bounds by the declared API", () => {
  const tooMuch = 30_000
  const huge: Readonly<Record<string, string>> = {
    "empty objects": listOf("{}", tooMuch),
    "empty lists": listOf("[]", tooMuch),
    texts: listOf('""', tooMuch),
    "lists in lists": "[".repeat(tooMuch) + "]".repeat(tooMuch),
    "objects in objects": `${'{"a":'.repeat(tooMuch)}1${"}".repeat(tooMuch)}`,
    fields: `{${Array.from({ length: tooMuch }, (_, index) => `"k${index}":1`).join(",")}}`
  }

  it.each(jsonEndpoints)("$name decodes no more values than fit it, whatever they are and wherever", ({ bounds }) => {
    const places = [...locationsOf(bounds).map(([place]) => place), ["unknown"]]
    for (const place of places) {
      for (const [what, json] of Object.entries(huge)) {
        const text = jsonAt(place, json)
        const decoded = Result.match(boundedText(text, bounds), { onFailure: () => "", onSuccess: (one) => one.text })
        assert.isAtMost(maxValuesIn(decoded), roomFor(bounds).values, `${what} at ${place.join(".")}`)
      }
    }
  })

  const lists = jsonEndpoints.flatMap(({ bounds, name, path }) =>
    locationsOf(bounds).flatMap(([place, { items }]) =>
      items === undefined ? [] : [{ name, path, place, items, bounds }]
    )
  )

  it("know every list and its maximum", () => {
    assert.deepStrictEqual(
      lists.map(({ items, name, place }) => `${name} ${place.join(".")} ${items.most}`),
      [
        "builds.post replayCheck.boxes 100",
        "builds.post replayCheck.missing 100",
        "builds.post files 1000",
        "previews.reserve replayCheck.boxes 100",
        "previews.reserve replayCheck.missing 100",
        "previews.reserve files 1000",
        "previews.reserve recordings 100",
        "testRuns.register attempts 20",
        "testRuns.register tags 50"
      ]
    )
  })

  it.each(jsonEndpoints)("every text of $name has a maximum length or a pattern", ({ schema }) => {
    const unbounded = (ast: SchemaAST.AST, path: string): ReadonlyArray<string> => {
      if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => unbounded(type, path))
      if (SchemaAST.isArrays(ast)) return ast.rest.flatMap((type) => unbounded(type, `${path}.0`))
      if (SchemaAST.isObjects(ast))
        return ast.propertySignatures.flatMap(({ name, type }) => unbounded(type, `${path}.${String(name)}`))
      const checks = JSON.stringify(ast.checks?.map(({ annotations }) => annotations) ?? [])
      return SchemaAST.isString(ast) && !/isMaxLength|isPattern/.test(checks) ? [path] : []
    }
    assert.deepStrictEqual(unbounded(SchemaAST.toEncoded(schema.ast), ""), [])
  })

  it.each(lists)("$name is refused more of $place than fit, with none of them decoded", ({ bounds, items, place }) => {
    const outcome = (count: number) => boundedText(jsonAt(place, listOf("{}", count)), bounds)
    assert.deepStrictEqual(
      outcome(items.most),
      Result.succeed({ text: jsonAt(place, listOf("{}", items.most)), tooLong: [] })
    )
    for (const count of [items.most + 1, 300_000]) {
      const message = `must have at most ${items.most} items, not ${count}`
      assert.deepStrictEqual(
        outcome(count),
        Result.succeed({ text: jsonAt(place, "[]"), tooLong: [{ path: place.join("."), message }] })
      )
    }
  })
})

layer(TestHost.layer(inMemory))("large bodies", (it) => {
  const send = Effect.fnUntraced(function* (path: string, key: string, body: string, idempotencyKey?: string) {
    const host = yield* TestHost
    const raw = bytes(body)
    assert.isAtMost(raw.byteLength, mebibyte)
    const headers = {
      "content-type": "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
    }
    return yield* host.call("POST", path, { key, raw, headers })
  })

  const uploader = newAccount(["builds", "preview_upload", "test_runs", "quarantine"])

  it.effect("every endpoint of the API refuses a megabyte of values by a bound", function* () {
    const account = yield* uploader
    const most = (bounds: BodyBounds) => `must have at most ${roomFor(bounds).values} values, at all depths together`
    for (const { bounds, path } of jsonEndpoints) {
      // A repository is in the query of some, which is checked first.
      const answer = yield* send(`${path}?org=acme&repo=app`, account.key, listOf("{}", 349_000))
      if (answer.status === 413) continue
      const problem = yield* refusal(answer, 400, "invalid_request")
      assert.deepStrictEqual(problem._tag === "InvalidRequest" ? problem.issues : [], [
        { path: "", message: most(bounds) }
      ])
    }
  })

  it.effect("a body without a list has at most 16 KiB for each value of its schema, itself included", function* () {
    const account = yield* uploader
    const values = { "token-exchange": 3, "previews/finalize": 2, "previews/x/shares": 2 }
    for (const [path, count] of Object.entries(values)) {
      const most = count * 16 * 1024
      const answer = yield* send(`/api/v1/${path}`, account.key, "{}".padEnd(most + 1))
      const problem = yield* refusal(answer, 413, "payload_too_large")
      assert.include(problem.detail, `${most} bytes`)
      assert.notStrictEqual((yield* send(`/api/v1/${path}`, account.key, "{}".padEnd(most))).status, 413)
    }
  })

  it.effect("a refused list's issue states its length and the limit, and omitted issues are counted", function* () {
    const account = yield* uploader
    const refusedWith = Effect.fnUntraced(function* (files: ReadonlyArray<unknown>) {
      const body = JSON.stringify(previewBody({ files }))
      const problem = yield* refusal(yield* send(previews, account.key, body), 400, "invalid_request")
      return problem._tag === "InvalidRequest" ? problem : yield* Effect.die(problem._tag)
    })
    const { issues } = yield* refusedWith(Array(500_000).fill(0))
    assert.deepStrictEqual(issues, [{ path: "files", message: "must have at most 1000 items, not 500000" }])
    const mismatch = { path: "/", sizeBytes: -1, contentType: "x", contentHash: "y" }
    const cut = yield* refusedWith(Array.from({ length: 1000 }, () => mismatch))
    assert.lengthOf(cut.issues, 1000)
    assert.include(cut.detail, "more than 1000 places; issues has the first 1000")
  })

  it.effect("a status as large as the bounds allow is accepted, even with an Idempotency-Key", function* () {
    const account = yield* uploader
    for (const status of Object.values(statuses)) {
      const body = withFields(runBody(account, "x", { status: undefined }), `"status":${status}`)
      for (const key of [undefined, "a-key"]) {
        yield* refusal(yield* send(runs, account.key, body, key), 404, "not_found")
      }
    }
  })

  it.effect("a thousand files with long paths are reserved, presigned and stored", function* () {
    const account = yield* uploader
    const preview = JSON.stringify(previewBody({ files: validFiles, recordings: validRecordings }))
    const build = JSON.stringify(reserveBody(account, { files: validFiles }))
    for (const [path, body] of [
      [previews, preview],
      [builds, build]
    ] as const) {
      assert.isAtLeast(body.length, 0.9 * mebibyte)
      for (const key of [undefined, `a-key-for-${path.length}`]) {
        const answer = yield* send(path, account.key, body, key)
        assert.strictEqual(answer.status, 201, answer.text.slice(0, 1000))
      }
    }
    const padded = JSON.stringify(previewBody()).padStart(mebibyte)
    assert.strictEqual((yield* send(previews, account.key, padded)).status, 201)
  })
})
