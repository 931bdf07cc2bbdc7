/** The pages of previews and runs, their replays and their objects, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { testEngines } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import {
  bundle,
  bytes,
  commit,
  data,
  declaredFiles,
  readyBuild,
  sha256,
  style,
  type Account
} from "../../http/testing/uploads.ts"
import { registerRun, reservePreview, uploadPreview } from "../testing/previews.ts"
import { frameOf, objectsOf, signIn, unescaped, visit, withoutOwnScripts } from "../testing/visit.ts"

const film = bytes("0123456789abcdef")
const log = bytes("<script>alert(1)</script>\n")

const recordings = [
  {
    name: "film 🎬.mp4",
    kind: "video",
    sizeBytes: film.byteLength,
    contentType: "video/mp4",
    contentHash: sha256(film),
    startedAtMs: 250,
    durationMs: 65_000
  },
  { name: "page.html", kind: "log", sizeBytes: log.byteLength, contentType: "text/html" }
]

const previewAccount = newAccount(["builds", "preview_upload", "test_runs"])

/** A ready preview with two files and two recordings, and the session cookie of its account. */
const hosted = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const preview = yield* uploadPreview(account, { recordings, ...fields }, { recordings: [film, log] })
  return { preview, path: `/previews/${preview.shareId}`, cookie: yield* signIn(account.key) }
})

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e!`

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`previews and runs on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("a ready preview's page has its groups and runs the bundle", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, path, preview } = yield* hosted(account, {
          owner: account.owner,
          repo: account.repo,
          branch: "feature/ünïcode-🚢",
          commitSha: commit(3),
          pr: 41,
          platform: "android",
          entry: "app/main.js",
          bundleOrigin: "http://localhost:8081",
          deviceSpec: { width: 412, height: 915 },
          billingKind: "courtesy"
        })
        const { headers, status, text } = yield* visit("GET", path, { cookie })
        assert.strictEqual(status, 200)
        const page = unescaped(text)
        for (const fact of [
          "Ready",
          "Android",
          "412 × 915",
          preview.bundle.contentHash,
          `${bundle.byteLength} bytes`,
          "text/javascript",
          "app/main.js",
          "http://localhost:8081",
          account.owner,
          account.repo,
          "feature/ünïcode-🚢",
          commit(3),
          "#41",
          account.name,
          preview.account.id,
          "courtesy",
          preview.url,
          "1970-01-0",
          ...declaredFiles.flatMap((file) => [file.path, file.contentType, file.contentHash ?? ""]),
          "film 🎬.mp4",
          "Video, 16 bytes, from 250 ms, for 1 min 5 s",
          sha256(film),
          `Log, ${log.byteLength} bytes`
        ]) {
          assert.include(page, fact)
        }
        assert.match(text, /<iframe[^>]*\ssandbox="allow-scripts"/)
        assert.match(text, /<iframe[^>]*\swidth="402"\s+height="874"/)
        assert.match(text, /<video[^>]*\ssrc="\/preview-objects\/[\w-]+\.[\w-]{43}\/recordings\/0#t=1"/)
        assert.notInclude(text, "http-equiv")
        assert.include(headers.get("content-security-policy") ?? "", "media-src 'self'")
        for (const opened of [preview.bundle, ...preview.files, ...preview.recordings]) {
          assert.include(text, `href="${new URL(opened.url ?? "").pathname}"`)
        }
        assert.strictEqual((yield* visit("HEAD", path, { cookie })).status, 200)
      })
    )

    it.effect("a preview that says nothing of itself has a page too", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const preview = yield* uploadPreview(account, { files: [] }, { files: [] })
        const { text } = yield* visit("GET", `/previews/${preview.shareId}`, { cookie: yield* signIn(account.key) })
        assert.match(text, /<h1>\s*Preview\s*<\/h1>/)
        assert.match(text, /<dt>First screen<\/dt>\s*<dd>Not checked<\/dd>/)
        assert.notInclude(text, "First screen drawn")
        assert.notInclude(text, "<h2>Git</h2>")
        assert.notInclude(text, "undefined")
        assert.match(text, /<iframe[^>]*\swidth="402"\s+height="874"/)
      })
    )

    it.effect("a preview that is uploading shows that and looks again; one that expired shows that", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { shareId } = yield* reservePreview(account, { recordings })
        const cookie = yield* signIn(account.key)
        const page = yield* visit("GET", `/previews/${shareId}`, { cookie })
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "Uploading")
        assert.match(page.text, /<meta http-equiv="refresh" content="5"/)
        assert.notMatch(page.text, /<iframe|<video|href="\/previews/)
        for (const place of ["bundle", "files/data.json", "recordings/0"]) {
          assert.strictEqual((yield* visit("GET", `/previews/${shareId}/${place}`, { cookie })).status, 404)
        }
        yield* TestClock.adjust("2 hours")
        const later = yield* visit("GET", `/previews/${shareId}`, { cookie })
        assert.include(later.text, "Expired")
        assert.notInclude(later.text, "http-equiv")
      })
    )

    it.effect("uploaded text is shown as plain text", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, path, preview } = yield* hosted(account, {
          branch: hostile,
          entry: hostile,
          billingKind: hostile,
          replayCheck: { firstScreen: "not_drawn", reason: hostile, boxes: [hostile], missing: [hostile] },
          bundleOrigin: "javascript:alert(1)",
          files: [{ ...declaredFiles[0], path: `${hostile}/"><b>` }, declaredFiles[1]],
          recordings: recordings.map((recording) => ({ ...recording, name: hostile }))
        })
        const run = yield* registerRun(account, {
          previewShareId: preview.shareId,
          name: hostile,
          prompt: `${hostile}\n${hostile}`,
          source: hostile,
          failureMessage: `</pre>${hostile}`
        })
        for (const page of [path, `/runs/${run.id}`]) {
          const { status, text } = yield* visit("GET", page, { cookie })
          assert.strictEqual(status, 200)
          assert.notInclude(withoutOwnScripts(text), "<script")
          assert.notInclude(text, "<img")
          assert.notInclude(text, "<b>")
          assert.notMatch(text, /(?:href|src)="javascript/)
          assert.include(unescaped(text), hostile)
        }
      })
    )

    it.effect("who isn't signed in gets the same page for what exists and what doesn't", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { path, preview } = yield* hosted(account)
        const run = yield* registerRun(account, { name: "x", previewShareId: preview.shareId })
        for (const there of [path, `${path}/bundle`, `${path}/recordings/0`, `/runs/${run.id}`]) {
          const nowhere = there.replace(preview.shareId, "a".repeat(22)).replace(run.id, "unknown")
          const [exists, not] = [yield* visit("GET", there), yield* visit("GET", nowhere)]
          assert.strictEqual(exists.status, 401, there)
          assert.strictEqual(not.status, 401)
          assert.strictEqual(exists.text.replaceAll(there, nowhere), not.text)
          assert.include(exists.text, `name="to" value="${there}"`)
        }
      })
    )

    it.effect("another account's preview or run looks as if it didn't exist", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { path, preview } = yield* hosted(account)
        const run = yield* registerRun(account, { name: "x", previewShareId: preview.shareId })
        const other = yield* previewAccount
        const cookie = yield* signIn(other.key)
        const unknown = yield* visit("GET", "/builds/unknown", { cookie })
        assert.strictEqual(unknown.status, 404)
        for (const foreign of [
          path,
          `${path}/bundle`,
          `${path}/files/data.json`,
          `${path}/recordings/0`,
          `/runs/${run.id}`,
          "/previews/unknown",
          "/previews/%00",
          "/previews/unknown/bundle",
          "/runs/unknown",
          "/runs/%F0%9F%9A%A2"
        ]) {
          const answer = yield* visit("GET", foreign, { cookie })
          assert.strictEqual(answer.status, 404, foreign)
          assert.strictEqual(answer.text, unknown.text)
        }
        const asked = yield* visit("GET", `${path}/bundle`, bearer(other.key))
        assert.strictEqual(asked.status, 404)
        assert.match(asked.headers.get("content-type") ?? "", /^application\/problem\+json/)
      })
    )

    it.effect("a key without the scope is refused before anything is looked up", () =>
      Effect.gen(function* () {
        const { key } = yield* newAccount(["builds"])
        const cookie = yield* signIn(key)
        for (const [path, scope] of [
          ["/previews/unknown", "preview_upload"],
          ["/previews/unknown/bundle", "preview_upload"],
          ["/runs/unknown", "test_runs"]
        ] as const) {
          const answer = yield* visit("GET", path, { cookie })
          assert.strictEqual(answer.status, 403)
          assert.include(answer.text, `scope ${scope}`)
        }
        const asked = yield* visit("GET", "/previews/unknown/bundle", bearer(key))
        assert.strictEqual(asked.status, 403)
        assert.include(asked.text, "insufficient_scope")
      })
    )

    it.effect("an object opens for its account, by a session or a key, at a URL of its own", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const account = yield* previewAccount
        const paths = ["söme dir/50% off;v=1?#.css", "data.json"]
        const files = declaredFiles.map((file, index) => ({ ...file, path: paths[index] }))
        const { cookie, preview } = yield* hosted(account, { files })
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
        const { cookie, path } = yield* hosted(yield* previewAccount)
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
        const { cookie, path } = yield* hosted(yield* previewAccount)
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
        const { cookie, path } = yield* hosted(yield* previewAccount, { entry: "./dist/main app.js" })
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
        const { cookie, path } = yield* hosted(yield* previewAccount)
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
        const { cookie, path } = yield* hosted(account)
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

    it.effect("a failed run's page shows the failure and the recordings", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, path, preview } = yield* hosted(account, { branch: "main", commitSha: commit(9) })
        const run = yield* registerRun(account, {
          previewShareId: preview.shareId,
          kind: "detox",
          name: "Settings › feet",
          prompt: "Open the settings\nand look for feet",
          status: "broken",
          stepCount: 4,
          failedStepIndex: 2,
          durationMs: 3912,
          failureMessage: "Timed out\n  at step <three>",
          source: "nightly",
          pr: 12,
          startedAt: "2026-03-04T05:06:07.000Z"
        })
        const { status, text } = yield* visit("GET", new URL(run.traceUrl).pathname, { cookie })
        assert.strictEqual(status, 200)
        const page = unescaped(text)
        for (const fact of [
          "Failed",
          "Detox",
          "Settings › feet",
          "Open the settings\nand look for feet",
          `${account.owner}/${account.repo}`,
          "main",
          commit(9),
          "3 of 4",
          "3.91 s",
          "nightly",
          "#12",
          "2026-03-04 05:06 UTC",
          "1970-01-0",
          run.traceUrl,
          run.previewUrl,
          ">Timed out\n  at step <three></pre>",
          "film 🎬.mp4"
        ]) {
          assert.include(page, fact)
        }
        assert.include(text, `href="${path}"`)
        assert.include(text, `href="${path}/recordings/0"`)
        const source = /<video[^>]*\ssrc="([^"]+)"/.exec(text)?.[1] ?? ""
        assert.strictEqual((yield* visit("GET", source)).text, new TextDecoder().decode(film))
        assert.notInclude(text, "<iframe")
      })
    )

    it.effect("a preview begins with the result of the tests that ran on it, the latest of each, and links to it", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, path, preview } = yield* hosted(account)
        const ran = (name: string, status: string) =>
          registerRun(account, { previewShareId: preview.shareId, name, status })
        const headline = Effect.map(visit("GET", path, { cookie }), ({ text }) =>
          /<div class="headline">([^]*?)<\/div>/
            .exec(text)?.[1]
            ?.match(/<a class="pill[^]*?<\/a>/)?.[0]
            ?.replaceAll(/\s+/g, " ")
        )
        assert.isUndefined(yield* headline)
        const failed = yield* ran("Pay", "failed")
        const link = `<a class="pill failed" href="/runs/${failed.id}">`
        assert.strictEqual(yield* headline, `${link}Test failed</a>`)
        yield* ran("Log in", "passed")
        assert.strictEqual(yield* headline, `${link}1 of 2 tests failed</a>`)
        yield* ran("Pay", "passed")
        assert.match((yield* headline) ?? "", /^<a class="pill flaky" href="\/runs\/[^"]+">1 of 2 tests flaky<\/a>$/)
        for (let index = 0; index < 20; index += 1) yield* ran("Log in", "passed")
        assert.isUndefined(yield* headline)
        yield* ran("Pay", "failed")
        assert.match((yield* headline) ?? "", />1 test failed<\/a>$/)
      })
    )

    it.effect("a passed run's page has no failure, and omits missing facts", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, preview } = yield* hosted(account)
        const run = yield* registerRun(account, {
          previewShareId: preview.shareId,
          prompt: "Count the people",
          status: "passed",
          failureMessage: "not registered"
        })
        const { text } = yield* visit("GET", `/runs/${run.id}`, { cookie })
        assert.match(text, /<span class="pill passed">Passed<\/span>\s*<\/div>\s*<p class="at">Maestro run/)
        assert.include(text, "<bdi>Count the people</bdi>")
        for (const absent of ["Failure", "not registered", "undefined"]) assert.notInclude(text, absent)
        for (const absent of ["Steps", "Duration", "Started", "Branch"]) assert.notInclude(text, `<dt>${absent}</dt>`)
      })
    )

    it.effect("a run's page shows what its preview has to keys that may see previews only", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const account = yield* previewAccount
        const { path, preview } = yield* hosted(account)
        const run = yield* registerRun(account, { name: "x", previewShareId: preview.shareId })
        const { key } = yield* host.admin.createKey({ account: account.name, name: "runs", scopes: ["test_runs"] })
        const { status, text } = yield* visit("GET", `/runs/${run.id}`, { cookie: yield* signIn(key) })
        assert.strictEqual(status, 200)
        assert.include(text, `href="${path}"`)
        assert.notMatch(text, /\/preview-objects\/|\/recordings\/|film/)
      })
    )
  })

  layer(TestHost.layer(engines, { viewerUrl: "https://viewer.example/slipway" }))(
    `previews behind a proxy, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("paths include the prefix that the proxy removes", () =>
        Effect.gen(function* () {
          const account = yield* previewAccount
          const { cookie, path } = yield* hosted(account)
          const { text } = yield* visit("GET", path, { cookie })
          const paths = Array.from(text.matchAll(/(?:href|src)="([^"#][^"]*)"/g), ([, found = ""]) => found)
          assert.isAbove(paths.length, 6)
          for (const found of paths) assert.isTrue(found.startsWith("/slipway/"), found)
          const led = yield* visit("GET", `${path}/bundle`, bearer(account.key))
          assert.match(led.headers.get("location") ?? "", /^\/slipway\/preview-objects\//)
        })
      )
    }
  )
}
