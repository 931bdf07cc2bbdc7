/** Bodies that don't fit: 400 with every mismatch named by its path, never a fault, nothing changed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ReserveBuildRequest } from "../../core/api/builds.ts"
import { boundsOf } from "../../core/api/bodyBounds.ts"
import { ReservePreviewRequest } from "../../core/api/previews.ts"
import { RegisterTestRunRequest } from "../../core/api/testRuns.ts"
import { defaultLimits } from "../../core/rules/limits.ts"
import { inMemory } from "./testing/engines.ts"
import {
  declaredRecordings,
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
import { commit, declaredFiles, latest, post, reserveBody, type Account } from "./testing/uploads.ts"

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

const postTo = Effect.fnUntraced(function* (path: string, { key }: Pick<Account, "key">, body: unknown) {
  const host = yield* TestHost
  return yield* host.call("POST", `/api/v1/${path}`, { key, body })
})

/** The field of the body that a path begins with. */
const topOf = (path: string): string => path.split(".")[0] ?? ""

/** Of what is declared of a build and of a preview alike. */
const declaration: InvalidValues = [
  ["contentHash", [undefined, ...sha]],
  ["bundleSizeBytes", [undefined, 0, ...size]],
  ["bundleContentType", [undefined, ...contentType]],
  ["bundleOrigin", [null, 5, {}, "", "not a url", "/relative", `http://a/${"x".repeat(2048)}`, surrogate]],
  ["entry", text],
  ["isTransformed", [null, "true", 1, {}, []]],
  ["deviceSpec", [null, 5, "390x844", [], true]],
  ["deviceSpec.width", [undefined, null, "1", 0, -1, 1e9, {}].map((width) => ({ width, height: 1 }))],
  ["deviceSpec.height", [undefined, null, "1", 0, -1, 1e9, []].map((height) => ({ width: 1, height }))],
  ["replayCheck", [null, 5, "drawn", [], true]],
  ["replayCheck.firstScreen", [undefined, null, "passed", true, {}].map((firstScreen) => ({ firstScreen }))],
  ["replayCheck.reason", [null, 5, ""].map((reason) => ({ firstScreen: "not_drawn", reason }))],
  [
    "replayCheck.boxes",
    [null, 5, "a", Array.from({ length: 101 }, () => "a")].map((boxes) => ({ firstScreen: "drawn", boxes }))
  ],
  ["replayCheck.missing.0", [null, 5, "", "x".repeat(201)].map((name) => ({ firstScreen: "drawn", missing: [name] }))],
  ["files", [null, 5, "a", {}, true]],
  ["files.0", [[null], [5], ["a"], [[]]]],
  ["files.0.path", files("path", [undefined, ...text, "/a", "a//b", "./a", "a/..", "..", "a/", "a\\b"])],
  ["files.0.sizeBytes", files("sizeBytes", [undefined, ...size])],
  ["files.0.contentType", files("contentType", [undefined, ...contentType])],
  ["files.0.contentHash", files("contentHash", sha)],
  ["files.1.path", [[file, file]]]
]

const platform = [null, 5, "", "windows", "IOS", ["ios"], {}, long, surrogate]

const ciDetails: InvalidValues = [
  ["app", [null, 5, true, {}, ["a"], "", "x".repeat(101), surrogate, control]],
  ["commitMessage", [null, 5, true, {}, [], ""]],
  ["author", text],
  ["base", text],
  ["job", text]
]

const build: InvalidValues = [
  ["owner", [undefined, ...text]],
  ["repo", [undefined, ...text, "a/b"]],
  ["branch", [undefined, ...text, "a\nb"]],
  ["platform", [undefined, ...platform]],
  ["commitSha", [undefined, ...commitSha]],
  ...ciDetails,
  ...declaration
]

const preview: InvalidValues = [
  ...declaration,
  ...ciDetails,
  ["platform", platform],
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
  ["failureMessage", [null, 5, true, {}, [], ""]],
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
  ["attempts.0.failureMessage", [null, ""].map((failureMessage) => [{ ...attempt, failureMessage }])],
  ["file", text],
  ["tags", [null, 5, "a", {}, true, Array.from({ length: 51 }, String)]],
  ["tags.0", [null, 5, "", "x".repeat(101), surrogate, control].map((tag) => [tag])],
  ...ciDetails
]

/** Bodies that aren't objects of the expected shape at all. */
const shapeless = [null, [], 5, "text", true, [{}]]

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

