/** The receiver of examples/webhook-receiver, and a host that sends it the events of the command line. */
import { assert, it, onTestFinished } from "vitest"
import { spawn } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DateTime, Effect, Option, Schema } from "effect"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import { instant, makeAccount, makeEvent, makeKey } from "../../adapters/kit/parts/samples.ts"
import { SlipwayEvent, WebhookId } from "../../core/model/SlipwayEvent.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { layerEmbeddedMetadata } from "../node/engines/sqlite.ts"
import { serveHere, slipway, slipwayJson, temporaryFolder } from "./testing/slipway.ts"

const root = join(import.meta.dirname, "..", "..")
const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`

const Added = Schema.Struct({
  id: Schema.String,
  secret: Schema.String,
  url: Schema.String,
  account: Schema.String,
  events: Schema.Array(Schema.String)
})
const Log = Schema.Array(
  Schema.Struct({
    webhook: Schema.String,
    type: Schema.String,
    attempt: Schema.Int,
    status: Schema.String,
    answer: Schema.String
  })
)

/** The lines that the receiver prints. */
const receive = async (port: number, by = secret) => {
  const folder = mkdtempSync(join(root, "node_modules", ".receiver-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // Its imports resolve beside the node_modules of the sources.
  copyFileSync(join(root, "examples/webhook-receiver/receiver.mjs"), join(folder, "receiver.mjs"))
  const child = spawn(process.execPath, [join(folder, "receiver.mjs")], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: by },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => String((await lines.next()).value)
}

/** Gives an event up in a new data folder, as a host does in the end. */
const givenUp = async (data: string, at: DateTime.Utc) => {
  const account = makeAccount()
  const key = makeKey(account)
  const event = makeEvent(key)
  await Effect.gen(function* () {
    yield* AccountStore.use((accounts) => accounts.insert(account))
    yield* KeyStore.use((keys) => keys.insert(key, event))
    const outbox = yield* Outbox
    const [claimed] = yield* outbox.claim({ claim: ClaimId.make("c"), now: instant(9), until: instant(10), limit: 1 })
    if (claimed !== undefined) yield* outbox.giveUp(claimed, { at, reason: "answered 404" })
  }).pipe(Effect.provide(layerEmbeddedMetadata({ data, file: undefined })), Effect.runPromise)
  return event
}

/** A receiver that is running, and the settings of a host that sends to it. */
const receiving = async () => {
  const port = await freePort()
  const next = await receive(port)
  assert.strictEqual(await next(), "receiving")
  const env = {
    SLIPWAY_DATA: temporaryFolder(),
    SLIPWAY_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    SLIPWAY_WEBHOOK_SECRET: secret
  }
  return { env, next }
}

it("an event that was given up is listed, with its reason, and delivered again when it is replayed", async () => {
  const { env, next } = await receiving()
  // A host forgets those that died more than thirty days ago.
  const deadAt = DateTime.nowUnsafe()
  const event = await givenUp(env.SLIPWAY_DATA, deadAt)
  const dead = [
    {
      id: event.id,
      event: Schema.encodeSync(SlipwayEvent)(event),
      attempts: 1,
      deadAt: DateTime.formatIso(deadAt),
      reason: "answered 404"
    }
  ]
  assert.deepStrictEqual(await slipwayJson(["event", "dead"], { env }), dead)
  await serveHere(["--port", "0"], { env })
  assert.deepStrictEqual(await slipwayJson(["event", "dead"], { env }), dead)
  const { stdout } = await slipway(["event", "dead"], { env })
  assert.include(
    stdout,
    `${event.id}  key.created ${event.data.id}  given up ${DateTime.formatIso(deadAt)} after 1 attempts`
  )
  const unknown = await slipway(["event", "replay", "unknown"], { env })
  assert.strictEqual(unknown.code, 1)
  assert.include(unknown.stderr, "No event with the id unknown was given up.")
  assert.deepStrictEqual(await slipwayJson(["event", "replay", event.id], { env }), { id: event.id })
  assert.strictEqual(await next(), `key.created ${event.data.id}`)
  assert.deepStrictEqual(await slipwayJson(["event", "dead"], { env }), [])
  assert.strictEqual((await slipway(["event", "dead"], { env })).stdout, "No event was given up.\n")
})

it("a webhook receives the events of commands without a host, and through one", async () => {
  const { env, next } = await receiving()
  await slipwayJson(["account", "create", "acme"], { env })
  const create = ["key", "create", "--account", "acme", "--scope", "builds", "--name"]
  const before = await slipwayJson([...create, "before the host"], { env })
  await serveHere(["--port", "0"], { env })
  assert.strictEqual(await next(), `key.created ${Reflect.get(Object(before), "id")}`)
  const after = await slipwayJson([...create, "with the host"], { env })
  const id = String(Reflect.get(Object(after), "id"))
  assert.strictEqual(await next(), `key.created ${id}`)
  await slipwayJson(["key", "revoke", id], { env })
  assert.strictEqual(await next(), `key.revoked ${id}`)
})

it("webhooks are added with secrets of their own, receive their event types, are logged, and removed", async () => {
  const port = await freePort()
  const env = { SLIPWAY_DATA: temporaryFolder() }
  const account = await slipwayJson(["account", "create", "acme"], { env })
  const add = ["webhook", "add", `http://127.0.0.1:${port}/`]
  const added = await slipwayJson(
    [...add, "--account", "acme", "--event", "key.created", "--event", "run.registered"],
    {
      env
    }
  )
  const { id, secret, ...fields } = Schema.decodeUnknownSync(Added)(added)
  assert.deepStrictEqual(fields, {
    url: `http://127.0.0.1:${port}/`,
    account: String(Reflect.get(Object(account), "name")),
    events: ["key.created", "run.registered"]
  })
  const next = await receive(port, secret)
  assert.strictEqual(await next(), "receiving")
  const create = ["key", "create", "--account", "acme", "--scope", "builds", "--name"]
  const before = await slipwayJson([...create, "before the host"], { env })
  await serveHere(["--port", "0"], { env })
  const made = `key.created ${Reflect.get(Object(before), "id")}`
  assert.strictEqual(await next(), made)

  const logged = async () => {
    for (;;) {
      const all = Schema.decodeUnknownSync(Log)(await slipwayJson(["event", "log", "--webhook", id], { env }))
      if (all.length > 0) return all
    }
  }
  assert.deepStrictEqual(await logged(), [
    { webhook: id, type: "key.created", attempt: 1, status: "delivered", answer: "answered 204" }
  ])
  assert.deepStrictEqual(await slipwayJson(["event", "log", "--webhook", "settings"], { env }), [])
  const { stdout } = await slipway(["event", "log", "--limit", "1"], { env })
  assert.match(stdout, /^\S+Z {2}\S+ {2}key\.created \S+ {2}attempt 1 {2}delivered {2}answered 204\n$/)

  const { stdout: list } = await slipway(["webhook", "list"], { env })
  assert.strictEqual(list, `${id}  http://127.0.0.1:${port}/  account acme  key.created run.registered\n`)
  assert.notInclude(JSON.stringify(await slipwayJson(["webhook", "list"], { env })), "whsec_")
  assert.deepStrictEqual(await slipwayJson(["webhook", "remove", id], { env }), { id })
  assert.deepStrictEqual(await slipwayJson(["webhook", "list"], { env }), [])
})

