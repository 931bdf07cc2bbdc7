/** The sentences of the interface about previews, over real HTTP. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { inMemory } from "./testing/engines.ts"
import {
  uploadFull,
  asMetadata,
  asPreviewReservation,
  declaredRecordings,
  finalizePreview,
  log,
  postFinalize,
  postPreview,
  previewBody,
  putFull,
  readPreview,
  reserveFull,
  reservePreview,
  shot,
  uploader
} from "./testing/previews.ts"
import { layer } from "../../core/testing/layer.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import {
  bundle,
  commit,
  data,
  declaredFiles,
  finalize,
  put,
  reserve,
  sha256,
  style,
  type Account
} from "./testing/uploads.ts"

const statusOf = Effect.fnUntraced(function* (account: Pick<Account, "key">, shareId: string) {
  return (yield* asMetadata((yield* readPreview(account, shareId)).json)).status
})

const text = (content: Uint8Array) => new TextDecoder().decode(content)

layer(TestHost.layer(inMemory))("previews", (it) => {
  it.effect("§1 a preview is a hosted replay of an uploaded bundle, with files and recording artifacts", function* () {
    const host = yield* TestHost
    const account = yield* uploader
    const reservation = yield* uploadFull(account)
    yield* finalizePreview(account, reservation.token)
    for (const [name, content] of [
      ["bundle", bundle],
      ["files/0", style],
      ["files/1", data],
      ["recordings/0", shot],
      ["recordings/1", log]
    ] as const) {
      assert.strictEqual(yield* host.hostedObject(account.key, reservation.shareId, name), text(content), name)
    }
  })

  it.effect(
    "§2.5, §2.6 reserve answers shareId, token, and slots for the bundle and each file and recording",
    function* () {
      const host = yield* TestHost
      const account = yield* uploader
      const { expiresAt, shareId, slots, token, url } = yield* reserveFull(account)
      assert.match(shareId, /^[0-9A-Za-z]{22}$/)
      assert.match(token, /^[\w-]{43}$/)
      assert.strictEqual(url, `${host.url}/previews/${shareId}`)
      assert.strictEqual(DateTime.toEpochMillis(expiresAt), DateTime.toEpochMillis(yield* DateTime.now) + 3_600_000)
      assert.strictEqual(slots.bundle.contentType, "text/javascript")
      assert.strictEqual(slots.bundle.sizeBytes, bundle.byteLength)
      assert.deepStrictEqual(
        slots.files.map(({ contentType, path, sizeBytes }) => ({ path, sizeBytes, contentType })),
        declaredFiles.map(({ contentType, path, sizeBytes }) => ({ path, sizeBytes, contentType }))
      )
      assert.deepStrictEqual(
        slots.recordings.map(({ contentType, name, sizeBytes }) => ({ name, sizeBytes, contentType })),
        declaredRecordings.map(({ contentType, name, sizeBytes }) => ({ name, sizeBytes, contentType }))
      )
      const all = [slots.bundle, ...slots.files, ...slots.recordings]
      assert.strictEqual(new Set(all.map(({ objectKey }) => objectKey)).size, 5)
      for (const slot of all) {
        assert.strictEqual(slot.method, "PUT")
        assert.isTrue(URL.canParse(slot.putUrl))
        assert.include(slot.putUrl, slot.objectKey)
        assert.deepStrictEqual(slot.expiresAt, expiresAt)
      }
    }
  )

  it.effect("§2.6, §4.8 the metadata has its groups: url, device, files, recordings, git, account", function* () {
    const account = yield* uploader
    const provenance = {
      owner: account.owner,
      repo: account.repo,
      branch: "feature/ünïcode-🚢",
      pr: 42,
      commitMessage: "Pay by card\n\nCloses #7",
      author: "Zoë <b>",
      base: "main",
      job: "build (ios)"
    }
    const reservation = yield* reserveFull(account, {
      ...provenance,
      commitSha: commit(0xabc).toUpperCase(),
      platform: "android",
      bundleOrigin: "http://localhost:8081",
      entry: "index.js",
      isTransformed: true,
      deviceSpec: { width: 390.5, height: 844 },
      billingKind: "demo"
    })
    const createdAt = DateTime.formatIso(yield* DateTime.now)
    const { shareId, url } = reservation
    const before = {
      shareId,
      url,
      status: "uploading",
      device: { platform: "android", width: 390.5, height: 844 },
      bundle: {
        contentHash: sha256(bundle),
        sizeBytes: bundle.byteLength,
        contentType: "text/javascript",
        origin: "http://localhost:8081",
        entry: "index.js",
        isTransformed: true
      },
      files: declaredFiles,
      recordings: declaredRecordings,
      git: { ...provenance, commitSha: commit(0xabc) },
      billingKind: "demo",
      createdAt
    }
    const shown = (yield* readPreview(account, shareId)).json
    const { account: attribution, ...rest } = shown as Record<string, unknown>
    assert.deepStrictEqual(rest, before)
    assert.isObject(attribution)
    assert.strictEqual(Reflect.get(attribution as object, "name"), account.name)
    assert.isNotEmpty(Reflect.get(attribution as object, "id"))

    yield* TestClock.adjust("1 minute")
    yield* putFull(reservation)
    yield* finalizePreview(account, reservation.token)
    assert.deepStrictEqual((yield* readPreview(account, shareId)).json, {
      ...before,
      account: attribution,
      status: "ready",
      bundle: { ...before.bundle, url: `${url}/bundle` },
      files: [
        { ...declaredFiles[0], url: `${url}/files/assets/style.css` },
        { ...declaredFiles[1], url: `${url}/files/data.json` }
      ],
      recordings: declaredRecordings.map((one, index) => ({ ...one, url: `${url}/recordings/${index}` })),
      readyAt: DateTime.formatIso(yield* DateTime.now)
    })
  })

  it.effect("§2.6 omitted fields get their defaults or stay absent", function* () {
    const account = yield* uploader
    const { shareId } = yield* reservePreview(account)
    const shown = yield* asMetadata((yield* readPreview(account, shareId)).json)
    assert.deepStrictEqual(shown.device, {})
    assert.deepStrictEqual(shown.git, {})
    assert.deepStrictEqual(shown.files, [])
    assert.deepStrictEqual(shown.recordings, [])
    assert.isFalse(shown.bundle.isTransformed)
    for (const field of ["billingKind", "readyAt"]) assert.notProperty(shown, field)
    for (const field of ["origin", "entry", "url"]) assert.notProperty(shown.bundle, field)
  })

  it.effect("§2.6 unknown fields are ignored", function* () {
    const account = yield* uploader
    const body = previewBody({ colour: "blue", recordings: [{ ...declaredRecordings[0], x: 1 }] })
    assert.strictEqual((yield* postPreview(account, body)).status, 201)
  })

  it.effect(
    "§2.6 recordings of one name, files of odd names, and any part of the provenance are accepted",
    function* () {
      const account = yield* uploader
      const [recording] = declaredRecordings
      const names = ["a b/c?d#e%41.png", "ünïcode/🚢", "con", "...", "a:b"]
      const files = names.map((path) => ({ path, sizeBytes: 0, contentType: "text/plain" }))
      for (const fields of [
        { recordings: [recording, recording] },
        { files },
        { owner: "someone" },
        { repo: "something" },
        { pr: 1 },
        { branch: "main" },
        { commitSha: commit(3) }
      ]) {
        const { shareId } = yield* reservePreview(account, fields)
        assert.strictEqual(yield* statusOf(account, shareId), "uploading")
      }
      const reservation = yield* reservePreview(account, { files })
      assert.deepStrictEqual(
        reservation.slots.files.map(({ path }) => path),
        names
      )
      yield* put(reservation.slots.bundle, bundle)
      for (const slot of reservation.slots.files) {
        assert.strictEqual((yield* put(slot, new Uint8Array())).status, 200, slot.path)
      }
      const answer = yield* finalizePreview(account, reservation.token)
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(
        (yield* asMetadata(answer.json)).files[0]?.url,
        `${reservation.url}/files/a%20b/c%3Fd%23e%2541.png`
      )
    }
  )

  it.effect(
    "§4.6, §4.7 reserve and finalize answer 201 and where the preview is; a read answers the same",
    function* () {
      const account = yield* uploader
      const answer = yield* postPreview(account, previewBody())
      const { shareId, slots, token } = yield* asPreviewReservation(answer.json)
      yield* put(slots.bundle, bundle)
      const finalized = yield* finalizePreview(account, token)
      for (const { headers, status } of [answer, finalized]) {
        assert.strictEqual(status, 201)
        assert.isTrue(headers.get("location")?.endsWith(`/api/v1/previews/${shareId}`))
      }
      assert.strictEqual((yield* readPreview(account, shareId)).text, finalized.text)
    }
  )

  it.effect("§4.7 a build's token is not a preview's, nor a preview's a build's", function* () {
    const account = yield* newAccount(["builds", "preview_upload"])
    const build = yield* reserve(account)
    const preview = yield* reservePreview(account)
    yield* put(build.slots.bundle, bundle)
    yield* put(preview.slots.bundle, bundle)
    yield* refusal(yield* finalizePreview(account, build.token), 404, "not_found")
    yield* refusal(yield* finalize(account, preview.token), 404, "not_found")
    assert.strictEqual((yield* finalizePreview(account, preview.token)).status, 201)
    assert.strictEqual((yield* finalize(account, build.token)).status, 201)
  })

  it.effect("§5 a preview billed as a test run requires `test_runs` in addition to `preview_upload`", function* () {
    const body = previewBody({ billingKind: "test_run" })
    const answer = yield* postPreview(yield* newAccount(["preview_upload"]), body)
    const problem = yield* refusal(answer, 403, "insufficient_scope")
    assert.strictEqual(
      answer.headers.get("www-authenticate"),
      'Bearer error="insufficient_scope", scope="preview_upload test_runs"'
    )
    if (problem._tag === "InsufficientScope") {
      assert.deepStrictEqual(problem.requiredScopes, ["preview_upload", "test_runs"])
    }
    yield* refusal(yield* postPreview(yield* newAccount(["test_runs"]), body), 403, "insufficient_scope")
    assert.strictEqual((yield* postPreview(yield* uploader, body)).status, 201)
  })

  it.effect("§5 the order of checks is key, scope, body, ownership, state", function* () {
    const account = yield* uploader
    const unbilled = yield* newAccount(["preview_upload"])
    const unscoped = yield* newAccount(["builds"])
    const nonsense = { bundleSizeBytes: "x" }
    const nobody = { owner: "Nobody", repo: "nothing" }
    const billed = { billingKind: "test_run" }
    const large = { bundleSizeBytes: 2 ** 40 }
    yield* refusal(yield* postPreview({ key: "wrong" }, nonsense), 401, "unauthorized")
    yield* refusal(yield* postPreview(unscoped, nonsense), 403, "insufficient_scope")
    yield* refusal(yield* postPreview(unbilled, { ...nonsense, ...billed }), 400, "invalid_request")
    yield* refusal(
      yield* postPreview(unbilled, previewBody({ ...billed, ...large, ...nobody })),
      403,
      "insufficient_scope"
    )
    yield* refusal(
      yield* postPreview(account, previewBody({ ...billed, ...large, ...nobody })),
      413,
      "payload_too_large"
    )
    yield* refusal(yield* postPreview(account, previewBody({ ...billed, ...nobody })), 404, "not_found")
    const { token } = yield* reservePreview(account)
    yield* TestClock.adjust("1 hour")
    yield* refusal(yield* postFinalize({ key: "wrong" }, {}), 401, "unauthorized")
    yield* refusal(yield* postFinalize(unscoped, {}), 403, "insufficient_scope")
    yield* refusal(yield* postFinalize(account, {}), 400, "invalid_request")
    yield* refusal(yield* finalizePreview(unbilled, token), 404, "not_found")
    yield* refusal(yield* finalizePreview(account, token), 410, "reservation_expired")
  })

  it.effect("§8 declarations over a limit are refused by the field that is over it", function* () {
    const account = yield* uploader
    const file = { path: "a", sizeBytes: 0, contentType: "text/plain" }
    const recording = { name: "a", kind: "other", sizeBytes: 0, contentType: "text/plain" }
    const files = Array.from({ length: 1001 }, (_, index) => ({ ...file, path: `${index}` }))
    const recordings = Array.from({ length: 101 }, () => recording)
    for (const [fields, path] of [
      [{ files }, "files"],
      [{ recordings }, "recordings"]
    ] as const) {
      assert.deepStrictEqual(yield* issuePaths(yield* postPreview(account, previewBody(fields))), [path])
    }
    const over = 512 * 1024 ** 2 + 1
    for (const [fields, path] of [
      [{ bundleSizeBytes: over }, "bundleSizeBytes"],
      [{ files: [{ ...file, sizeBytes: over }] }, "files.0.sizeBytes"],
      [{ recordings: [recording, { ...recording, sizeBytes: over }] }, "recordings.1.sizeBytes"],
      [{ recordings: Array.from({ length: 5 }, () => ({ ...recording, sizeBytes: over - 1 })) }, "bundleSizeBytes"]
    ] as const) {
      const answer = yield* postPreview(account, previewBody(fields))
      const problem = yield* refusal(answer, 413, "payload_too_large")
      if (problem._tag === "PayloadTooLarge") {
        assert.deepStrictEqual(
          problem.issues?.map((one) => one.path),
          [path]
        )
      }
    }
  })
})
