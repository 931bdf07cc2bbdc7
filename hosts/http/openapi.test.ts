/** The document at `/openapi.json` is valid OpenAPI 3.1, and the host's answers conform to it. */
import { assert } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect, Schema } from "effect"
import { createHook } from "node:async_hooks"
import { request, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { gunzipSync } from "node:zlib"
import { TestClock } from "effect/testing"
import { loadDocument } from "./testing/declaredResponses.ts"
import { inMemory, embedded } from "./testing/engines.ts"
import { TestHost, newAccount, type HttpResponse, type Call } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { jsonEndpoints } from "./testing/jsonEndpoints.ts"
import {
  declaredRecordings,
  everyRunField,
  previewBody,
  readyPreview,
  runBody,
  asPreviewReservation,
  asRuns,
  putFull,
  reservePreview
} from "./testing/previews.ts"
import {
  declaredFiles,
  reserveBody,
  asReservation,
  bundle,
  commit,
  data,
  put,
  sha256,
  style
} from "./testing/uploads.ts"
import { boundsOf } from "../../core/api/bodyBounds.ts"
import { ReserveBuildRequest } from "../../core/api/builds.ts"
import { FinalizePreviewRequest, ReservePreviewRequest } from "../../core/api/previews.ts"
import { RegisterTestRunRequest } from "../../core/api/testRuns.ts"
import { InvalidRequest } from "../../core/model/Problem.ts"
import { defaultLimits } from "../../core/rules/limits.ts"
import { CreateShareLinkResponse } from "../../core/api/shareLinks.ts"
import { TestList } from "../../core/api/tests.ts"
import { startIssuer } from "../node/testing/issuerEmulator.ts"

const extensions = [
  "GET /api/v1/previews",
  "GET /api/v1/test-runs/{id}",
  "GET /api/v1/tests",
  "GET /api/v1/tests/{id}",
  "GET /api/v1/sources/{source}",
  "POST /api/v1/sources/{source}/imports",
  "GET /api/v1/quarantines",
  "POST /api/v1/quarantines",
  "DELETE /api/v1/quarantines/{id}"
]

layer(TestHost.layer(inMemory))("/openapi.json", (it) => {
  it.effect("is valid OpenAPI 3.1", function* () {
    const { json } = yield* loadDocument
    const validator = new Validator()
    const { errors, valid } = yield* Effect.promise(() => validator.validate({ ...json }))
    assert.isTrue(valid, JSON.stringify(errors, null, 2))
    assert.strictEqual(validator.version, "3.1")
  })

  it.effect("describes each property and parameter, with an example that its schema accepts", function* () {
    const { call } = yield* TestHost
    const document: unknown = (yield* call("GET", "/openapi.json")).json
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(Object(document), "openapi")
    const [lacking, unfit]: [Array<string>, Array<string>] = [[], []]
    let properties = 0
    const check = (at: string, schemaAt: string, description: unknown, example: unknown) => {
      properties += 1
      if (typeof description !== "string" || description === "" || example === undefined) lacking.push(at)
      else if (!ajv.validate({ $ref: `openapi#${schemaAt}` }, example)) unfit.push(`${at}: ${ajv.errorsText()}`)
    }
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== "object" || value === null) return
      for (const [key, below] of Object.entries(value)) {
        const next = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
        walk(below, next)
        const { description, example, in: where, schema } = Object(below)
        if (typeof where === "string") check(next, `${next}/schema`, description, schema && example)
        if (key !== "properties") continue
        for (const [name, property] of Object.entries(Object(below))) {
          const { description, examples, not } = Object(property)
          if (not === undefined) check(`${next}/${name}`, `${next}/${name}`, description, examples?.[0])
        }
      }
    }
    walk(document, "")
    assert.isAbove(properties, 400)
    assert.deepStrictEqual(
      { lacking, unfit },
      { lacking: [], unfit: [] },
      "give each of these a description and an example in core/api/openApi.ts"
    )
  })

  it.effect("describes how to send a key, and what each operation does", function* () {
    const { document } = yield* loadDocument
    assert.deepStrictEqual(document.components.securitySchemes, { key: { type: "http", scheme: "bearer" } })
    const said = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ summary }) => summary))
    assert.strictEqual(new Set(said).size, said.length)
  })

  it.effect("lists every operation", function* () {
    const { document } = yield* loadDocument
    assert.sameMembers(
      Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
      ),
      [
        "POST /api/v1/builds",
        "GET /api/v1/builds",
        "GET /api/v1/builds/{id}",
        ...["builds", "previews", "test-runs"].map((kind) => `DELETE /api/v1/${kind}/{id}`),
        "POST /api/v1/previews",
        "POST /api/v1/previews/finalize",
        "GET /api/v1/previews/{id}",
        "POST /api/v1/test-runs",
        "GET /api/v1/test-runs",
        "POST /api/v1/token-exchange",
        "GET /api/v1/usage",
        ...extensions,
        ...["builds", "previews", "test-runs"].flatMap((kind) => [
          `POST /api/v1/${kind}/{id}/shares`,
          `GET /api/v1/${kind}/{id}/shares`,
          `DELETE /api/v1/${kind}/{id}/shares/{link}`
        ])
      ]
    )
  })

  it.effect("marks the extensions of the interface", function* () {
    const { document } = yield* loadDocument
    const marked = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation["x-slipway-extension"] === true)
        .map(([method]) => `${method.toUpperCase()} ${path}`)
    )
    assert.sameMembers(marked, extensions)
  })
})

