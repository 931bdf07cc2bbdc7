/** The pages of previews and runs, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { testEngines } from "../../http/testing/engines.ts"
import { bundle, commit, declaredFiles, sha256 } from "../../http/testing/uploads.ts"
import {
  bearer,
  film,
  hostedPreview,
  log,
  previewAccount,
  recordings,
  registerRun,
  reservePreview,
  uploadPreview
} from "../testing/previews.ts"
import { signIn, unescaped, visit, withoutOwnScripts } from "../testing/visit.ts"

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e!`

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`previews and runs on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("a ready preview's page has its groups and runs the bundle", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, path, preview } = yield* hostedPreview(account, {
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
        assert.match(text, /<iframe[^>]*\swidth="411"\s+height="923"/)
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
        const { cookie, path, preview } = yield* hostedPreview(account, {
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
        const { path, preview } = yield* hostedPreview(account)
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
        const { path, preview } = yield* hostedPreview(account)
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

    it.effect("a failed run's page shows the failure and the recordings", () =>
      Effect.gen(function* () {
        const account = yield* previewAccount
        const { cookie, path, preview } = yield* hostedPreview(account, { branch: "main", commitSha: commit(9) })
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
        const { cookie, path, preview } = yield* hostedPreview(account)
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
        const { cookie, preview } = yield* hostedPreview(account)
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
        const { path, preview } = yield* hostedPreview(account)
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
          const { cookie, path } = yield* hostedPreview(account)
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
