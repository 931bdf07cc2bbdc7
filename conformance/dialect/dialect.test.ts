import { it } from "../../core/testing/layer.ts"
import { a, answered, build, bundleFields, jsonOf, sent, speaking, withFields } from "./testing/speaking.ts"
import { assert, describe } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { defaultBindings, type Bindings } from "../config/Config.ts"
import { toResponse } from "../session/transport.ts"
import type { HttpResponse } from "../session/Exchange.ts"
import { exampleInput } from "../testing/example.ts"
import { Dialect, fill, fillObject, follow, placeholdersOf } from "./Dialect.ts"
import { slotsOf } from "./responses.ts"

describe("requests", () => {
  it.effect("a build reservation sends every field of the interface", function* () {
    const request = yield* sent((dialect) => dialect.reserveBuild(build, a))
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.url, "https://service.example/api/v1/builds")
    const { branch, commitSha, ...body } = jsonOf(request)
    assert.match(String(commitSha), /^[0-9a-f]{40}$/)
    assert.match(String(branch), /^[a-z]+(?:[/-][a-z]+)*-[0-9a-f]{16}$/)
    assert.deepStrictEqual(body, {
      owner: "north",
      repo: "harbour",
      platform: "ios",
      ...bundleFields,
      bundleOrigin: "https://metro.example/index.bundle",
      entry: "index.js",
      isTransformed: false,
      deviceSpec: { width: 390, height: 844 },
      files: exampleInput.files.map(({ content, contentType, path }) => ({
        path,
        sizeBytes: 8,
        contentType,
        contentHash: content.sha256
      }))
    })
  })

  it.effect("given fields replace or remove the usual ones, and the bindings add their own", function* () {
    const bodies = {
      ...defaultBindings.bodies,
      buildReserve: { source: { branch: "{branch}" } },
      file: { name: "{path}" }
    }
    const input = withFields({ branch: "main", platform: undefined, entry: 7 })
    const body = jsonOf(yield* sent((dialect) => dialect.reserveBuild(input, { account: "b", key: "all" }), { bodies }))
    assert.notProperty(body, "platform")
    assert.deepInclude(body, { owner: "south", branch: "main", entry: 7, source: { branch: "main" } })
    assert.deepStrictEqual(body.files, [{ name: "assets/style.css" }, { name: "assets/data.json" }])
  })

  it.effect("fields that no check chose must fit the interface, or the suite reports its own fault", function* () {
    const bodies = { ...defaultBindings.bodies, buildReserve: {} }
    const unfit = { ...build, bundle: { ...build.bundle, contentType: "" } }
    const died = yield* Effect.flip(Effect.sandbox(sent((dialect) => dialect.reserveBuild(unfit, a), { bodies })))
    assert.include(Cause.pretty(died), 'The suite would send bundleContentType as ""')
    yield* sent((dialect) => dialect.reserveBuild({ ...unfit, fields: { bundleContentType: "" } }, a))
  })

  it.effect("a build's other requests are sent", function* () {
    const finalize = yield* sent((dialect) => dialect.finalizeBuild("t", a))
    assert.deepStrictEqual(finalize?.json, { operation: "finalize", token: "t" })
    const byId = yield* sent((dialect) => dialect.build("a/b c", a))
    assert.strictEqual(byId?.url, "https://service.example/api/v1/builds/a%2Fb%20c")
    const latest = yield* sent((dialect) => dialect.latestBuild({ branch: "x&y", platform: undefined }, a))
    assert.strictEqual(latest?.url, "https://service.example/api/v1/builds?owner=north&repo=harbour&branch=x%26y")
    const slot = { putUrl: "https://s.example/k?s=1" }
    const content = build.bundle.content
    const put = yield* sent((dialect) => dialect.put(slot, { content, contentType: "text/css", tamper: "key" }))
    assert.deepStrictEqual(put, {
      method: "PUT",
      url: slot.putUrl,
      as: "none",
      headers: { "content-type": "text/css" },
      content,
      tamper: "key"
    })
    const got = yield* sent((dialect) => dialect.put(slot, { content, contentType: "text/css", method: "GET", as: a }))
    assert.isUndefined(got?.content)
  })

  it.effect("a preview is reserved and finalized as the bindings say", function* () {
    const usual = jsonOf(yield* sent((dialect) => dialect.reservePreview(exampleInput, a)))
    assert.deepInclude(usual, { ...bundleFields, platform: "ios", pr: 7, deviceSpec: { width: 390, height: 844 } })
    assert.deepStrictEqual(usual.recordings, [
      {
        name: "first.png",
        kind: "screenshot",
        sizeBytes: 8,
        contentType: "image/png",
        contentHash: exampleInput.recordings[0]?.content.sha256
      }
    ])
    assert.notProperty(usual, "billingKind")

    const bodies = {
      ...defaultBindings.bodies,
      file: { path: "{path}" },
      previewFile: { role: "file", name: "{path}" },
      recording: { role: "recording", name: "{name}" },
      previewReserve: { artifacts: ["{files}", "{recordings}"], size: "{width}x{height}", on: "{branch}" },
      previewFinalize: { reservation: { id: "{shareId}", token: "{token}" } }
    }
    const fields = {
      billingKind: "test_run",
      branch: "main",
      entry: "x.js",
      odd: 1,
      deviceSpec: { width: 1, height: 2 }
    }
    const reserve = yield* sent((dialect) => dialect.reservePreview({ ...exampleInput, fields }, a), { bodies })
    assert.deepStrictEqual(reserve?.json, {
      artifacts: [
        { role: "file", name: "assets/style.css" },
        { role: "file", name: "assets/data.json" },
        { role: "recording", name: "first.png" }
      ],
      size: "1x2",
      on: "main",
      billingKind: "test_run",
      odd: 1
    })
    const finalize = yield* sent((dialect) => dialect.finalizePreview({ token: "t", shareId: "s" }, a), { bodies })
    assert.deepStrictEqual(finalize?.json, { reservation: { id: "s", token: "t" } })
    const byId = yield* sent((dialect) => dialect.preview("s", a))
    assert.strictEqual(byId?.url, "https://service.example/api/v1/previews/s")
  })

  it.effect("a run is registered with the fields of the interface, and listed by org and repo", function* () {
    const own = { previewShareId: "s", status: ["odd"], source: "ci", pr: 3, branch: "main" }
    const { commitSha: _, name, ...body } = jsonOf(yield* sent((dialect) => dialect.registerRun(own, a)))
    assert.match(String(name), /^[A-Z][A-Za-z ]+ [0-9a-f]{16}$/)
    assert.deepStrictEqual(body, {
      kind: "maestro",
      status: ["odd"],
      owner: "north",
      repo: "harbour",
      branch: "main",
      previewShareId: "s",
      stepCount: 3,
      durationMs: 1200,
      source: "ci",
      pr: 3
    })
    const bodies = { ...defaultBindings.bodies, runRegister: { ci: { pr: "#{pr}" } } }
    const bound = jsonOf(yield* sent((dialect) => dialect.registerRun(own, a), { bodies }))
    assert.deepInclude(bound, { ci: { pr: "#3" } })
    assert.notProperty(bound, "source")
    const list = yield* sent((dialect) => dialect.listRuns({ limit: 0, branch: undefined }, a))
    assert.strictEqual(list?.url, "https://service.example/api/v1/test-runs?org=north&repo=harbour&limit=0")
  })
})

