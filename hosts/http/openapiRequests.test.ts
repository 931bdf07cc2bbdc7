/** Requests made from the document at `/openapi.json`: what it allows isn't refused as invalid, and what it forbids is. */
import { assert } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { loadDocument } from "./testing/declaredResponses.ts"
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { declaredRecordings, everyRunField, previewBody, readyPreview, runBody } from "./testing/previews.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { declaredFiles, reserveBody } from "./testing/uploads.ts"

/** Values for any member: of each type, at the borders of each, and texts of every kind of character. */
const values: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  7,
  1.5,
  2 ** 31,
  1e10,
  2 ** 53,
  [],
  {},
  [1],
  "",
  " ",
  "x",
  "ios",
  "é😀",
  "a\u0000b",
  "a\u007fb",
  "a\nb",
  "\ud800",
  "../x",
  "/x",
  "a//b",
  "a/b",
  "a\\b",
  "text/ ",
  "9".repeat(40),
  "f".repeat(40),
  "G".repeat(64),
  "x".repeat(1025)
]

/** What no schema of one member can say. */
const together = "must be below stepCount"

/** A body with another value in one of its places, outermost first. */
function* changed(body: unknown, at: string): Generator<readonly [at: string, body: unknown]> {
  if (typeof body !== "object" || body === null) return
  const put = (name: string, value: unknown) =>
    Array.isArray(body) ? body.with(Number(name), value) : { ...body, [name]: value }
  for (const [name, was] of Object.entries(body)) {
    for (const value of values) yield [`${at}/${name} ${JSON.stringify(value)}`, put(name, value)]
    for (const [inner, value] of changed(was, `${at}/${name}`)) yield [inner, put(name, value)]
  }
  if (!Array.isArray(body)) yield [`${at}/unknownMember`, { ...body, unknownMember: [1] }]
}

layer(TestHost.layer(inMemory, { openReservations: 100_000 }))("/openapi.json", (it) => {
  it.effect("allows in requests what the host accepts, and nothing else", function* () {
    const host = yield* TestHost
    const { json, mismatches } = yield* loadDocument
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(json, "openapi")
    const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
    const { shareId } = yield* readyPreview(account)
    const bodies: ReadonlyArray<readonly [template: string, body: Record<string, unknown>]> = [
      [
        "/api/v1/builds",
        reserveBody(account, {
          files: declaredFiles.slice(0, 1),
          entry: "index.js",
          deviceSpec: { width: 1, height: 2 }
        })
      ],
      [
        "/api/v1/previews",
        previewBody({ recordings: declaredRecordings.slice(0, 1), files: declaredFiles.slice(0, 1) })
      ],
      ["/api/v1/previews/finalize", { token: "no token" }],
      ["/api/v1/test-runs", { ...runBody(account, shareId), ...everyRunField }]
    ]
    const wrong: Array<string> = []
    let requests = 0
    for (const [template, body] of bodies) {
      const at = `openapi#/paths/${template.replaceAll("/", "~1")}/post/requestBody/content/application~1json/schema`
      const fits = ajv.compile({ $ref: at })
      assert.isTrue(fits(body), `${template}: ${ajv.errorsText(fits.errors)}`)
      for (const [what, sent] of changed(body, "")) {
        requests += 1
        const { headers, status, text } = yield* host.call("POST", template, { key: account.key, body: sent })
        const answered = { status, header: (name: string) => headers.get(name) ?? undefined, text }
        const undeclared = mismatches({ method: "post", template }, answered)
        if (status >= 500 || undeclared.length > 0) wrong.push(`${template} ${what}: ${status} ${undeclared.join()}`)
        else if (fits(sent) === (status === 400) && !text.includes(together)) {
          wrong.push(
            `${template} ${what}: ${status === 400 ? "allowed and refused" : "forbidden and accepted"}: ${text.slice(0, 200)}`
          )
        }
      }
    }
    assert.isAbove(requests, 1000)
    assert.deepStrictEqual(wrong, [])
  })
})