it("webhooks have a format and filters, and receive a test", async () => {
  const port = await freePort()
  const env = { SLIPWAY_DATA: temporaryFolder() }
  await slipwayJson(["account", "create", "acme"], { env })
  const add = ["webhook", "add", `http://127.0.0.1:${port}/`]
  const filters = { format: "slack", repository: "acme/app", branch: "main" }
  const flags = Object.entries(filters).flatMap(([name, value]) => [`--${name}`, value])
  const added = Object(await slipwayJson([...add, ...flags, "--event", "test.broken"], { env }))
  const { id } = added
  assert.deepInclude(added, { ...filters, events: ["test.broken"] })
  const { stdout } = await slipway(["webhook", "list"], { env })
  assert.strictEqual(
    stdout,
    `${id}  http://127.0.0.1:${port}/  all accounts  test.broken  for slack  acme/app  branch main\n`
  )
  const tested = await slipway(["webhook", "test", id], { env })
  assert.include(tested.stdout, `slipway event log --webhook ${id}`)
  const unknown = await slipway(["webhook", "test", "01a20a71-b952-7343-a6c3-4ba44eb09093"], { env })
  assert.notStrictEqual(unknown.code, 0)
  assert.strictEqual(Object(await slipwayJson(["webhook", "list"], { env })).length, 1)
})