describe("answers", () => {
  const taken = <A, E>(take: (dialect: Dialect["Service"]) => Effect.Effect<A, E>, bindings: Partial<Bindings> = {}) =>
    Dialect.use(take).pipe(Effect.provide(speaking(bindings).layer))

  const slots = [build.bundle, ...build.files].map(({ contentType }, index) => ({
    putUrl: `https://s.example/${index}`,
    contentType
  }))

  it.effect("a reservation is read, and its token and URLs are marked as secret", function* () {
    const { layer, secrets } = speaking()
    const answer = answered({ data: { uploadToken: "t", url: "https://v.example/1", shareId: 5, slots } }, 202)
    const reserved = yield* Effect.provide(
      Dialect.use((dialect) => dialect.reserved(answer, build)),
      layer
    )
    assert.deepInclude(reserved, { token: "t", url: "https://v.example/1", shareId: "5" })
    assert.deepStrictEqual(
      reserved.slots.map(({ putUrl }) => putUrl),
      slots.map(({ putUrl }) => putUrl)
    )
    assert.deepStrictEqual(secrets, ["t", ...slots.map(({ putUrl }) => putUrl)])
  })

  const unfit: ReadonlyArray<readonly [string, HttpResponse, RegExp]> = [
    ["is not 2xx", answered({ token: "t", slots }, 302), /2xx/],
    ["is no JSON", toResponse(200, {}, "<html>"), /JSON/],
    ["has no token", answered({ slots }), /a token/],
    ["lacks a slot", answered({ token: "t", slots: slots.slice(1) }), /3 slots/],
    [
      "has a putUrl that leads nowhere",
      answered({ token: "t", slots: [{ putUrl: "/x" }, ...slots.slice(1)] }),
      /absolute/
    ]
  ]
  for (const [what, answer, expected] of unfit) {
    it.effect(`a reservation that ${what} is a violation`, function* () {
      const violation = yield* Effect.flip(taken((dialect) => dialect.reserved(answer, build)))
      assert.match(violation.expected, expected)
      assert.isNotEmpty(violation.came)
    })
  }

  it.effect("a token is found where it is bound, under its name, or under a name that begins with it", function* () {
    const token = (json: Record<string, unknown>, pointer?: string) =>
      taken((dialect) => dialect.reserved(answered({ ...json, slots }), build), {
        answers: pointer === undefined ? {} : { token: pointer }
      }).pipe(Effect.map(({ token }) => token))
    assert.strictEqual(yield* token({ token: "wrong", ticket: { value: "right" } }, "/ticket/value"), "right")
    assert.strictEqual(yield* token({ token: "right" }, "/ticket/value"), "right")
    assert.strictEqual(yield* token({ tokenId: "wrong", data: { reservation_token: "right" } }), "right")
    assert.strictEqual(yield* token({ data: { tokenForFinalize: "right" } }), "right")
  })

  it.effect("a row is found by binding or by name, in any envelope", function* () {
    const row = (json: unknown, answers: Bindings["answers"] = {}) =>
      Effect.map(
        taken((dialect) => dialect.row(answered(json)), { answers }),
        ({ answer: _answer, ...row }) => row
      )
    assert.deepStrictEqual(
      yield* row({
        data: { type: "builds", id: 7, attributes: { url: "https://v/1", previewUrl: "https://v/p", state: "ready" } }
      }),
      { url: "https://v/1", previewUrl: "https://v/p", id: "7", status: "ready" }
    )
    assert.deepStrictEqual(yield* row({ url: "https://v.example/b/41/" }), {
      url: "https://v.example/b/41/",
      previewUrl: undefined,
      id: "41",
      status: undefined
    })
    assert.deepStrictEqual(
      yield* row(
        { id: "wrong", a: { link: "x", see: "y", key: "b/9", says: { s: 1 } } },
        {
          buildUrl: "/a/link",
          buildPreviewUrl: "/a/see",
          buildId: "/a/key",
          buildIdPattern: "/(.+)$",
          buildStatus: "/a/says"
        }
      ),
      { url: "x", previewUrl: "y", id: "9", status: { s: 1 } }
    )
    assert.strictEqual((yield* row("https://v.example/p/1")).url, "https://v.example/p/1")
    assert.strictEqual((yield* row({ hosted: "u" }, { previewUrl: "/hosted" })).url, "u")
  })

  it.effect("a registration and a list are read", function* () {
    const run = yield* taken((dialect) => dialect.registered(answered({ links: { previewUrl: "p", traceUrl: "t" } })))
    assert.deepInclude(run, { previewUrl: "p", traceUrl: "t" })

    const list = (json: unknown, bindings: Partial<Bindings> = {}) =>
      Effect.map(
        taken((dialect) => dialect.listed(answered(json)), bindings),
        ({ nextCursor, runs }) => ({ nextCursor, runs: runs.map(({ json: _json, ...run }) => run) })
      )
    assert.deepStrictEqual(
      yield* list({
        testRuns: [
          { name: "n", status: "passed", traceUrl: "t" },
          { prompt: "p", status: "Passed" }
        ],
        nextCursor: "c"
      }),
      {
        nextCursor: "c",
        runs: [
          { name: "n", passed: true, traceUrl: "t" },
          { name: "p", passed: false, traceUrl: undefined }
        ]
      }
    )
    assert.deepStrictEqual((yield* list([{ name: "n", passed: true }], { passed: true })).runs, [
      { name: "n", passed: true, traceUrl: undefined }
    ])
    const bound = { answers: { runs: "/b", runStatus: "/r/s", runName: "/r/n" }, passed: "green" }
    assert.deepStrictEqual((yield* list({ a: [{ name: "x" }], b: [{ r: { s: "green", n: "y" } }] }, bound)).runs, [
      { name: "y", passed: true, traceUrl: undefined }
    ])
    assert.deepStrictEqual((yield* list({ filters: [], runs: [{ name: "n" }] })).runs.length, 1)
    assert.deepStrictEqual((yield* list({ data: { items: [], next: null } })).runs, [])
    const violation = yield* Effect.flip(list({ items: ["no object"] }))
    assert.match(violation.expected, /a list of objects/)
  })

  const codes: ReadonlyArray<
    readonly [name: string, body: unknown, errorCode: string | undefined, found: ReadonlyArray<string>]
  > = [
    ["in a list", { errors: [{ code: "not_found", detail: "There is no such build" }] }, undefined, ["not_found"]],
    ["not in a message", { code: "missing", message: "not_found" }, undefined, ["missing"]],
    ["beside a number", { code: "404", error: "not_found" }, undefined, ["not_found"]],
    ["anywhere, where nothing is named like one", { name: "not_found", of: "x y" }, undefined, ["not_found"]],
    ["where the config says", { code: "E1", kind: { is: "not_found" } }, "/kind/is", ["not_found"]],
    ["nowhere else than there", { code: "not_found" }, "/kind/is", [""]]
  ]
  for (const [name, body, errorCode, found] of codes) {
    it.effect(`the code of a refusal is found ${name}`, function* () {
      const bindings = errorCode === undefined ? {} : { answers: { errorCode } }
      assert.deepStrictEqual(
        yield* taken((dialect) => Effect.succeed(dialect.codes(answered(body, 404))), bindings),
        found
      )
    })
  }
})

