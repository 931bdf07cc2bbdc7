/** The sentences of the interface about builds, over real HTTP. */
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeKey } from "../../core/rules/credentials.ts"
import { inMemory } from "./testing/engines.ts"
import { call, newAccount, TestHost } from "./testing/TestHost.ts"
import {
  asProblem,
  asRow,
  bundle,
  commit,
  data,
  declaredFiles,
  finalize,
  latest,
  post,
  put,
  read,
  readyBuild,
  reserve,
  reserveBody,
  sha256
} from "./testing/uploads.ts"
import { layer } from "../../core/testing/layer.ts"

layer(TestHost.layer(inMemory))("builds", (it) => {
  it.effect(
    "§1 a repository must be linked to the authenticated account; case doesn't matter, the linked case shows",
    function* () {
      const account = yield* newAccount()
      const stranger = yield* post(account, reserveBody({ ...account, repo: "Unlinked" }))
      assert.strictEqual(stranger.status, 404)
      const { row } = yield* readyBuild({ ...account, owner: account.owner.toUpperCase(), repo: "aPP" })
      assert.strictEqual(row.owner, account.owner)
      assert.strictEqual(row.repo, account.repo)
    }
  )

  it.effect("§2.1 every field of the reservation is stored and returned in the row", function* () {
    const account = yield* newAccount()
    const fields = {
      branch: "feature/ünïcode-🚢",
      platform: "android",
      bundleOrigin: "http://localhost:8081",
      entry: "index.js",
      isTransformed: true,
      deviceSpec: { width: 390.5, height: 844 },
      files: declaredFiles,
      commitMessage: "Pay by card\n\nCloses #7",
      author: "Zoë <b>",
      base: "main",
      job: "build (ios)",
      app: "rider"
    }
    const reservation = yield* reserve(account, fields)
    const row = (yield* read(account, reservation.id)).json
    const now = DateTime.formatIso(yield* DateTime.now)
    assert.deepStrictEqual(row, {
      id: reservation.id,
      url: reservation.url,
      status: "uploading",
      ...reserveBody(account, fields),
      createdAt: now,
      updatedAt: now
    })
  })

  it.effect("§2.1 omitted fields get their defaults or stay absent", function* () {
    const account = yield* newAccount()
    const reservation = yield* reserve(account)
    const row = yield* asRow((yield* read(account, reservation.id)).json)
    assert.isFalse(row.isTransformed)
    assert.deepStrictEqual(row.files, [])
    for (const field of ["bundleOrigin", "entry", "deviceSpec", "readyAt", "previewUrl"]) assert.notProperty(row, field)
  })

  it.effect("§2.1 unknown fields are ignored", function* () {
    const account = yield* newAccount()
    const answer = yield* post(
      account,
      reserveBody(account, { colour: "blue", files: [{ ...declaredFiles[0], x: 1 }] })
    )
    assert.strictEqual(answer.status, 201)
  })

  it.effect(
    "§2.2, §2.5 the reservation has a token, a stable url, and a slot for the bundle and each declared file",
    function* () {
      const host = yield* TestHost
      const account = yield* newAccount()
      const { expiresAt, id, slots, token, url } = yield* reserve(account, { files: declaredFiles })
      assert.match(token, /^[\w-]{43}$/)
      assert.strictEqual(url, `${host.url}/builds/${id}`)
      assert.deepStrictEqual(DateTime.toEpochMillis(expiresAt), DateTime.toEpochMillis(yield* DateTime.now) + 3_600_000)
      assert.strictEqual(slots.bundle.contentType, "text/javascript")
      assert.strictEqual(slots.bundle.sizeBytes, bundle.byteLength)
      assert.deepStrictEqual(
        slots.files.map(({ contentType, path, sizeBytes }) => ({ path, sizeBytes, contentType })),
        declaredFiles.map(({ contentType, path, sizeBytes }) => ({ path, sizeBytes, contentType }))
      )
      for (const slot of [slots.bundle, ...slots.files]) {
        assert.strictEqual(slot.method, "PUT")
        assert.isTrue(URL.canParse(slot.putUrl))
        assert.include(slot.putUrl, slot.objectKey)
        assert.deepStrictEqual(slot.expiresAt, expiresAt)
      }
    }
  )

  it.effect(
    "§3 another upload of the same repository, branch, platform and commit updates the same build",
    function* () {
      const account = yield* newAccount()
      const first = yield* readyBuild(account)
      yield* TestClock.adjust("2 minutes")
      const second = yield* reserve(account, {
        contentHash: sha256(data),
        bundleSizeBytes: data.byteLength,
        commitSha: commit(1).toUpperCase()
      })
      assert.strictEqual(second.id, first.row.id)
      assert.strictEqual(second.url, first.row.url)
      // A ready build stays ready, and unchanged, while another upload for it is under way.
      assert.deepStrictEqual((yield* read(account, second.id)).json, first.answer.json)
      yield* put(second.slots.bundle, data)
      const row = yield* asRow((yield* finalize(account, second.token)).json)
      assert.strictEqual(row.id, first.row.id)
      assert.strictEqual(row.contentHash, sha256(data))
      assert.deepStrictEqual(row.createdAt, first.row.createdAt)
      assert.deepStrictEqual(row.readyAt, first.row.readyAt)
      assert.isTrue(DateTime.isGreaterThan(row.updatedAt, first.row.updatedAt))
    }
  )

  it.effect("§4.1 reserve answers 201 and Location points at the build", function* () {
    const account = yield* newAccount()
    const answer = yield* post(account, reserveBody(account))
    assert.strictEqual(answer.status, 201)
    const location = answer.headers.get("location") ?? ""
    assert.strictEqual((yield* call("GET", location, { key: account.key })).status, 200)
  })

  it.effect("apps of one commit are builds of their own; the latest is that of all, or of the app", function* () {
    const account = yield* newAccount()
    const [plain, rider, driver] = [
      yield* readyBuild(account),
      yield* readyBuild(account, { app: "rider" }),
      yield* readyBuild(account, { app: "driver" })
    ]
    const idOf = (query: Record<string, string>) =>
      Effect.map(latest(account, query), ({ json, status }) => (status === 200 ? asRow(json) : Effect.undefined)).pipe(
        Effect.flatten,
        Effect.map((row) => row?.id)
      )
    assert.strictEqual(new Set([plain, rider, driver].map(({ row }) => row.id)).size, 3)
    assert.strictEqual(yield* idOf({}), driver.row.id)
    assert.strictEqual(yield* idOf({ app: "rider" }), rider.row.id)
    assert.isUndefined(yield* idOf({ app: "Rider" }))
    assert.strictEqual((yield* readyBuild(account, { app: "rider" })).row.id, rider.row.id)
  })

  it.effect(
    "§4.3 finalize answers 201 with the ready row, its url and its previewUrl; a read answers the same",
    function* () {
      const account = yield* newAccount()
      const { answer, row } = yield* readyBuild(account)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(row.status, "ready")
      assert.isDefined(row.readyAt)
      assert.strictEqual(row.previewUrl, `${row.url}/replay`)
      assert.deepStrictEqual((yield* read(account, row.id)).json, answer.json)
      assert.deepStrictEqual((yield* latest(account)).json, answer.json)
      assert.isTrue(answer.headers.get("location")?.endsWith(`/api/v1/builds/${row.id}`))
    }
  )

  it.effect(
    "§5 a key resolves to an account: none, malformed, unknown, revoked and expired keys are refused",
    function* () {
      const host = yield* TestHost
      const account = yield* newAccount()
      const revoked = yield* newAccount()
      yield* host.admin.revokeKey({ id: revoked.keyId })
      const order = {
        account: account.name,
        name: "short",
        scopes: ["builds"],
        life: Duration.minutes(10)
      } as const
      const short = yield* host.admin.createKey(order)
      assert.strictEqual((yield* host.call("GET", "/api/v1/builds/x", { key: short.key })).status, 404)
      yield* TestClock.adjust("10 minutes")
      const typo = account.key.slice(0, -1) + (account.key.endsWith("a") ? "b" : "a")
      for (const key of [undefined, "", "nonsense", typo, makeKey("0".repeat(40)), revoked.key, short.key]) {
        const answer = yield* host.call("GET", "/api/v1/builds/x", { key })
        assert.strictEqual(answer.status, 401, key)
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        assert.strictEqual((yield* asProblem(answer.json)).code, "unauthorized")
      }
      for (const authorization of [`Basic ${account.key}`, account.key, `bearer  ${account.key}x`]) {
        const answer = yield* host.call("GET", "/api/v1/builds/x", { headers: { authorization } })
        assert.strictEqual(answer.status, 401, authorization)
      }
      assert.strictEqual((yield* host.call("GET", "/api/v1/builds/x", { key: account.key })).status, 404)
    }
  )
})
