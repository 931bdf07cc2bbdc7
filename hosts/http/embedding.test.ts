/** Runs examples/node, and what docs/embedding.md says about durable data, with their imports replaced by the sources. */
import { Redacted } from "effect"
import { assert, it, onTestFinished } from "vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { programOf, snippetsOf } from "../../.config/testing/snippets.ts"
import * as memory from "../../adapters/memory/index.ts"
import { makeSlipway } from "./slipway.ts"

const root = join(import.meta.dirname, "..", "..")

const example = readFileSync(join(root, "examples/node/server.ts"), "utf8")

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const program = (text: string) => {
  const made = programOf(text)
  onTestFinished(made.remove)
  return made
}

it("what keeps data in the docs runs at each start", async () => {
  const snippets = snippetsOf("docs/embedding.md")
  const holding = (part: string) =>
    snippets.find(({ language, text }) => language === "ts" && text.includes(part))?.text
  const { file, folder } = program(
    [
      `import { makeSlipway } from "slipway/hosts/http"`,
      holding("embedded.engines("),
      `const slipway = makeSlipway({ settings: { url: "http://127.0.0.1:3000" }, ...engines })`,
      holding("ensureAccount"),
      "await slipway.dispose()"
    ].join("\n")
  )
  const env = { ...process.env, SLIPWAY_SECRET: Buffer.alloc(32, 1).toString("base64") }
  const start = () => spawnSync(process.execPath, [file], { cwd: folder, env, encoding: "utf8" })
  const first = start()
  assert.match(first.stdout, /^slip_\w+\n$/, first.stderr)
  const second = start()
  assert.deepStrictEqual([second.stdout, second.status], ["", 0], second.stderr)
})

it("the embedding example serves the API beside another route", async () => {
  const child = spawn(process.execPath, [program(example).file], {
    env: { ...process.env, PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, "line"), once(child, "close")])
  const [docs = "", key = ""] = String(line).split(" ")
  const url = docs.replace(/\/docs$/, "")
  assert.strictEqual(await (await fetch(`${url}/hello`)).text(), "Hello from the same server\n")
  const reference = await fetch(docs)
  assert.deepStrictEqual([reference.status, reference.headers.get("content-type")], [200, "text/html; charset=utf-8"])
  assert.include(await reference.text(), "/api/v1/builds")

  const bundle = "console.log('embedded')"
  const post = async (body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const response = await fetch(`${url}/api/v1/builds`, { method: "POST", headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  const reserved = await post({
    owner: "acme",
    repo: "app",
    branch: "main",
    platform: "ios",
    commitSha: "a".repeat(40),
    contentHash: Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(bundle))).toString("hex"),
    bundleSizeBytes: bundle.length,
    bundleContentType: "text/javascript"
  })
  assert.strictEqual(reserved.status, 201)
  const slot = Reflect.get(Reflect.get(Object(reserved.body), "slots"), "bundle")
  const put = await fetch(slot.putUrl, { method: "PUT", body: bundle, headers: { "content-type": slot.contentType } })
  assert.strictEqual(put.status, 200)
  const finalized = await post({ operation: "finalize", token: Reflect.get(Object(reserved.body), "token") })
  assert.strictEqual(finalized.status, 201)
  assert.strictEqual(Reflect.get(Object(finalized.body), "status"), "ready")
})

it.each([
  ["frameAncestors", ["https://team.example", "*"]],
  ["siteName", "Acme\n"],
  ["siteLogo", new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")]
])("makeSlipway refuses an unusable %s by its name", (name, value) => {
  const url = "http://127.0.0.1:3000"
  const { ports } = memory.engines({ url, secret: Redacted.make("signs URLs") })
  assert.throws(() => makeSlipway({ settings: { url, [name]: value }, ports }), `${name} must `)
})
