/**
 * Bodies of previews and test runs that don't fit: 400 with every mismatch named by its path, never a fault, nothing
 * changed. Those of builds stand in `problems.test.ts`.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { testEngines } from "./testing/engines.ts"
import {
  declaredRecordings,
  list,
  postFinalize,
  postPreview,
  previewBody,
  readPreview,
  readyPreview,
  register,
  reservePreview,
  runBody,
  uploader
} from "./testing/previews.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { TestHost } from "./testing/TestHost.ts"
import { bundle, commit, declaredFiles, put } from "./testing/uploads.ts"

/** A field of a body, and invalid values for it. `undefined` omits the field. */
type InvalidValues = ReadonlyArray<readonly [path: string, values: ReadonlyArray<unknown>]>

const long = "x".repeat(1025)
const surrogate = "a\ud800b"
const control = "a\u0000b"

/** Values that are invalid for every optional text; a required text can't be omitted either. */
const text = [null, 5, true, {}, ["a"], "", long, surrogate, control]
const wholeNumber = [null, "5", true, {}, [1], -1, 1.5, 2 ** 31, 1e300]
const milliseconds = [null, "5", true, {}, [1], -1, 2 ** 53]
const sha = [null, 5, {}, "", "abc", "g".repeat(64), "A".repeat(64), "0".repeat(65), surrogate]
const commitSha = [null, 5, {}, "", "abc", "g".repeat(40), `${commit(1)}0`, surrogate]
const contentType = [null, 5, {}, "", "css", "text/", "text/a b", "text/a\nb", `text/${long}`, surrogate]
const size = [null, "5", true, {}, [1], -1, 1.5, 2 ** 53, 1e300]

const [file] = declaredFiles
const [recording] = declaredRecordings
const files = (field: string, values: ReadonlyArray<unknown>) => values.map((value) => [{ ...file, [field]: value }])
const recordings = (field: string, values: ReadonlyArray<unknown>) =>
  values.map((value) => [{ ...recording, [field]: value }])

/** The field of the body that a path begins with. */
const topOf = (path: string): string => path.split(".")[0] ?? ""

const preview: InvalidValues = [
  ["contentHash", [undefined, ...sha]],
  ["bundleSizeBytes", [undefined, 0, ...size]],
  ["bundleContentType", [undefined, ...contentType]],
  ["bundleOrigin", [null, 5, {}, "", "not a url", "/relative", `http://a/${"x".repeat(2048)}`, surrogate]],
  ["entry", text],
  ["isTransformed", [null, "true", 1, {}, []]],
  ["deviceSpec", [null, 5, "390x844", [], true]],
  ["deviceSpec.width", [undefined, null, "1", 0, -1, 1e9, {}].map((width) => ({ width, height: 1 }))],
  ["deviceSpec.height", [undefined, null, "1", 0, -1, 1e9, []].map((height) => ({ width: 1, height }))],
  ["platform", [null, 5, "", "windows", "IOS", ["ios"], {}, long, surrogate]],
  ["files", [null, 5, "a", {}, true]],
  ["files.0", [[null], [5], ["a"], [[]]]],
  ["files.0.path", files("path", [undefined, ...text, "/a", "a//b", "./a", "a/..", "..", "a/", "a\\b"])],
  ["files.0.sizeBytes", files("sizeBytes", [undefined, ...size])],
  ["files.0.contentType", files("contentType", [undefined, ...contentType])],
  ["files.0.contentHash", files("contentHash", sha)],
  ["files.1.path", [[file, file]]],
  ["recordings", [null, 5, "a", {}, true]],
  ["recordings.0", [[null], [5], ["a"], [[]]]],
  ["recordings.0.name", recordings("name", [undefined, ...text])],
  ["recordings.0.kind", recordings("kind", [undefined, null, 5, "", "movie", "Video", ["video"], {}, surrogate])],
  ["recordings.0.sizeBytes", recordings("sizeBytes", [undefined, ...size])],
  ["recordings.0.contentType", recordings("contentType", [undefined, ...contentType])],
  ["recordings.0.contentHash", recordings("contentHash", sha)],
  ["recordings.0.startedAtMs", recordings("startedAtMs", milliseconds)],
  ["recordings.0.durationMs", recordings("durationMs", milliseconds)],
  ["owner", text],
  ["repo", [...text, "a/b"]],
  ["branch", text],
  ["commitSha", commitSha],
  ["pr", [0, ...wholeNumber]],
  ["billingKind", [null, 5, true, {}, [], long, surrogate, control]]
]

