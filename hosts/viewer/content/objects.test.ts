/** The requests of media players for recordings, over real HTTP. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { get, request } from "node:http"
import { buffer } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { layer } from "../../../core/testing/layer.ts"
import { CreateShareLinkResponse } from "../../../core/api/shareLinks.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { bundle, bytes, data, declaredFiles, put, readyBuild, style } from "../../http/testing/uploads.ts"
import {
  bearer,
  film,
  hostedPreview,
  log,
  previewAccount,
  recordings,
  reservePreview,
  uploadPreview
} from "../testing/previews.ts"
import { hugeRecording } from "../testing/runs.ts"
import { frameOf, objectsOf, signIn, visit } from "../testing/visit.ts"

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

    it.effect("returns the requested range, and reads no more from the store", function* () {
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

    it.effect("returns a range with If-Range only if that matches", function* () {
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

    it.effect("is returned whole for several ranges, and stops when the player stops", function* () {
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

    it.effect("answers HEAD with its size, and reads nothing from the store", function* () {
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
  }
)

layer(TestHost.layer(engines))("recordings", (it) => {
  it.effect("have their real types, and names that are safe to save", function* () {
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

layer(TestHost.layer(inMemory))("compressed recordings", (it) => {
  it.effect(
    "come as they were sent, whole or by range, and name the encoding where they were sent encoded",
    function* () {
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
      assert.strictEqual((yield* host.call("POST", "/api/v1/previews/finalize", { key, body: { token } })).status, 201)
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
    }
  )
})

// The objects of previews and their replays, over real HTTP: who may read them, and how they are answered.

layer(TestHost.layer(inMemory))("previews and runs", (it) => {
  it.effect("an object opens for its account, by a session or a key, at a URL of its own", function* () {
    const host = yield* TestHost
    const account = yield* previewAccount
    const paths = ["söme dir/50% off;v=1?#.css", "data.json"]
    const files = declaredFiles.map((file, index) => ({ ...file, path: paths[index] }))
    const { cookie, preview } = yield* hostedPreview(account, { files })
    const objectPaths = [
      [preview.bundle.url, bundle, "text/javascript"],
      [preview.files[0]?.url, style, "text/css"],
      [preview.files[1]?.url, data, "application/json"],
      [preview.recordings[0]?.url, film, "video/mp4"],
      [preview.recordings[1]?.url, log, "text/html"]
    ] as const
    for (const [url = "", content, contentType] of objectPaths) {
      assert.isTrue(url.startsWith(`${host.url}/`))
      for (const identity of [{ cookie }, bearer(account.key), { cookie, ...bearer(account.key) }]) {
        const led = yield* visit("GET", url.slice(host.url.length), identity)
        assert.strictEqual(led.status, 303, url)
        assert.strictEqual(led.text, "")
        assert.strictEqual(led.headers.get("cache-control"), "no-store")
        const to = led.headers.get("location") ?? ""
        assert.match(to, /^\/preview-objects\/[\w-]+\.[\w-]{43}\//)
        const { headers, status, text } = yield* visit("GET", to)
        assert.strictEqual(status, 200)
        assert.strictEqual(text, new TextDecoder().decode(content))
        assert.strictEqual(headers.get("content-type"), contentType)
      }
    }
  })

  it.effect("objects are given to a sandbox in which nothing runs, whole or by range", function* () {
    const host = yield* TestHost
    const { cookie, path } = yield* hostedPreview(yield* previewAccount)
    const objects = objectsOf((yield* visit("GET", path, { cookie })).text)
    const own = host.url + objects
    for (const [place, status] of [
      ["recordings/0", 200],
      ["recordings/1", 200],
      ["recordings/2", 404]
    ] as const) {
      const { headers, ...answer } = yield* visit("GET", objects + place)
      assert.strictEqual(answer.status, status)
      assert.deepStrictEqual(headers.getSetCookie(), [])
      assert.strictEqual(
        headers.get("content-security-policy"),
        `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${own}; media-src ${own}; ` +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      )
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
    }
    const part = yield* visit("GET", `${objects}recordings/0`, { headers: { range: "bytes=2-7" } })
    assert.strictEqual(part.status, 206)
    assert.strictEqual(part.text, "234567")
    assert.strictEqual(part.headers.get("content-range"), "bytes 2-7/16")
    assert.strictEqual(part.headers.get("content-length"), "6")
    const outside = yield* visit("GET", `${objects}recordings/0`, { headers: { range: "bytes=16-" } })
    assert.strictEqual(outside.status, 416)
    assert.strictEqual(outside.headers.get("content-range"), "bytes */16")
    const head = yield* visit("HEAD", `${objects}recordings/0`)
    assert.strictEqual(head.headers.get("content-length"), "16")
  })

  it.effect("an unknown path is not found, and an invalid key is refused", function* () {
    const { cookie, path } = yield* hostedPreview(yield* previewAccount)
    for (const place of [
      "bundle/",
      "bundle/x",
      "files/",
      "files/nothing.js",
      "files/bundle",
      "files/%ff",
      "files/../data.json",
      "recordings/2",
      "recordings/-1",
      "recordings/00",
      "recordings/0/x",
      "recordings/1e0",
      "recordings/x"
    ]) {
      assert.strictEqual((yield* visit("GET", `${path}/${place}`, { cookie })).status, 404, place)
    }
    // A key takes precedence over a session.
    const refused = yield* visit("GET", `${path}/bundle`, { cookie, ...bearer("nonsense") })
    assert.strictEqual(refused.status, 401)
    assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
    assert.strictEqual((yield* visit("GET", path, bearer("nonsense"))).status, 401)
  })

  it.effect("a preview is replayed as a build is", function* () {
    const { cookie, path } = yield* hostedPreview(yield* previewAccount, { entry: "./dist/main app.js" })
    const alone = yield* visit("GET", `${path}/replay`, { cookie })
    assert.match(alone.text, /not a part of Slipway.*Back to the preview.*<main><iframe/s)
    const frame = frameOf(alone.text)
    assert.match(frame, /^\/replay\/[\w-]+\.[\w-]{43}\/$/)
    const index = yield* visit("GET", frame)
    assert.include(index.text, `data-script='<script src="./dist/main%20app.js"`)
    assert.match(index.headers.get("content-security-policy") ?? "", /^sandbox allow-scripts; default-src 'none'/)
    assert.strictEqual((yield* visit("GET", `${frame}dist/main%20app.js`)).text, new TextDecoder().decode(bundle))
    const css = yield* visit("GET", `${frame}assets/style.css`)
    assert.strictEqual(css.text, new TextDecoder().decode(style))
    assert.strictEqual(css.headers.get("content-type"), "text/css")
    const part = yield* visit("GET", `${frame}data.json`, { headers: { range: "bytes=2-7" } })
    assert.strictEqual(part.text, "answer")
    for (const missing of ["index.js", "recordings/0", "files/data.json", "bundle"]) {
      assert.strictEqual((yield* visit("GET", frame + missing)).status, 404, missing)
    }
  })

  it.effect("a capability of a preview ends after an hour", function* () {
    const { cookie, path } = yield* hostedPreview(yield* previewAccount)
    const { text } = yield* visit("GET", path, { cookie })
    const opened = [frameOf(text), `${objectsOf(text)}recordings/0`]
    yield* TestClock.adjust("59 minutes")
    for (const url of opened) assert.strictEqual((yield* visit("GET", url)).status, 200)
    yield* TestClock.adjust("1 minute")
    for (const url of opened) {
      const answer = yield* visit("GET", url)
      assert.strictEqual(answer.status, 403)
      assert.match(answer.headers.get("content-security-policy") ?? "", /^sandbox/)
    }
  })

  it.effect("a capability opens only its preview, and can't be forged", function* () {
    const account = yield* previewAccount
    const { cookie, path } = yield* hostedPreview(account)
    const another = yield* uploadPreview(
      account,
      { files: [], recordings: recordings.slice(0, 1) },
      { files: [], recordings: [film] }
    )
    const build = yield* readyBuild(account)
    const namesAt = Effect.fnUntraced(function* (page: string) {
      const { text } = yield* visit("GET", page, { cookie })
      return { running: frameOf(text).split("/")[2] ?? "", objects: objectsOf(text).split("/")[2] ?? "" }
    })
    const one = yield* namesAt(path)
    const other = yield* namesAt(`/previews/${another.shareId}`)
    const ofBuild = yield* namesAt(`/builds/${build.row.id}`)
    for (const forged of [
      `${other.objects.split(".")[0]}.${one.objects.split(".")[1]}`,
      `${other.running.split(".")[0]}.${one.running.split(".")[1]}`,
      `${one.running.split(".")[0]}.${one.objects.split(".")[1]}`,
      `${one.objects.split(".")[0]}.${"A".repeat(43)}`,
      cookie.replace("slipway=", "session.")
    ]) {
      assert.strictEqual((yield* visit("GET", `/replay/${forged}/`)).status, 403)
      assert.strictEqual((yield* visit("GET", `/preview-objects/${forged}/bundle`)).status, 403)
    }
    for (const there of [`/preview-objects/${one.objects}/recordings/0`, `/replay/${one.running}/data.json`]) {
      assert.strictEqual((yield* visit("GET", there)).status, 200, there)
    }
    for (const nothing of [
      `/preview-objects/${other.objects}/recordings/1`,
      `/preview-objects/${other.objects}/files/data.json`,
      `/replay/${other.running}/data.json`,
      // The running code's own capability opens no recording, and the capability for objects runs nothing.
      `/preview-objects/${one.running}/recordings/0`,
      `/replay/${one.objects}/`,
      `/preview-objects/${ofBuild.running}/bundle`,
      `/preview-objects/${one.objects}`,
      `/preview-objects/${one.objects}/`,
      ...["..%2f", "..%5c", ".%2e%2f"].flatMap((up) => [
        `/replay/${one.running}/${up}${other.running}/index.js`,
        `/replay/${one.running}/${up}${up}sign-in`,
        `/preview-objects/${one.objects}/files/${up}recordings/0`,
        `/preview-objects/${one.objects}/${up}${other.objects}/bundle`
      ]),
      "/preview-objects/"
    ]) {
      assert.strictEqual((yield* visit("GET", nothing)).status, 404, nothing)
    }
  })
})