type Watched = Effect.Success<typeof watched>

/** Each endpoint with a body: how it is sent with other fields than valid ones, and the values that its fields refuse. */
const endpoints = [
  {
    what: "a build's reservation",
    invalid: build,
    send: ({ account }: Watched, fields: object) => post(account, reserveBody(account, { ...fields })),
    sendBody: ({ account }: Watched, body: unknown) => post(account, body)
  },
  {
    what: "a preview's reservation",
    invalid: preview,
    send: ({ account }: Watched, fields: object) => postPreview(account, previewBody({ ...fields })),
    sendBody: ({ account }: Watched, body: unknown) => postPreview(account, body)
  },
  ...["passed", "failed"].map((status) => ({
    what: `the registration of a run that ${status}`,
    invalid: run,
    send: ({ account, shareId }: Watched, fields: object) =>
      register(account, runBody(account, shareId, { status, ...fields })),
    sendBody: ({ account }: Watched, body: unknown) => register(account, body)
  })),
  ...["previews/finalize", "builds"].map((path) => ({
    what: `the finalize by ${path}`,
    invalid: [["token", [undefined, ...text]]] satisfies InvalidValues,
    send: ({ account, waiting }: Watched, fields: object) =>
      postTo(path, account, { operation: "finalize", token: waiting.token, ...fields }),
    sendBody: ({ account }: Watched, body: unknown) => postTo(path, account, body)
  }))
]

layer(TestHost.layer(inMemory))("invalid bodies", (it) => {
  for (const [name, schema, invalid, others] of [
    ["build", ReserveBuildRequest, build, ["operation"]],
    ["preview", ReservePreviewRequest, preview, []],
    // Any value is a status.
    ["run", RegisterTestRunRequest, run, ["status"]]
  ] as const) {
    it.effect(`the list \`${name}\` has every field`, () =>
      Effect.sync(() => {
        const listed = new Set<string>([...invalid.map(([path]) => topOf(path)), ...others])
        const missing = Array.from(boundsOf(schema, defaultLimits).fields.keys()).filter((field) => !listed.has(field))
        assert.deepStrictEqual(missing, [], `add the field with invalid values to \`${name}\` in this file`)
      })
    )
  }

  for (const { invalid, send, sendBody, what } of endpoints) {
    it.effect(`for every field of ${what}, every kind of invalid value is named by its path`, function* () {
      const one = yield* watched
      for (const [path, values] of invalid) {
        for (const value of values) {
          const answer = yield* send(one, { [topOf(path)]: value })
          assert.deepStrictEqual(yield* issuePaths(answer), [path], `${path}: ${JSON.stringify(value)}`)
        }
      }
      for (const body of shapeless) assert.deepStrictEqual(yield* issuePaths(yield* sendBody(one, body)), [""])
      assert.deepStrictEqual(yield* one.state, one.before)
    })
  }

  it.effect("every issue is listed at once, of items and between fields too", function* () {
    const { account } = yield* watched
    const withItems = { files: [{}, 1], recordings: [{}, 1] }
    const worst = (invalid: InvalidValues) =>
      Object.fromEntries(invalid.map(([path, values]) => [topOf(path), values.at(-1)]))
    const ofItems = [
      ...["path", "sizeBytes", "contentType"].map((field) => `files.0.${field}`),
      ...["name", "kind", "sizeBytes", "contentType"].map((field) => `recordings.0.${field}`),
      "files.1",
      "recordings.1",
      "deviceSpec.height",
      "replayCheck.missing.0"
    ]
    const between = { name: undefined, status: "failed", failedStepIndex: 3, stepCount: 3 }
    for (const [answer, paths] of [
      [yield* postPreview(account, {}), ["contentHash", "bundleSizeBytes", "bundleContentType"]],
      [
        yield* postPreview(account, { ...worst(preview), ...withItems }),
        [
          ...preview.map(([path]) => path).filter((path) => !/^(?:files|recordings|deviceSpec|replayCheck)/.test(path)),
          ...ofItems
        ]
      ],
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
      [
        yield* register(account, worst(run)),
        run.map(([field]) => field).filter((field, at) => topOf(run[at + 1]?.[0] ?? "") !== topOf(field))
      ],
      [yield* register(account, runBody(account, "x", between)), ["name", "failedStepIndex"]]
    ] as const) {
      assert.sameMembers([...(yield* issuePaths(answer))], [...paths])
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