const attempt = { status: "failed" }

const run: InvalidValues = [
  ["kind", [undefined, null, 5, "", "appium", "Maestro", ["maestro"], {}, long, surrogate]],
  ["name", [undefined, ...text]],
  ["prompt", text],
  ["owner", [undefined, ...text]],
  ["repo", [undefined, ...text, "a/b"]],
  ["branch", text],
  ["commitSha", commitSha],
  ["previewShareId", [undefined, ...text]],
  ["stepCount", wholeNumber],
  ["durationMs", wholeNumber],
  ["failureMessage", [null, 5, true, {}, [], "", "x".repeat(16 * 1024 + 1), surrogate, control]],
  ["failedStepIndex", wholeNumber],
  ["source", text],
  ["pr", [0, ...wholeNumber]],
  ["startedAt", [null, 5, true, {}, [], "", "yesterday", "2026-13-01T00:00:00Z", long, surrogate]],
  ["device", [null, 5, "a", true]],
  ["device.name", text.map((name) => ({ name }))],
  ["device.platform", text.map((platform) => ({ platform }))],
  ["device.osVersion", text.map((osVersion) => ({ osVersion }))],
  ["attempts", [null, 5, "a", {}, true, Array.from({ length: 21 }, () => attempt)]],
  ["attempts.0.status", [undefined, null, "", "Passed", true].map((status) => [{ status }])],
  ["attempts.0.durationMs", wholeNumber.map((durationMs) => [{ ...attempt, durationMs }])],
  [
    "attempts.0.failureMessage",
    ["", "x".repeat(16 * 1024 + 1)].map((failureMessage) => [{ ...attempt, failureMessage }])
  ],
  ["file", text],
  ["tags", [null, 5, "a", {}, true, Array.from({ length: 51 }, String)]],
  ["tags.0", [null, 5, "", "x".repeat(101), surrogate, control].map((tag) => [tag])]
]

/** Bodies that aren't objects of the expected shape at all. */
const shapeless = [null, [], 5, "text", true, [{}]]