/** The answer to a GET of `/docs` with just these headers, as it was sent. */
const get = Effect.fnUntraced(function* (headers: Record<string, string>) {
  const { url } = yield* TestHost
  return yield* Effect.promise(async () => {
    const asked = request(`${url}/docs`, { headers }).end()
    const answer = await new Promise<IncomingMessage>((resolve) => asked.once("response", resolve))
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
  })
})

layer(TestHost.layer(embedded()))("the reference at /docs", (it) => {
  it.effect("is one small page of the whole API, compressed once, and not sent again to who has it", function* () {
    let compressions = 0
    const hook = createHook({ init: (_id, type) => void (type === "ZLIB" && compressions++) }).enable()
    const plain = yield* get({})
    const zipped = yield* get({ "accept-encoding": "gzip, deflate" })
    hook.disable()
    assert.strictEqual(compressions, 1)
    assert.strictEqual(zipped.headers["content-encoding"], "gzip")
    assert.strictEqual(gunzipSync(zipped.body).toString(), plain.body.toString())
    assert.isBelow(plain.body.byteLength, 500_000)
    assert.isBelow(zipped.body.byteLength, 100_000)
    // The page loads nothing else; it has links.
    assert.notMatch(plain.body.toString(), /<(?!a\b)[^>]+\b(?:src|href)="(?!data:|#|\.\/openapi\.json)/)
    for (const { name } of jsonEndpoints) assert.include(plain.body.toString(), `<details id="${name}"`)

    const { etag = "" } = zipped.headers
    const again = yield* get({ "accept-encoding": "gzip, deflate", "if-none-match": etag })
    assert.deepStrictEqual([again.status, again.body.byteLength, again.headers.etag], [304, 0, etag])
  })
})

layer(TestHost.layer(embedded(), { docs: false }))("a host without the reference", (it) => {
  it.effect("answers 404 at /docs", function* () {
    assert.strictEqual((yield* get({})).status, 404)
  })
})

// Requests made from the document at `/openapi.json`: what it allows isn't refused as invalid, and what it forbids is.

/** Values for any member: of each type, at the borders of each, and texts of every kind of character. */
const values: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  7,
  1.5,
  2 ** 31,
  1e10,
  2 ** 53,
  [],
  {},
  [1],
  "",
  " ",
  "x",
  "ios",
  "é😀",
  "a\u0000b",
  "a\u007fb",
  "a\nb",
  "\ud800",
  "../x",
  "/x",
  "a//b",
  "a/b",
  "a\\b",
  "text/ ",
  "9".repeat(40),
  "f".repeat(40),
  "G".repeat(64),
  "x".repeat(1025)
]

