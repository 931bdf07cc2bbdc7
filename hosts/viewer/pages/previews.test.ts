/** The pages of previews and runs, over real HTTP. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../../core/testing/layer.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { bundle, commit, declaredFiles, sha256 } from "../../http/testing/uploads.ts"
import {
  film,
  hostedPreview,
  log,
  previewAccount,
  recordings,
  registerRun,
  reservePreview,
  uploadPreview
} from "../testing/previews.ts"
import { signIn, unescaped, visit } from "../testing/visit.ts"

layer(TestHost.layer(inMemory))("previews and runs", (it) => {
  it.effect("a ready preview's page has its groups and runs the bundle", function* () {
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

  it.effect("a preview that says nothing of itself has a page too", function* () {
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

  it.effect("a preview that is uploading shows that and looks again; one that expired shows that", function* () {
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

  it.effect(
    "a preview begins with the result of the tests that ran on it, the latest of each, and links to it",
    function* () {
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
    }
  )

  it.effect("a passed run's page has no failure, and omits missing facts", function* () {
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
})