describe("a JSON Pointer", () => {
  // RFC 6901 §5
  const document = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, " ": 7 }
  for (const [pointer, value] of [
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", undefined],
    ["/foo/length", undefined],
    ["/none/of/it", undefined],
    ["/toString", undefined],
    ["/a~1b/x", undefined]
  ] as const) {
    it(`"${pointer}"`, () => assert.deepStrictEqual(follow(document, pointer), value))
  }
})

const names = ["bundle", "style", "data", "png"]
const types = ["text/javascript", "text/css", "application/json", "image/png"]
const paths = ["bundle", "assets/style.css", "assets/data.json", "first.png"]

const urls = (json: Parameters<typeof slotsOf>[0]) => slotsOf(json, exampleInput).map((slot) => slot?.putUrl)

const reversed = [3, 2, 1, 0]

describe("the slots of a reservation", () => {
  it("are matched by their content types, anywhere and in any order", () => {
    const slots = reversed.map((at) => ({
      attributes: { putUrl: names[at] ?? "", contentType: `${types[at]}; charset=utf-8` }
    }))
    assert.deepStrictEqual(urls({ data: { included: slots } }), names)
  })

  it("are matched by the names beside or above them when all have the same type", () => {
    const slot = (at: number) => ({ putUrl: names[at] ?? "", contentType: "application/octet-stream" })
    assert.deepStrictEqual(urls(reversed.map((at) => ({ ...slot(at), name: paths[at] ?? "" }))), names)
    assert.deepStrictEqual(urls(Object.fromEntries(reversed.map((at) => [paths[at] ?? "", [slot(at)]]))), names)
    assert.deepStrictEqual(urls(reversed.map((at) => ({ ...slot(at), objectKey: `staged/${paths[at]}` }))), names)
  })

  it("are matched by their order when nothing else distinguishes them", () => {
    assert.deepStrictEqual(urls(names.map((putUrl) => ({ putUrl }))), names)
  })

  it("have the headers to send and the slot as it was answered", () => {
    const json = { putUrl: "u", contentType: "application/octet-stream", objectKey: "k", more: 1 }
    const [bundle, ...others] = slotsOf([json], exampleInput)
    assert.deepStrictEqual(bundle, {
      putUrl: "u",
      contentType: "application/octet-stream",
      objectKey: "k",
      content: exampleInput.bundle.content,
      json
    })
    assert.deepStrictEqual(others, [undefined, undefined, undefined])
    assert.strictEqual(slotsOf({ putUrl: "u" }, exampleInput)[0]?.contentType, "text/javascript")
  })
})