/** What is between two members, and what a browser parses as a URL: no schema of one member can say that. */
const together = "must be below stepCount"
const unsaid = new RegExp(`${together}|must be an absolute URL`)

interface Changed {
  /** The path of the place. */
  readonly at: string
  readonly value: unknown
  readonly body: unknown
}

/** A body with another value in one of its places, or none there, outermost first. */
function* changed(body: unknown, above = ""): Generator<Changed> {
  if (typeof body !== "object" || body === null) return
  const put = (name: string, value: unknown) =>
    Array.isArray(body) ? body.with(Number(name), value) : { ...body, [name]: value }
  for (const [name, was] of Object.entries(body)) {
    for (const value of Array.isArray(body) ? values : [undefined, ...values])
      yield { at: above + name, value, body: put(name, value) }
    for (const inner of changed(was, `${above}${name}.`)) yield { ...inner, body: put(name, inner.body) }
  }
  if (!Array.isArray(body)) yield { at: `${above}unknownMember`, value: [1], body: { ...body, unknownMember: [1] } }
}

const ciDetails = { app: "rider", commitMessage: "Pay", author: "Zoë", base: "main", job: "build" }
const everyDeclaration = {
  files: declaredFiles.slice(0, 1),
  entry: "index.js",
  isTransformed: true,
  bundleOrigin: "http://localhost:8081",
  deviceSpec: { width: 1, height: 2 },
  replayCheck: { firstScreen: "not_drawn", reason: "It is bytecode", boxes: ["a"], missing: ["B"] },
  ...ciDetails
}

layer(TestHost.layer(inMemory, { openReservations: 100_000 }))("/openapi.json", (it) => {
  it.effect("allows in requests what the host accepts, and nothing else; a refusal names the place", function* () {
    const host = yield* TestHost
    const { json, mismatches } = yield* loadDocument
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(json, "openapi")
    const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
    const { shareId } = yield* readyPreview(account)
    const recording = { ...declaredRecordings[1], contentHash: sha256(bundle) }
    const { owner, repo } = account
    const git = { owner, repo, branch: "main", commitSha: commit(1), platform: "ios", pr: 1 }
    const bodies = [
      ["/api/v1/builds", reserveBody(account, everyDeclaration), ReserveBuildRequest],
      [
        "/api/v1/previews",
        previewBody({ ...everyDeclaration, ...git, recordings: [recording], billingKind: "demo" }),
        ReservePreviewRequest
      ],
      ["/api/v1/previews/finalize", { token: "no token" }, FinalizePreviewRequest],
      ["/api/v1/test-runs", { ...runBody(account, shareId), ...everyRunField }, RegisterTestRunRequest]
    ] as const
    const wrong: Array<string> = []
    let requests = 0
    for (const [template, body, schema] of bodies) {
      const fields = Array.from(boundsOf(schema, defaultLimits).fields.keys()).filter((name) => name !== "operation")
      assert.includeMembers(Object.keys(body), fields, "add the field to the body that this test changes")
      const at = `openapi#/paths/${template.replaceAll("/", "~1")}/post/requestBody/content/application~1json/schema`
      const fits = ajv.compile({ $ref: at })
      assert.isTrue(fits(body), `${template}: ${ajv.errorsText(fits.errors)}`)
      const send = Effect.fnUntraced(function* ({ at, body: sent, value }: Changed) {
        requests += 1
        const { headers, json, status, text } = yield* host.call("POST", template, { key: account.key, body: sent })
        const answered = { status, header: (name: string) => headers.get(name) ?? undefined, text }
        const undeclared = mismatches({ method: "post", template }, answered)
        const what = `${template} ${at} ${JSON.stringify(value)}`
        if (status >= 500 || undeclared.length > 0) wrong.push(`${what}: ${status} ${undeclared.join()}`)
        else if (fits(sent) === (status === 400) && !unsaid.test(text)) {
          const said = status === 400 ? "allowed and refused" : "forbidden and accepted"
          wrong.push(`${what}: ${said}: ${text.slice(0, 200)}`)
        }
        if (status !== 400 || text.includes(together)) return
        const { issues } = yield* Schema.decodeUnknownEffect(InvalidRequest)(json)
        const elsewhere = issues.filter(({ path }) => path !== at && !path.startsWith(`${at}.`))
        if (issues.length === 0 || elsewhere.length > 0) wrong.push(`${what} is refused at ${JSON.stringify(issues)}`)
      })
      yield* Effect.forEach(changed(body), send, { concurrency: 8, discard: true })
    }
    assert.isAbove(requests, 2000)
    assert.deepStrictEqual(wrong, [])
  })
})

