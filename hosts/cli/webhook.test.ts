/** The receiver of docs/events.md, as it is written there, and a host that tells it of what the command line does. */
import { assert, it, onTestFinished } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { serveHere, slipwayJson, temporaryFolder } from "./testing/slipway.ts"

const root = join(import.meta.dirname, "..", "..")
const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** The lines that the receiver of the page prints. */
const receive = async (port: number) => {
  const page = readFileSync(join(root, "docs/events.md"), "utf8")
  const [, code] = /<!-- example: receiver -->\n```ts\n(.*?)```/s.exec(page) ?? []
  assert.isDefined(code)
  const folder = mkdtempSync(join(root, "node_modules", ".receiver-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "receiver.mjs"), code ?? "")
  const child = spawn(process.execPath, [join(folder, "receiver.mjs")], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => String((await lines.next()).value)
}

it("a webhook hears of what the command line did without a host, and through one", async () => {
  const port = await freePort()
  const next = await receive(port)
  assert.strictEqual(await next(), "receiving")
  const env = {
    SLIPWAY_DATA: temporaryFolder(),
    SLIPWAY_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    SLIPWAY_WEBHOOK_SECRET: secret
  }
  await slipwayJson(["account", "create", "acme"], { env })
  const create = ["key", "create", "--account", "acme", "--scope", "builds", "--name"]
  const before = await slipwayJson([...create, "before the host"], { env })
  await serveHere(["--port", "0"], { env })
  assert.strictEqual(await next(), `key.made ${Reflect.get(Object(before), "id")}`)
  const after = await slipwayJson([...create, "with the host"], { env })
  const id = String(Reflect.get(Object(after), "id"))
  assert.strictEqual(await next(), `key.made ${id}`)
  await slipwayJson(["key", "revoke", id], { env })
  assert.strictEqual(await next(), `key.revoked ${id}`)
})
