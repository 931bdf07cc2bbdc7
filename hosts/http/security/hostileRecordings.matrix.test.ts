/** Uploads that are expensive to show: no page that shows them blocks other requests. */
import { assert } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { recordedRun, type Recording } from "../../viewer/testing/runs.ts"
import { signIn } from "../../viewer/testing/visit.ts"
import { embedded } from "../testing/engines.ts"
import { layer } from "../../../core/testing/layer.ts"
import { uploader } from "../testing/previews.ts"
import { TestHost } from "../testing/TestHost.ts"
import { parsedPerTurn } from "../testing/turnWork.ts"
import { bytes } from "../testing/uploads.ts"
import { looseEnds } from "./testing/html.ts"
import { send, wire } from "./testing/wire.ts"

/** How many characters one turn of the event loop may parse for a page. */
const maxParsed = 2 ** 20

const mebibyte = 2 ** 20

const filled = (text: string, size = mebibyte): string => text.repeat(Math.floor(size / text.length))

const step = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ t: 0, type: "step", name: "a", status: "passed", ...fields })

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

/** Texts declared as events, a log or JSON; each plain and as gzip. */
const texts: Readonly<Record<string, () => string>> = {
  "many steps": () => filled(`${step({})}\n`),
  "many steps that failed": () => filled(`${step({ status: "failed", message: "no", stack: "at a" })}\n`),
  "steps that never end": () => filled(`${step({ status: "started" })}\n`),
  "steps with long names": () => filled(`${step({ name: "x".repeat(10_000) })}\n`),
  "a step with a name of a megabyte": () => step({ name: "x".repeat(mebibyte - 100) }),
  "a step with a name of colours": () => step({ name: "\u001b[31m".repeat(60_000) }),
  "a step with a name of half a colour": () => step({ name: "\u001b[".repeat(200_000) }),
  "a step with a deep detail": () => `{"t":0,"type":"step","name":"a","status":"passed","detail":${nested(400_000)}}`,
  "a step with a wide detail": () =>
    `{"t":0,"type":"step","name":"a","status":"passed","detail":[${filled("1,", 900_000)}1]}`,
  "a step with many fields": () =>
    `{"t":0,"type":"step",${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(",")},"name":"a"}`,
  "times out of order": () =>
    Array.from({ length: 15_000 }, (_, index) => step({ t: (index * 7919) % 15_000 })).join("\n"),
  "times past every clock": () =>
    Array.from({ length: 15_000 }, (_, index) => step({ t: index % 2 === 0 ? 1e308 : -1e308 })).join("\n"),
  "steps in steps": () =>
    Array.from({ length: 15_000 }, (_, index) => step({ id: `${index}`, parent: `${index - 1}`, depth: index })).join(
      "\n"
    ),
  "empty lines": () => filled("\n"),
  "empty objects": () => filled("{}\n"),
  numbers: () => filled("1\n"),
  "lines of no JSON": () => filled("{\n"),
  "carriage returns": () => filled("\r"),
  "one long line": () => filled("x", 8 * mebibyte),
  "one long list": () => `[${filled("1,")}1]`,
  "half a megabyte of lists": () => `[${filled("[],", 500_000)}1]`,
  "half a megabyte of fields": () => `{${Array.from({ length: 40_000 }, (_, index) => `"${index}":1`).join(",")}}`,
  "half a megabyte of depth": () => nested(250_000),
  "a deep object": () => `${'{"a":'.repeat(80_000)}1${"}".repeat(80_000)}`,
  "half a megabyte of markup": () => filled("<b>", 500_000),
  "half a megabyte of ampersands": () => filled("&", 500_000),
  "half a megabyte of turns": () => filled("\u202e", 500_000),
  "half a megabyte of combining marks": () => `a${filled("\u0301", 250_000)}`,
  "a hundred mebibytes of nothing": () => " ".repeat(100 * mebibyte)
}

const kinds = [
  { kind: "events", contentType: "application/x-ndjson" },
  { kind: "log", contentType: "text/plain" },
  { kind: "other", contentType: "application/json" }
] as const

const isOnlySmallAsGzip = (text: string): boolean => text.length > 10 * mebibyte

const recordings = (name: string, text: string): ReadonlyArray<Recording> => {
  const plain = bytes(text)
  const zipped = new Uint8Array(gzipSync(plain))
  return kinds.flatMap(({ contentType, kind }) => [
    ...(isOnlySmallAsGzip(text) ? [] : [{ name, kind, contentType, bytes: plain }]),
    { name: `${name}.gz`, kind, contentType: "application/gzip", bytes: zipped }
  ])
}

layer(TestHost.layer(embedded()))("pages over hostile recordings", (it) => {
  it.effect.each(Object.entries(texts))("of %s are parsed a bounded piece at a time", function* ([name, text]) {
    const { url } = yield* TestHost
    const account = yield* uploader
    const cookie = yield* signIn(account.key)
    const uploaded = recordings(name, text())
    const { id, previewShareId } = yield* recordedRun(account, uploaded)
    const pages = [
      `/runs/${id}`,
      `/compare?left=${id}&right=${id}`,
      `/previews/${previewShareId}`,
      ...uploaded.map((_, index) => `/previews/${previewShareId}/view?recording=${index}`)
    ]
    const found: Array<string> = []
    for (const page of pages) {
      const { most, result } = yield* parsedPerTurn(send(url, wire("GET", page, { cookie })))
      const all = [
        ...(result.status === 200 ? looseEnds(result.text) : [`status ${result.status}`]),
        ...(most > maxParsed ? [`parsed ${most} characters in one turn`] : [])
      ]
      if (all.length > 0)
        found.push(`${page.replace(id, "…").replace(previewShareId, "…")}: ${all.slice(0, 3).join("; ")}`)
    }
    assert.strictEqual(found.join("\n"), "")
  })
})
