/** Share links as people open them: without a key, read-only, until the link ends. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../core/testing/layer.ts"
import { PreviewMetadata } from "../../core/api/previews.ts"
import { CreateShareLinkResponse } from "../../core/api/shareLinks.ts"
import { KeyId } from "../../core/model/ApiKey.ts"
import { inMemory } from "../http/testing/engines.ts"
import {
  declaredRecordings,
  finalizePreview,
  log,
  putFull,
  registered,
  reserveFull,
  shot,
  uploader
} from "../http/testing/previews.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { bundle, data, declaredFiles, finalize, put, reserve, style } from "../http/testing/uploads.ts"
import { frameOf, objectsOf, signIn, visit } from "./testing/visit.ts"

const asMade = Schema.decodeUnknownEffect(CreateShareLinkResponse)

/** An account with a preview that has recordings, and a failed run of it. */
const prepared = Effect.gen(function* () {
  const account = yield* uploader
  const reservation = yield* reserveFull(account, { branch: "feature/shared" })
  yield* putFull(reservation)
  yield* finalizePreview(account, reservation.token)
  const { shareId } = reservation
  const run = yield* registered(account, shareId, { status: "failed", failureMessage: "Pay was not found" })
  return { account, shareId, run }
})

type Prepared = Effect.Success<typeof prepared>

const share = Effect.fnUntraced(function* ({ account }: Prepared, path: string, body: unknown = {}) {
  const host = yield* TestHost
  const answer = yield* host.call("POST", `/api/v1/${path}/shares`, { key: account.key, body })
  const { id, url } = yield* asMade(answer.json)
  return { path: new URL(url).pathname, id }
})

const accountIdOf = Effect.fnUntraced(function* ({ account, shareId }: Prepared) {
  const host = yield* TestHost
  const { json } = yield* host.call("GET", `/api/v1/previews/${shareId}`, { key: account.key })
  return (yield* Schema.decodeUnknownEffect(PreviewMetadata)(json)).account.id
})

/** The URLs of a page's links to the objects of its preview. */
const objectsIn = (html: string): ReadonlyArray<string> => [
  ...new Set([...html.matchAll(/(?:src|href)="([^"]*\/preview-objects\/[^"]+)"/g)].map(([, path]) => path ?? ""))
]

const status = (path: string) => Effect.map(visit("GET", path), (answer) => answer.status)

