/** The requests of media players for recordings, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { get } from "node:http"
import { buffer } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { inMemory, testEngines } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bundle, bytes, put } from "../../http/testing/uploads.ts"
import { hugeRecording } from "../testing/hugeRecording.ts"
import { reservePreview, uploadPreview } from "../testing/previews.ts"
import { objectsOf, signIn, visit } from "../testing/visit.ts"

const account = newAccount(["builds", "preview_upload"])

const recording = (name: string, contentType: string, sizeBytes = 1) => ({
  name,
  contentType,
  kind: "video",
  sizeBytes
})

/** Uploads recordings of one byte each, as far as their slots accept one; returns the path below which they open without a session. */
const recordingsAt = Effect.fnUntraced(function* (recordings: ReadonlyArray<ReturnType<typeof recording>>) {
  const { key } = yield* account
  const preview = yield* uploadPreview({ key }, { recordings }, { recordings: recordings.map(() => bytes("x")) })
  const page = yield* visit("GET", `/previews/${preview.shareId}`, { cookie: yield* signIn(key) })
  return `${objectsOf(page.text)}recordings/`
})

const sizeBytes = 500_000_000
const engines = inMemory
const { count, objects } = hugeRecording(sizeBytes)

layer(TestHost.layer({ ...engines, ports: Layer.provideMerge(objects, engines.ports) }))(
  "a recording of 500 MB",
  (it) => {
    /** How many bytes an answer reads from the store if it is read to its end. */
    const requested = Effect.fnUntraced(function* (path: string, range: string, headers: Record<string, string> = {}) {
      const before = count.bytes
      const answer = yield* visit("GET", path, { headers: { range, ...headers } })
      return { answer, bytes: count.bytes - before }
    })

    it.effect("returns the requested range, and reads no more from the store", () =>
      Effect.gen(function* () {
        const path = `${yield* recordingsAt([recording("film.mp4", "video/mp4", sizeBytes)])}0`
        for (const [range, length, shown] of [
          ["bytes=499990000-", 10_000, "bytes 499990000-499999999/500000000"],
          ["bytes=-1", 1, "bytes 499999999-499999999/500000000"],
          ["bytes=499999999-999999999", 1, "bytes 499999999-499999999/500000000"],
          ["bytes=250000000-250099999", 100_000, "bytes 250000000-250099999/500000000"],
          ["bytes=0-43", 44, "bytes 0-43/500000000"]
        ] as const) {
          const { answer, bytes } = yield* requested(path, range)
          assert.strictEqual(answer.status, 206, range)
          assert.strictEqual(answer.headers.get("content-range"), shown)
          assert.strictEqual(answer.headers.get("content-length"), String(length))
          assert.strictEqual(answer.headers.get("accept-ranges"), "bytes")
          assert.strictEqual(bytes, length, range)
        }
        for (const range of ["bytes=500000000-", "bytes=-0"]) {
          const { answer, bytes } = yield* requested(path, range)
          assert.strictEqual(answer.status, 416)
          assert.strictEqual(answer.headers.get("content-range"), "bytes */500000000")
          assert.strictEqual(bytes, 0)
        }
      })
    )

    it.effect("returns a range with If-Range only if that matches", () =>
      Effect.gen(function* () {
        const paths = yield* recordingsAt([recording("a.mp4", "video/mp4", sizeBytes), recording("b.mp4", "video/mp4")])
        const { answer } = yield* requested(`${paths}0`, "bytes=0-1")
        const tag = answer.headers.get("etag") ?? ""
        assert.match(tag, /^"[\w-]{22}"$/)
        assert.strictEqual((yield* requested(`${paths}0`, "bytes=4-7", { "if-range": tag })).answer.status, 206)
        const other = yield* visit("GET", `${paths}1`)
        assert.notStrictEqual(other.headers.get("etag"), tag)
        for (const condition of [other.headers.get("etag") ?? "", `W/${tag}`, "Sat, 21 Nov 2026 13:00:00 GMT"]) {
          const { answer } = yield* requested(`${paths}1`, "bytes=0-0", { "if-range": condition })
          assert.strictEqual(answer.status, condition === other.headers.get("etag") ? 206 : 200, condition)
        }
      })
    )

    it.effect("is returned whole for several ranges, and stops when the player stops", () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const path = `${yield* recordingsAt([recording("film.mp4", "video/mp4", sizeBytes)])}0`
        const before = count.bytes
        yield* Effect.promise(async () => {
          const leaving = new AbortController()
          const headers = { range: "bytes=0-1,5-6" }
          const answer = await fetch(url + path, { headers, signal: leaving.signal })
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.headers.get("content-length"), String(sizeBytes))
          await answer.body?.getReader().read()
          leaving.abort()
        })
        // Only a few buffers were already on their way.
        assert.isBelow(count.bytes - before, sizeBytes / 20)
      })
    )

    it.effect("answers HEAD with its size, and reads nothing from the store", () =>
      Effect.gen(function* () {
        const path = `${yield* recordingsAt([recording("film.mp4", "video/mp4", sizeBytes)])}0`
        const before = count.bytes
        for (const headers of [{}, { range: "bytes=0-1" }] as const) {
          const answer = yield* visit("HEAD", path, { headers })
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.headers.get("content-length"), String(sizeBytes))
          assert.strictEqual(answer.headers.get("accept-ranges"), "bytes")
          assert.isNull(answer.headers.get("content-range"))
        }
        assert.strictEqual(count.bytes, before)
      })
    )
  }
)