// Uploaded content on a separate host name, over real HTTP.

const hostAccount = newAccount(["builds", "preview_upload"])

/** Sends a request with another `Host` header, which `fetch` can't do. */
const askAs = Effect.fnUntraced(function* (host: string, path: string, cookie = "") {
  const { url } = yield* TestHost
  return yield* Effect.promise(
    () =>
      new Promise<{ readonly status: number; readonly policy: string }>((resolve, reject) => {
        request(new URL(path, url), { headers: { host, cookie } }, (answer) => {
          answer.resume()
          resolve({ status: answer.statusCode ?? 0, policy: String(answer.headers["content-security-policy"]) })
        })
          .on("error", reject)
          .end()
      })
  )
})

const prepared = Effect.gen(function* () {
  const { key } = yield* hostAccount
  const recordings = [{ name: "shot.png", kind: "screenshot", contentType: "image/png", sizeBytes: 1 }]
  const preview = yield* uploadPreview({ key }, { recordings }, { recordings: [bytes("x")] })
  return { key, preview, path: `/previews/${preview.shareId}`, cookie: yield* signIn(key) }
})

const shareOf = Effect.fnUntraced(function* (key: string, path: string) {
  const host = yield* TestHost
  const made = yield* host.call("POST", `/api/v1${path}/shares`, { key, body: {} })
  return yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(made.json)
})

