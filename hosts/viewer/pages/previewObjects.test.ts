/** The objects of previews and their replays, over real HTTP: who may read them, and how they are answered. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { TestHost } from "../../http/testing/TestHost.ts"
import { testEngines } from "../../http/testing/engines.ts"
import { bundle, data, declaredFiles, readyBuild, style } from "../../http/testing/uploads.ts"
import { bearer, film, hostedPreview, log, previewAccount, recordings, uploadPreview } from "../testing/previews.ts"
import { frameOf, objectsOf, visit } from "../testing/visit.ts"

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`previews and runs on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("an object opens for its account, by a session or a key, at a URL of its own", () =>
      Effect.gen(function* () {
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
    )

    it.effect("objects are given to a sandbox in which nothing runs, whole or by range", () =>
      Effect.gen(function* () {
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
    )

    it.effect("an unknown path is not found, and an invalid key is refused", () =>
      Effect.gen(function* () {
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
    )

    it.effect("a preview is replayed as a build is", () =>
      Effect.gen(function* () {
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
    )

    it.effect("a capability of a preview ends after an hour", () =>
      Effect.gen(function* () {
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
    )

    it.effect("a capability opens only its preview, and can't be forged", () =>
      Effect.gen(function* () {
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
    )
  })
}