layer(TestHost.layer(engines))("recordings", (it) => {
  it.effect("have their real types, and names that are safe to save", () =>
    Effect.gen(function* () {
      const cases = [
        ["a.gif", "image/gif", "image/gif", 'inline; filename="a.gif"'],
        ["a.png", "image/png", "image/png", 'inline; filename="a.png"'],
        ["a.jpg", "image/jpeg", "image/jpeg", 'inline; filename="a.jpg"'],
        ["a.webm", "video/webm", "video/webm", 'inline; filename="a.webm"'],
        ["a.mp4", "video/mp4; codecs=avc1", "video/mp4; codecs=avc1", 'inline; filename="a.mp4"'],
        ["runs/film.mp4", "application/octet-stream", "video/mp4", 'inline; filename="film.mp4"'],
        ["film \u202egnp.exe", "image/png", "image/png", 'inline; filename="film _gnp.exe"']
      ] as const
      const path = yield* recordingsAt(cases.map(([name, contentType]) => recording(name, contentType)))
      for (const [index, [, , type, disposition]] of cases.entries()) {
        const { headers, status } = yield* visit("GET", path + index)
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), type)
        assert.strictEqual(headers.get("content-disposition"), disposition)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      }
      const preflight = yield* visit("OPTIONS", `${path}0`)
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers.get("access-control-allow-headers"), "range, if-range")
    })
  )
})

/** The raw answer, whose content encoding `fetch` would have decoded. */
const onWire = Effect.fnUntraced(function* (path: string, headers: Record<string, string> = {}) {
  const { url } = yield* TestHost
  return yield* Effect.promise(
    () =>
      new Promise<{ readonly encoding: string | undefined; readonly range: string | undefined; readonly body: Buffer }>(
        (resolve, reject) => {
          get(url + path, { headers }, (answer) => {
            const { "content-encoding": encoding, "content-range": range } = answer.headers
            buffer(answer).then((body) => resolve({ encoding, range, body }), reject)
          }).on("error", reject)
        }
      )
  )
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`compressed recordings on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("come as they were sent, whole or by range, and name the encoding where they were sent encoded", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const packed = new Uint8Array(gzipSync("one\ntwo\nthree\n"))
        const { slots, shareId, token } = yield* reservePreview(
          { key },
          {
            files: [],
            recordings: [
              { ...recording("events.jsonl", "application/x-ndjson"), sizeBytes: packed.byteLength },
              { ...recording("events.jsonl.gz", "application/gzip"), sizeBytes: packed.byteLength }
            ]
          }
        )
        const host = yield* TestHost
        yield* put(slots.bundle, bundle)
        for (const [index, slot] of slots.recordings.entries()) {
          const headers: Record<string, string> = index === 0 ? { "content-encoding": "gzip" } : {}
          assert.strictEqual((yield* put(slot, packed, headers)).status, 200)
        }
        assert.strictEqual(
          (yield* host.call("POST", "/api/v1/previews/finalize", { key, body: { token } })).status,
          201
        )
        const cookie = yield* signIn(key)
        for (const [index, encoding] of ["gzip", undefined].entries()) {
          const led = yield* visit("GET", `/previews/${shareId}/recordings/${index}`, { cookie })
          const path = led.headers.get("location") ?? ""
          const whole = yield* onWire(path)
          assert.deepStrictEqual([whole.encoding, new Uint8Array(whole.body)], [encoding, packed])
          const part = yield* onWire(path, { range: "bytes=3-6" })
          assert.deepStrictEqual([part.encoding, new Uint8Array(part.body)], [encoding, packed.slice(3, 7)])
          assert.strictEqual(part.range, `bytes 3-6/${packed.byteLength}`)
        }
      })
    )
  })
}