const content = "https://content.example/uploads"

layer(TestHost.layer(inMemory, { contentUrl: `${content}/` }))("uploaded content at another host", (it) => {
  it.effect("is linked by the pages and allowed by their policies", function* () {
    const host = yield* TestHost
    const { cookie, key, path, preview } = yield* prepared
    const { headers, text } = yield* visit("GET", path, { cookie })
    assert.isTrue(frameOf(text).startsWith(`${content}/replay/`))
    assert.match(text, /<img src="https:\/\/content\.example\/uploads\/preview-objects\/[\w.-]+\/recordings\/0"/)
    const policy = headers.get("content-security-policy") ?? ""
    for (const kind of ["connect", "img", "media", "frame"]) {
      assert.include(policy, `${kind}-src 'self' https://content.example;`)
    }
    assert.include(text, `href="${path}/bundle"`)
    const led = yield* visit("GET", `${path}/bundle`, { cookie })
    assert.match(led.headers.get("location") ?? "", /^https:\/\/content\.example\/uploads\/preview-objects\//)

    const { url } = yield* shareOf(key, path)
    const shared = yield* visit("GET", new URL(url).pathname)
    assert.match(shared.text, /href="https:\/\/content\.example\/uploads\/preview-objects\/[\w.-]+\/bundle"/)
    assert.strictEqual(preview.url, `${host.url}${path}`)
  })

  it.effect("is where the replay in the full window leads, as a build's page does", function* () {
    const builder = yield* hostAccount
    const { row } = yield* readyBuild(builder)
    const cookie = yield* signIn(builder.key)
    for (const path of [`/builds/${row.id}`, `/builds/${row.id}/replay`]) {
      const { headers, text } = yield* visit("GET", path, { cookie })
      assert.isTrue(frameOf(text).startsWith(`${content}/replay/`), path)
      assert.include(headers.get("content-security-policy") ?? "", "frame-src 'self' https://content.example;")
      const frame = frameOf(text).slice(content.length)
      assert.strictEqual((yield* askAs("content.example", frame)).status, 200)
      assert.strictEqual((yield* visit("GET", frame)).status, 404)
    }
  })

  it.effect("is served only there, and nothing else of the viewer is", function* () {
    const { url } = yield* TestHost
    const { cookie, key, path } = yield* prepared
    const { text } = yield* visit("GET", path, { cookie })
    const frame = frameOf(text).slice(content.length)
    const object = `${objectsOf(text).slice(content.length)}recordings/0`
    for (const uploaded of [frame, `${frame}index.js`, object]) {
      assert.strictEqual((yield* visit("GET", uploaded)).status, 404, uploaded)
      for (const name of ["content.example", "CONTENT.example:443"]) {
        const { policy, status } = yield* askAs(name, uploaded)
        assert.strictEqual(status, 200, uploaded)
        assert.include(policy, `https://content.example/uploads${uploaded.split("/").slice(0, 3).join("/")}/`)
      }
    }
    const { policy } = yield* askAs("content.example", frame)
    assert.include(policy, `frame-ancestors ${url}`)
    const { url: link } = yield* shareOf(key, path)
    for (const own of [
      path,
      "/",
      "/sign-in",
      "/icon.svg",
      `${path}/bundle`,
      `${path}/shares`,
      new URL(link).pathname
    ]) {
      assert.strictEqual((yield* askAs("content.example", own, cookie)).status, 404, own)
      assert.include([200, 303], (yield* visit("GET", own, { cookie })).status, own)
    }
  })
})

layer(TestHost.layer(inMemory, { viewerUrl: "https://viewer.example", contentUrl: "https://viewer.example/u" }))(
  "uploaded content below a path of the viewer's own host",
  (it) => {
    it.effect("is reached by that path", function* () {
      const { key, path } = yield* prepared
      const cookie = yield* signIn(key)
      const { text } = yield* visit("GET", path, { cookie })
      assert.isTrue(frameOf(text).startsWith("/u/replay/"))
      const answer = yield* visit("GET", frameOf(text).slice("/u".length))
      assert.strictEqual(answer.status, 200)
      assert.include(answer.headers.get("content-security-policy") ?? "", "frame-ancestors 'self'")
    })
  }
)