layer(TestHost.layer(inMemory))("share links in the viewer", (it) => {
  it.effect(
    "a shared build runs for people without a key, until the link is revoked or the build is deleted",
    function* () {
      const host = yield* TestHost
      const account = yield* newAccount(["builds", "delete"])
      const reservation = yield* reserve(account, {
        author: "Ada",
        branch: "feature/shared",
        files: declaredFiles
      })
      const { slots, token } = reservation
      yield* put(slots.bundle, bundle)
      for (const [index, slot] of slots.files.entries()) yield* put(slot, [style, data][index] ?? bundle)
      yield* finalize(account, token)
      const { id } = reservation
      const make = Effect.gen(function* () {
        const { json } = yield* host.call("POST", `/api/v1/builds/${id}/shares`, { key: account.key, body: {} })
        return yield* asMade(json)
      })
      const [link, other] = [yield* make, yield* make]
      const page = yield* visit("GET", new URL(link.url).pathname)
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "feature/shared")
      for (const hidden of ["Ada", `/builds/${id}`, "/repositories"]) assert.notInclude(page.text, hidden)
      const frame = frameOf(page.text)
      assert.strictEqual(yield* status(frame), 200)
      const files = objectsIn(page.text)
      assert.lengthOf(files, declaredFiles.length)
      for (const path of files) assert.strictEqual(yield* status(path), 200, path)
      const objects = objectsOf(page.text)
      for (const other of ["bundle", "recordings/0", "files/other"])
        assert.strictEqual(yield* status(objects + other), 404, other)
      yield* host.call("DELETE", `/api/v1/builds/${id}/shares/${link.id}`, { key: account.key })
      assert.strictEqual(yield* status(new URL(link.url).pathname), 410)
      for (const path of [frame, ...files]) assert.strictEqual(yield* status(path), 403)
      assert.strictEqual(yield* status(new URL(other.url).pathname), 200)
      yield* host.call("DELETE", `/api/v1/builds/${id}`, { key: account.key })
      assert.strictEqual(yield* status(new URL(other.url).pathname), 404)
    }
  )

  it.effect(
    "a shared preview is shown to people without a key, with all that it holds and nothing of its account",
    function* () {
      const made = yield* prepared
      const link = yield* share(made, `previews/${made.shareId}`)
      const { headers, status, text } = yield* visit("GET", link.path)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(headers.getSetCookie(), [])
      assert.include(text, "feature/shared")
      for (const { name } of declaredRecordings) assert.include(text, name)
      assert.notInclude(text, made.account.name)
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.notMatch(text, /\/previews\/|\/runs\//)
      const objects = objectsIn(text)
      assert.isAtLeast(objects.length, 5)
      // Anyone can read a value that is sealed in a URL.
      const sealed = [frameOf(text), ...objects].map((path) => atob((path.split("/")[2] ?? "").split(".")[0] ?? ""))
      const accountId = yield* accountIdOf(made)
      for (const one of [text, ...sealed]) assert.notInclude(one, accountId)
      for (const path of [...objects, frameOf(text)]) assert.strictEqual((yield* visit("GET", path)).status, 200, path)
      const recordings = objects.filter((path) => path.includes("/recordings/"))
      const texts = yield* Effect.forEach(recordings, (path) => Effect.map(visit("GET", path), (one) => one.text))
      assert.sameMembers(
        [...new Set(texts)],
        [shot, log].map((bytes) => new TextDecoder().decode(bytes))
      )
    }
  )

  it.effect("a shared run is shown with its failure and what its preview recorded", function* () {
    const made = yield* prepared
    const link = yield* share(made, `test-runs/${made.run.id}`)
    const { status, text } = yield* visit("GET", link.path)
    assert.strictEqual(status, 200)
    assert.include(text, "Pay was not found")
    const [, image = ""] = /property="og:image" content="(http[^"]+)"/.exec(text) ?? []
    const { headers } = yield* visit("GET", new URL(image).pathname)
    assert.match(headers.get("content-type") ?? "", /^image\//)
    for (const { name } of declaredRecordings) assert.include(text, name)
    assert.notMatch(text, /\/previews\/|\/runs\//)
    for (const path of objectsIn(text)) assert.strictEqual((yield* visit("GET", path)).status, 200, path)
  })

  it.effect("a link to a run opens what its preview recorded, and neither its bundle nor its files", function* () {
    const made = yield* prepared
    for (const [path, expected] of [
      [`previews/${made.shareId}`, 200],
      [`test-runs/${made.run.id}`, 404]
    ] as const) {
      const link = yield* share(made, path)
      const objects = objectsOf((yield* visit("GET", link.path)).text)
      const file = encodeURIComponent(declaredFiles[0]?.path ?? "")
      for (const recorded of [`${objects}recordings/0`, `${link.path}/view?recording=0`]) {
        assert.strictEqual(yield* status(recorded), 200, recorded)
      }
      for (const other of [`${objects}bundle`, `${objects}files/${file}`, `${link.path}/view?path=${file}`]) {
        assert.strictEqual(yield* status(other), expected, other)
      }
    }
  })

  it.effect("a revoked link ends at once: its page, its objects and its replay", function* () {
    const made = yield* prepared
    const host = yield* TestHost
    const link = yield* share(made, `previews/${made.shareId}`)
    const other = yield* share(made, `previews/${made.shareId}`)
    const { text } = yield* visit("GET", link.path)
    const kept = [...objectsIn(text), frameOf(text)]
    const below = `/api/v1/previews/${made.shareId}/shares/${link.id}`
    assert.strictEqual((yield* host.call("DELETE", below, { key: made.account.key })).status, 204)
    const page = yield* visit("GET", link.path)
    assert.strictEqual(page.status, 410)
    assert.notInclude(page.text, "feature/shared")
    for (const path of kept) assert.strictEqual(yield* status(path), 403, path)
    assert.strictEqual(yield* status(other.path), 200)
  })

  it.effect("a link ends with its time; one that never was is not found", function* () {
    const made = yield* prepared
    const link = yield* share(made, `previews/${made.shareId}`, { expiresInSeconds: 60 })
    const kept = objectsIn((yield* visit("GET", link.path)).text)
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(yield* status(link.path), 200)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* status(link.path), 410)
    for (const path of kept) assert.strictEqual(yield* status(path), 403, path)
    for (const secret of ["0".repeat(32), "x", "%20", `${link.path.slice(8)}0`]) {
      assert.strictEqual(yield* status(`/shared/${secret}`), 404, secret)
    }
  })

  it.effect("what a session's page led to ends with the session's key", function* () {
    const { account, shareId } = yield* prepared
    const { admin } = yield* TestHost
    const cookie = yield* signIn(account.key)
    const { text } = yield* visit("GET", `/previews/${shareId}`, { cookie })
    const kept = [frameOf(text), ...objectsIn(text)]
    for (const path of kept) assert.strictEqual(yield* status(path), 200, path)
    yield* admin.revokeKey({ id: KeyId.make(account.keyId) })
    for (const path of kept) assert.strictEqual(yield* status(path), 403, path)
  })
})