// The host's answers conform to the document at `/openapi.json`.

const asTests = Schema.decodeUnknownEffect(TestList)

const asMadeLink = Schema.decodeUnknownEffect(CreateShareLinkResponse)

/** Checks answers against the document, and records which statuses of which operation occurred. */
const auditor = Effect.map(loadDocument, ({ document, mismatches }) => {
  const seen = new Set<string>()
  const audit = (method: string, template: string, { headers, status, text }: HttpResponse): void => {
    const what = `${method} ${template} ${status}`
    seen.add(what)
    const answered = { status, header: (name: string) => headers.get(name) ?? undefined, text }
    assert.deepStrictEqual(mismatches({ method: method.toLowerCase(), template }, answered), [], `${what}: ${text}`)
  }
  return { document, audit, seen }
})

const openReservations = 20

layer(TestHost.layer(inMemory, { openReservations, rates: { guesses: 200 } }))("/openapi.json", (it) => {
  it.effect("matches every answer of each endpoint, including refusals, in status, media type and body", function* () {
    const host = yield* TestHost
    const { audit, document, seen } = yield* auditor
    const account = yield* newAccount(["builds", "preview_upload", "test_runs", "quarantine", "delete"])
    const { owner, repo } = account
    const narrow = {
      builds: yield* newAccount(["builds"]),
      previews: yield* newAccount(["preview_upload"])
    }

    const send = Effect.fnUntraced(function* (
      method: "GET" | "POST" | "DELETE",
      template: string,
      rest: Call & { at?: string } = {}
    ) {
      const { at = "", ...options } = rest
      const path = at.startsWith("/api/") ? at : template.replace("/{id}", "").replace("{source}", "x") + at
      const answer = yield* host.call(method, path, { key: account.key, ...options })
      audit(method, template, answer)
      return answer
    })
    const post = (template: string, body: unknown, options: Call = {}) => send("POST", template, { body, ...options })
    const get = (template: string, at: string, options: Call = {}) => send("GET", template, { at, ...options })

    const builds = "/api/v1/builds"
    const build = `${builds}/{id}`
    const previews = "/api/v1/previews"
    const finalize = `${previews}/finalize`
    const preview = `${previews}/{id}`
    const runs = "/api/v1/test-runs"
    const tests = "/api/v1/tests"
    const test = `${tests}/{id}`
    const source = "/api/v1/sources/{source}"
    const imports = `${source}/imports`
    const quarantines = "/api/v1/quarantines"

    // The refusals that every endpoint has.
    const nowhere = "?owner=Nobody&repo=nothing&branch=main&org=Nobody"
    for (const [template, at] of [
      [builds, nowhere],
      [build, "/x"],
      [preview, "/x"],
      [previews, nowhere],
      [runs, nowhere],
      [`${runs}/{id}`, "/x"],
      [tests, nowhere],
      [test, "/x"],
      [source, `/api/v1/sources/x${nowhere}`],
      [quarantines, nowhere]
    ] as const) {
      yield* get(template, at)
      yield* get(template, at, { key: "wrong" })
      yield* get(template, at, { headers: { accept: "text/html" } })
      yield* get(template, at, { key: (template.startsWith(previews) ? narrow.builds : narrow.previews).key })
    }
    yield* get(builds, "")
    yield* get(runs, "?limit=x")
    yield* get(previews, "?limit=x")
    yield* get(preview, "/%20")
    for (const template of [builds, previews, finalize, runs, imports]) {
      yield* post(template, {})
      yield* post(template, null)
      yield* post(template, {}, { key: "wrong" })
      yield* post(template, {}, { key: (template === builds ? narrow.previews : narrow.builds).key })
      yield* post(template, {}, { headers: { accept: "text/html" } })
      yield* send("POST", template, { raw: "{}", headers: { "content-type": "text/plain" } })
      yield* send("POST", template, { raw: "{", headers: { "content-type": "application/json" } })
      yield* post(template, { token: "x".repeat(1024 ** 2) })
    }

    // Builds, from reservation to finalize.
    const full = reserveBody(account, {
      files: declaredFiles,
      bundleOrigin: "http://localhost:8081",
      entry: "index.js",
      deviceSpec: { width: 390.5, height: 844 }
    })
    const headers = { "idempotency-key": "build" }
    const reserved = yield* asReservation((yield* post(builds, full, { headers })).json)
    yield* post(builds, { ...full, entry: "other.js" }, { headers })
    yield* post(builds, { ...full, owner: "Nobody" })
    yield* post(builds, { ...full, bundleSizeBytes: 2 ** 50 })
    yield* get(build, `/${reserved.id}`)
    yield* post(builds, { operation: "finalize", token: reserved.token })
    yield* put(reserved.slots.bundle, bundle)
    yield* put(reserved.slots.files[0]!, style)
    yield* put(reserved.slots.files[1]!, data)
    yield* post(builds, { operation: "finalize", token: reserved.token })
    yield* post(builds, { operation: "finalize", token: "unknown" })
    yield* get(build, `/${reserved.id}`)
    yield* get(builds, `?owner=${owner}&repo=${repo}&branch=main`)

    // Previews.
    const declared = previewBody({
      files: declaredFiles,
      recordings: declaredRecordings,
      platform: "ios",
      deviceSpec: { width: 390.5, height: 844 },
      owner,
      repo,
      branch: "main",
      commitSha: commit(1),
      pr: 3,
      billingKind: "test_run"
    })
    const named = { headers: { "idempotency-key": "preview" } }
    const waiting = yield* asPreviewReservation((yield* post(previews, declared, named)).json)
    yield* post(previews, previewBody(), named)
    yield* post(previews, declared, { key: narrow.previews.key })
    yield* post(previews, { ...declared, owner: "Nobody" })
    yield* post(previews, { ...declared, bundleSizeBytes: 2 ** 50 })
    yield* get(preview, `/${waiting.shareId}`)
    yield* post(finalize, { token: waiting.token })
    yield* post(runs, runBody(account, waiting.shareId))
    yield* putFull(waiting)
    yield* post(finalize, { token: waiting.token })
    yield* post(finalize, { token: "unknown" })
    yield* get(preview, `/${waiting.shareId}`)
    const { shareId } = yield* readyPreview(account)
    yield* get(preview, `/${shareId}`)
    for (const platform of ["ios", "android"]) yield* readyPreview(account, { owner, repo, platform })
    yield* get(previews, `?owner=${owner}&repo=${repo}&limit=1`)

    // Runs.
    const once = { headers: { "idempotency-key": "run" } }
    yield* post(runs, runBody(account, shareId), once)
    yield* post(runs, runBody(account, shareId, { kind: "detox" }), once)
    yield* post(runs, runBody(account, "0".repeat(22)))
    yield* post(runs, runBody(account, waiting.shareId, { ...everyRunField, status: { any: ["value"] } }))
    yield* get(runs, `?org=${owner}&repo=${repo}`)
    yield* get(runs, `?org=${owner}&repo=${repo}&limit=1`)
    yield* get(runs, `?org=${owner}&repo=${repo}&branch=none`)

    // The histories of tests.
    const history = yield* asTests((yield* get(tests, `?org=${owner}&repo=${repo}`)).json)
    for (const { id } of history.tests) yield* get(test, `/${id}`)
    const announced = {
      owner,
      repo,
      id: "e2e",
      job: "e2e",
      app: "shop",
      expectedRuns: 2,
      expectedImports: 2,
      branch: "main"
    }
    yield* post(imports, announced)
    yield* get(source, `/api/v1/sources/x?org=${owner}&repo=${repo}`)
    yield* post(imports, { ...announced, registeredRuns: 1 })
    yield* post(imports, { ...announced, repo: "nothing" })
    yield* get(source, `/api/v1/sources/ci?org=${owner}&repo=${repo}&base=main`)

    // Quarantines.
    const own = `?org=${owner}&repo=${repo}`
    const quarantine = (rest: Call & { at?: string }) => send("POST", quarantines, { at: own, ...rest })
    const tide = { kind: "maestro", name: "Tide", file: "tide.yaml", platform: "ios", app: "shop", reason: "The moon" }
    yield* quarantine({ body: { ...tide, owner: "ada", days: 3 } })
    yield* get(quarantines, own)
    yield* get(quarantines, `${own}&limit=x`)
    yield* quarantine({ body: tide, at: nowhere })
    yield* quarantine({ body: {} })
    yield* quarantine({ body: {}, key: "wrong" })
    yield* quarantine({ body: {}, key: narrow.builds.key })
    yield* quarantine({ body: {}, headers: { accept: "text/html" } })
    yield* quarantine({ raw: "{}", headers: { "content-type": "text/plain" } })
    yield* quarantine({ body: { reason: "x".repeat(1024 ** 2) } })

    // Share links.
    const list = yield* get(runs, `?org=${owner}&repo=${repo}&limit=1`)
    const [run] = (yield* asRuns(list.json)).testRuns
    const unready = yield* reservePreview(account)
    for (const [kind, id] of [
      [builds, reserved.id],
      [previews, shareId],
      [runs, run?.id ?? ""]
    ] as const) {
      const shares = `${kind}/{id}/shares`
      const link = `${shares}/{link}`
      const sendTo = (method: "GET" | "POST" | "DELETE", template: string, of: string, options: Call = {}) =>
        send(method, template, { at: template.replace("{id}", of).replace("{link}", "x"), ...options })
      yield* sendTo("POST", shares, id, { body: {} })
      yield* sendTo("POST", shares, "x", { body: {} })
      if (kind === previews) yield* sendTo("POST", shares, unready.shareId, { body: {} })
      yield* sendTo("POST", shares, id, { body: { expiresInSeconds: 1 } })
      yield* sendTo("POST", shares, id, { raw: "{}", headers: { "content-type": "text/plain" } })
      yield* sendTo("POST", shares, id, { body: { pad: "x".repeat(1024 ** 2) } })
      yield* sendTo("GET", shares, id)
      yield* sendTo("GET", shares, "x")
      yield* sendTo("DELETE", link, id)
      const made = yield* asMadeLink((yield* sendTo("POST", shares, id, { body: {} })).json)
      yield* send("DELETE", link, { at: `${kind}/${id}/shares/${made.id}` })
      for (const [method, template, body] of [
        ["POST", shares, {}],
        ["GET", shares, undefined],
        ["DELETE", link, undefined]
      ] as const) {
        yield* sendTo(method, template, id, { key: "wrong", body })
        const { key } = kind === builds ? narrow.previews : narrow.builds
        yield* sendTo(method, template, id, { key, body })
        yield* sendTo(method, template, id, { headers: { accept: "text/html" }, body })
      }
    }

    // Identity tokens.
    const exchange = "/api/v1/token-exchange"
    const { issuer, token } = yield* startIssuer
    yield* host.admin.trustRepository({ owner, repo, issuer, scopes: ["builds"] })
    const identity = yield* token(`${owner}/${repo}`, host.url)
    for (const sent of [identity, identity, ""]) yield* post(exchange, { token: sent })
    yield* post(exchange, {}, { headers: { accept: "text/html" } })
    yield* send("POST", exchange, { raw: "{}", headers: { "content-type": "text/plain" } })
    yield* post(exchange, { token: "x".repeat(1024 ** 2) })

    // The usage.
    const usage = "/api/v1/usage"
    yield* send("GET", usage)
    yield* send("GET", usage, { headers: { accept: "text/html" } })
    yield* send("GET", usage, { key: "wrong" })

    // Expired reservations.
    const [lateBuild, latePreview] = [
      yield* asReservation((yield* post(builds, { ...full, commitSha: commit(2) })).json),
      yield* reservePreview(account)
    ]
    yield* TestClock.adjust("1 hour")
    yield* post(builds, { operation: "finalize", token: lateBuild.token })
    yield* post(finalize, { token: latePreview.token })
    yield* get(build, `/${lateBuild.id}`)
    yield* get(preview, `/${latePreview.shareId}`)

    // As many open reservations as an account may have.
    yield* Effect.replicateEffect(reservePreview(account), openReservations)
    yield* post(builds, full)
    yield* post(previews, previewBody())

    const quarantinedId = Effect.map(get(quarantines, own), ({ text }) => /"id":"([\da-f]{32})"/.exec(text)?.[1] ?? "")

    // Deletions.
    const lastRun = (yield* asRuns((yield* get(runs, `?org=${owner}&repo=${repo}&limit=1`)).json)).testRuns[0]
    yield* get(`${runs}/{id}`, `/${lastRun?.id}`)
    for (const [template, id] of [
      [build, reserved.id],
      [preview, shareId],
      [`${runs}/{id}`, lastRun?.id ?? ""],
      [`${quarantines}/{id}`, yield* quarantinedId]
    ] as const) {
      const at = `/${id}`
      yield* send("DELETE", template, { at, key: "wrong" })
      yield* send("DELETE", template, { at, key: narrow.builds.key })
      yield* send("DELETE", template, { at, headers: { accept: "text/html" } })
      yield* send("DELETE", template, { at })
      yield* send("DELETE", template, { at })
    }

    // As many wrong keys as an address may send; nothing is looked at any more then.
    const guess = { key: "wrong", body: { token: "x" } }
    while ((yield* post(builds, {}, guess)).status !== 429);
    for (const [template, operations] of Object.entries(document.paths)) {
      const at = template.replaceAll(/\{[a-z]+\}/g, "x")
      for (const name of Object.keys(operations)) {
        const method = name === "get" ? "GET" : name === "post" ? "POST" : "DELETE"
        yield* send(method, template, { at, ...(method === "POST" ? guess : { key: "wrong" }) })
      }
    }

    // `mismatches` has held each refusal to its headers, so they only need to be declared.
    const declaredHeaders = (status: number) =>
      Object.keys(document.paths[builds]?.["post"]?.responses[status]?.headers ?? {})
    assert.deepStrictEqual([401, 429, 503].map(declaredHeaders), [
      ["www-authenticate"],
      ["retry-after", "ratelimit", "ratelimit-policy"],
      ["retry-after"]
    ])

    // Every documented answer has occurred, except faults and refusals that need a request with a body.
    const documented = Object.entries(document.paths).flatMap(([template, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.keys(responses)
          .filter((status) => !["500", "503", "507"].includes(status))
          .filter((status) => method === "post" || !["400", "413", "415"].includes(status))
          .map((status) => `${method.toUpperCase()} ${template} ${status}`)
      )
    )
    assert.deepStrictEqual(
      documented.filter((what) => !seen.has(what)),
      // Any key may read it, so none lacks a scope.
      ["GET /api/v1/usage 403"]
    )
  })
})
