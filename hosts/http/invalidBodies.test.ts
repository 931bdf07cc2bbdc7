/** Bodies that don't fit: 400 with every mismatch named by its path, never a fault, nothing changed. */
import { assert } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { boundsOf } from "../../core/api/bodyBounds.ts"
import { ReservePreviewRequest } from "../../core/api/previews.ts"
import { RegisterTestRunRequest } from "../../core/api/testRuns.ts"
import { defaultLimits } from "../../core/rules/limits.ts"
import { inMemory } from "./testing/engines.ts"
import {
  list,
  postPreview,
  previewBody,
  readPreview,
  readyPreview,
  register,
  reservePreview,
  runBody
} from "./testing/previews.ts"
import { layer } from "../../core/testing/layer.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { declaredFiles, latest, post, reserveBody, type Account } from "./testing/uploads.ts"

const [file] = declaredFiles

const postTo = Effect.fnUntraced(function* (path: string, { key }: Pick<Account, "key">, body: unknown) {
  const host = yield* TestHost
  return yield* host.call("POST", `/api/v1/${path}`, { key, body })
})

/** The state of an account: its builds, its runs, its usage, a ready preview and an open one. */
const watched = Effect.gen(function* () {
  const host = yield* TestHost
  const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const { shareId } = yield* readyPreview(account)
  const waiting = yield* reservePreview(account)
  const state = Effect.gen(function* () {
    const [runs, ready, open] = [
      yield* list(account),
      yield* readPreview(account, shareId),
      yield* readPreview(account, waiting.shareId)
    ]
    const { months } = yield* host.admin.usage({ account: account.name })
    return [(yield* latest(account)).status, runs.text, ready.text, open.text, months]
  })
  return { account, shareId, waiting, state, before: yield* state }
})

/** A body in which no field but `status`, which may be any value, has a value that fits, and the paths of what doesn't. */
const worst = (schema: Schema.Top) => {
  const fields = Array.from(boundsOf(schema, defaultLimits).fields.keys()).filter((field) => field !== "status")
  const lists = ["files", "recordings", "attempts", "tags"]
  return {
    body: Object.fromEntries(fields.map((field) => [field, [[]]])),
    paths: fields.map((field) => (lists.includes(field) ? `${field}.0` : field))
  }
}

// Each value of each field: `openapi.test.ts`.
layer(TestHost.layer(inMemory))("invalid bodies", (it) => {
  it.effect("are named as a whole where they are no object, and change nothing", function* () {
    const { account, before, state } = yield* watched
    for (const path of ["builds", "previews", "previews/finalize", "test-runs"]) {
      for (const body of [null, [], 5, "text", true, [{}]]) {
        assert.deepStrictEqual(yield* issuePaths(yield* postTo(path, account, body)), [""], path)
      }
    }
    assert.deepStrictEqual(yield* state, before)
  })

  it.effect("every issue is listed at once, of items and between fields too", function* () {
    const { account } = yield* watched
    const ofPreview = worst(ReservePreviewRequest)
    const ofRun = worst(RegisterTestRunRequest)
    const items = { files: [{}, 1], recordings: [{}, 1], deviceSpec: {}, replayCheck: { missing: [5] } }
    const ofItems = [
      ...["path", "sizeBytes", "contentType"].map((field) => `files.0.${field}`),
      ...["name", "kind", "sizeBytes", "contentType"].map((field) => `recordings.0.${field}`),
      "files.1",
      "recordings.1",
      "deviceSpec.width",
      "deviceSpec.height",
      "replayCheck.firstScreen",
      "replayCheck.missing.0"
    ]
    const between = { name: undefined, status: "failed", failedStepIndex: 3, stepCount: 3 }
    for (const [answer, paths] of [
      [yield* postPreview(account, {}), ["contentHash", "bundleSizeBytes", "bundleContentType"]],
      [yield* postPreview(account, ofPreview.body), ofPreview.paths],
      [yield* postPreview(account, previewBody(items)), ofItems],
      [
        yield* post(account, { ...reserveBody(account), owner: 1, files: [{ path: "/", sizeBytes: -1 }] }),
        ["owner", "files.0.path", "files.0.sizeBytes", "files.0.contentType"]
      ],
      [
        yield* postPreview(account, previewBody({ files: [file, { ...file, path: "other" }, file], entry: 5 })),
        ["files.2.path", "entry"]
      ],
      [yield* post(account, reserveBody(account, { owner: 1, files: [file, file] })), ["owner", "files.1.path"]],
      [yield* register(account, {}), ["kind", "owner", "repo", "previewShareId", "name"]],
      [yield* register(account, ofRun.body), ofRun.paths],
      [yield* register(account, runBody(account, "x", between)), ["name", "failedStepIndex"]]
    ] as const) {
      assert.sameMembers([...(yield* issuePaths(answer))], [...paths])
    }
  })

  it.effect("are refused just beyond the documented limits", function* () {
    const { account, shareId } = yield* watched
    const drawn = { firstScreen: "drawn" }
    for (const [path, value] of [
      ["app", "x".repeat(101)],
      ["author", "x".repeat(1025)],
      ["contentHash", "A".repeat(64)],
      ["bundleOrigin", `http://a/${"x".repeat(2048)}`],
      ["deviceSpec.width", { width: 100_001, height: 1 }],
      ["replayCheck.boxes", { ...drawn, boxes: Array.from({ length: 101 }, () => "a") }],
      ["replayCheck.missing.0", { ...drawn, missing: ["x".repeat(201)] }]
    ] as const) {
      const answer = yield* postPreview(account, previewBody({ [path.split(".")[0] ?? ""]: value }))
      assert.deepStrictEqual(yield* issuePaths(answer), [path])
    }
    for (const [path, value] of [
      ["pr", 2 ** 31],
      ["tags", Array.from({ length: 51 }, String)],
      ["tags.0", ["x".repeat(101)]],
      ["attempts", Array.from({ length: 21 }, () => ({ status: "failed" }))]
    ] as const) {
      const answer = yield* register(account, runBody(account, shareId, { [path.split(".")[0] ?? ""]: value }))
      assert.deepStrictEqual(yield* issuePaths(answer), [path])
    }
  })

  it.effect("a body that isn't JSON or has no JSON content type is refused and changes nothing", function* () {
    const host = yield* TestHost
    const { account, before, state } = yield* watched
    for (const path of ["builds", "previews", "previews/finalize", "test-runs"]) {
      const send = (raw: string, type: string) =>
        host.call("POST", `/api/v1/${path}`, { key: account.key, raw, headers: { "content-type": type } })
      for (const raw of ["{", "", "\u0000", '{"a":1}}', "undefined"]) {
        assert.deepStrictEqual(yield* issuePaths(yield* send(raw, "application/json")), [""], `${path} ${raw}`)
      }
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense"]) {
        yield* refusal(yield* send("{}", type), 415, "unsupported_media_type")
      }
      const large = JSON.stringify({ token: "x".repeat(1024 ** 2) })
      yield* refusal(yield* send(large, "application/json"), 413, "payload_too_large")
    }
    assert.deepStrictEqual(yield* state, before)
  })
})