describe("a template", () => {
  it("inserts a value with its type where the place is the whole string, and as text within a longer one", () => {
    const values = { count: 3, list: ["a"], flag: false, nothing: null, name: "x" }
    assert.deepStrictEqual(
      fillObject(
        { count: "{count}", text: "{name}×{count}", list: "{list}", flag: "{flag}", nothing: "{nothing}", n: 7 },
        values
      ),
      { count: 3, text: "x×3", list: ["a"], flag: false, nothing: null, n: 7 }
    )
  })

  it("leaves out a property whose value is missing, even when it is only a part of the string", () => {
    assert.deepStrictEqual(fillObject({ a: "{a}", b: { c: "{a}", d: "{b}" }, e: "{b}{a}", f: ["{a}", 1] }, { b: 2 }), {
      b: { d: 2 },
      f: [1]
    })
    assert.isUndefined(fill("{a}", {}))
  })

  it("inserts the items of a list into a list", () => {
    assert.deepStrictEqual(
      fill([{ role: "bundle" }, "{files}", "{none}"], { files: [{ role: "file" }, 2], none: [] }),
      [{ role: "bundle" }, { role: "file" }, 2]
    )
  })

  it("lists its places", () => {
    assert.deepStrictEqual(placeholdersOf({ a: "{b}", c: ["{d} {e}", { f: "{g}" }], h: 1, i: null }), [
      "b",
      "d",
      "e",
      "g"
    ])
  })
})