it("a webhook that was disabled is listed as such, and gets what waits for it once it is resumed", async () => {
  const port = await freePort()
  const data = temporaryFolder()
  const env = { SLIPWAY_DATA: data }
  await slipwayJson(["account", "create", "acme"], { env })
  const added = await slipwayJson(["webhook", "add", `http://127.0.0.1:${port}/`, "--account", "acme"], { env })
  const id = WebhookId.make(String(Reflect.get(Object(added), "id")))
  const next = await receive(port, String(Reflect.get(Object(added), "secret")))
  assert.strictEqual(await next(), "receiving")
  await Effect.gen(function* () {
    const webhooks = yield* WebhookStore
    const webhook = Option.getOrThrow(yield* webhooks.find(id))
    const state = { failingSince: instant(1), disabledAt: instant(2) }
    assert.isTrue(yield* webhooks.changeState({ webhook, state }))
  }).pipe(Effect.provide(layerEmbeddedMetadata({ data, file: undefined })), Effect.runPromise)
  const { stdout } = await slipway(["webhook", "list"], { env })
  assert.include(
    stdout,
    `failing since ${DateTime.formatIso(instant(1))}  disabled at ${DateTime.formatIso(instant(2))}`
  )
  await serveHere(["--port", "0"], { env })
  const create = ["key", "create", "--account", "acme", "--scope", "builds", "--name", "waits"]
  const key = await slipwayJson(create, { env })
  const unknown = await slipway(["event", "resume", "unknown"], { env })
  assert.include(unknown.stderr, "There is no webhook with the id unknown.")
  assert.deepStrictEqual(await slipwayJson(["event", "log", "--webhook", id], { env }), [])
  assert.deepStrictEqual(await slipwayJson(["event", "resume", id], { env }), { id })
  assert.strictEqual(await next(), `key.created ${Reflect.get(Object(key), "id")}`)
  assert.notInclude((await slipway(["webhook", "list"], { env })).stdout, "disabled")
})

it.each([
  [["http://ci.example/"], 2, "https URL"],
  [["https://ci.example/", "--event", "key.lost"], 2, "key.lost"],
  [["https://ci.example/", "--format", "irc"], 2, "slack"],
  [["https://ci.example/", "--repository", "acme"], 2, "OWNER/REPO"],
  [["https://ci.example/", "--branch", "a\nb"], 2, "control characters"],
  [["https://ci.example/", "--account", "nobody"], 1, "There is no account named nobody."]
])("an invalid webhook is refused: %j", async (args, code, said) => {
  const env = { SLIPWAY_DATA: temporaryFolder() }
  await slipwayJson(["account", "create", "acme"], { env })
  const refused = await slipway(["webhook", "add", ...args], { env })
  assert.strictEqual(refused.code, code)
  assert.include(refused.stderr + refused.stdout, said)
  assert.deepStrictEqual(await slipwayJson(["webhook", "list"], { env }), [])
  assert.include(
    (await slipway(["webhook", "remove", "unknown"], { env })).stderr,
    "There is no webhook with the id unknown."
  )
})