/** The state of an account: its runs, its usage, a ready preview and an open one. */
const watched = Effect.gen(function* () {
  const host = yield* TestHost
  const account = yield* uploader
  const { shareId } = yield* readyPreview(account)
  const waiting = yield* reservePreview(account)
  const state = Effect.gen(function* () {
    const [runs, ready, open] = [
      yield* list(account),
      yield* readPreview(account, shareId),
      yield* readPreview(account, waiting.shareId)
    ]
    return [runs.text, ready.text, open.text, (yield* host.admin.usage({ account: account.name })).months]
  })
  return { account, shareId, waiting, state, before: yield* state }
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`invalid bodies, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("§4.6 for every field of a preview's reservation, every kind of invalid value is named by its path", () =>
      Effect.gen(function* () {
        const { account, before, state } = yield* watched
        for (const [path, values] of preview) {
          const field = path.split(".")[0] ?? path
          for (const value of values) {
            const answer = yield* postPreview(account, previewBody({ [field]: value }))
            assert.deepStrictEqual(yield* issuePaths(answer), [path], `${path}: ${JSON.stringify(value)}`)
          }
        }
        for (const body of shapeless) {
          assert.deepStrictEqual(yield* issuePaths(yield* postPreview(account, body)), [""])
        }
        assert.deepStrictEqual(yield* state, before)
      })
    )

    it.effect("§4.6 every issue of a preview's reservation is listed at once", () =>
      Effect.gen(function* () {
        const { account } = yield* watched
        assert.sameMembers(
          [...(yield* issuePaths(yield* postPreview(account, {})))],
          ["contentHash", "bundleSizeBytes", "bundleContentType"]
        )
        const body = Object.fromEntries(preview.map(([path, values]) => [topOf(path), values.at(-1)]))
        assert.sameMembers(
          [...(yield* issuePaths(yield* postPreview(account, { ...body, files: [{}, 1], recordings: [{}, 1] })))],
          [
            ...preview.map(([path]) => path).filter((path) => !/^(?:files|recordings|deviceSpec)/.test(path)),
            ...["path", "sizeBytes", "contentType"].map((field) => `files.0.${field}`),
            ...["name", "kind", "sizeBytes", "contentType"].map((field) => `recordings.0.${field}`),
            "files.1",
            "recordings.1",
            "deviceSpec.height"
          ]
        )
      })
    )

    it.effect("§4.6 every repeated file path is named once the files themselves are valid", () =>
      Effect.gen(function* () {
        const { account } = yield* watched
        const twice = { files: [file, { ...file, path: "other" }, file], entry: 5 }
        assert.sameMembers(
          [...(yield* issuePaths(yield* postPreview(account, previewBody(twice))))],
          ["files.2.path", "entry"]
        )
      })
    )

    it.effect("§4.7 every invalid token of finalize is named, and the reservation stays open", () =>
      Effect.gen(function* () {
        const { account, before, state, waiting } = yield* watched
        for (const token of [undefined, ...text]) {
          const answer = yield* postFinalize(account, { token })
          assert.deepStrictEqual(yield* issuePaths(answer), ["token"], JSON.stringify(token))
        }
        for (const body of shapeless) {
          assert.deepStrictEqual(yield* issuePaths(yield* postFinalize(account, body)), [""])
        }
        assert.deepStrictEqual(yield* state, before)
        yield* put(waiting.slots.bundle, bundle)
        assert.strictEqual((yield* postFinalize(account, { token: waiting.token })).status, 201)
      })
    )

    it.effect("§4.9 for every field of a registration, every kind of invalid value is named by its path", () =>
      Effect.gen(function* () {
        const { account, before, shareId, state } = yield* watched
        for (const status of ["passed", "failed"]) {
          for (const [field, values] of run) {
            for (const value of values) {
              const answer = yield* register(account, runBody(account, shareId, { status, [topOf(field)]: value }))
              assert.deepStrictEqual(yield* issuePaths(answer), [field], `${field}: ${JSON.stringify(value)}`)
            }
          }
        }
        for (const body of shapeless) {
          assert.deepStrictEqual(yield* issuePaths(yield* register(account, body)), [""])
        }
        assert.deepStrictEqual(yield* state, before)
      })
    )

    it.effect("§4.9 every issue of a registration is listed at once, including those between fields", () =>
      Effect.gen(function* () {
        const { account } = yield* watched
        const body = Object.fromEntries(run.map(([field, values]) => [topOf(field), values.at(-1)]))
        assert.sameMembers(
          [...(yield* issuePaths(yield* register(account, body)))],
          run.map(([field]) => field).filter((field, at) => topOf(run[at + 1]?.[0] ?? "") !== topOf(field))
        )
        assert.sameMembers(
          [...(yield* issuePaths(yield* register(account, {})))],
          ["kind", "owner", "repo", "previewShareId", "name"]
        )
        const between = { name: undefined, status: "failed", failedStepIndex: 3, stepCount: 3 }
        assert.sameMembers(
          [...(yield* issuePaths(yield* register(account, runBody(account, "x", between))))],
          ["name", "failedStepIndex"]
        )
      })
    )

    it.effect("a body that isn't JSON or has no JSON content type is refused and changes nothing", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { account, before, state } = yield* watched
        for (const path of ["/api/v1/previews", "/api/v1/previews/finalize", "/api/v1/test-runs"]) {
          const send = (raw: string | Uint8Array<ArrayBuffer>, type: string) =>
            host.call("POST", path, { key: account.key, raw, headers: { "content-type": type } })
          for (const raw of ["{", "", "\u0000", '{"a":1}}', "undefined"]) {
            assert.deepStrictEqual(yield* issuePaths(yield* send(raw, "application/json")), [""], `${path} ${raw}`)
          }
          for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
            yield* refusal(yield* send("{}", type), 415, "unsupported_media_type")
          }
          const large = JSON.stringify({ token: "x".repeat(1024 ** 2) })
          yield* refusal(yield* send(large, "application/json"), 413, "payload_too_large")
        }
        assert.deepStrictEqual(yield* state, before)
      })
    )
  })
}
