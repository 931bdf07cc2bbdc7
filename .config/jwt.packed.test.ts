/** The server of `examples/jwt`, on the packed package: a JWT of the embedder's opens the API and the pages. */
import { SignJWT } from "jose"
import { spawn } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { once } from "node:events"
import { cpSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { env, newProject, tarball } from "./testing/project.ts"

const root = join(import.meta.dirname, "..")
const source = join(root, "examples/jwt/server.ts")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const versionsOf = { ...manifest.dependencies, ...manifest.devDependencies }
const secret = randomUUID()
const project = newProject()
let url = ""
let stop = () => {}

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return String(typeof address === "object" && address !== null ? address.port : 0)
}

beforeAll(async () => {
  const others = ["effect", "jose", "typescript", "@types/node"]
  const { code, text } = await project.npm(
    "install",
    await tarball(),
    ...others.map((name) => `${name}@${versionsOf[name]}`)
  )
  assert.strictEqual(code, 0, text)
  cpSync(source, join(project.folder, "server.ts"))
  const PORT = await freePort()
  const child = spawn(process.execPath, ["server.ts"], {
    cwd: project.folder,
    env: { ...env, PORT, JWT_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"]
  })
  stop = () => void child.kill("SIGKILL")
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")])
  url = String(line)
})

afterAll(() => {
  stop()
  project.remove()
})

/** A JWT for everything that the account acme may do; `claims` replace claims. */
const jwt = (claims: Record<string, unknown> = {}, signedWith = secret): Promise<string> =>
  new SignJWT({
    aud: "slipway",
    jti: randomUUID(),
    team: "acme",
    scope: "openid preview_upload",
    exp: Math.floor(Date.now() / 1000) + 600,
    ...claims
  })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(signedWith))

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const cookie = (token: string) => ({ cookie: `theme=dark; jwt=${token}` })

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(new URL(path, url), { method, headers, redirect: "manual" })

const bundle = "console.log('opened by a JWT')"

/** Uploads a preview as CI does. Answers the path of its page. */
const upload = async (token: string): Promise<string> => {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${url}/api/v1/previews${path}`, {
      method: "POST",
      headers: { ...bearer(token), "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    assert.strictEqual(answer.status, 201, await answer.clone().text())
    return answer.json()
  }
  const reserved: unknown = await post("", {
    contentHash: createHash("sha256").update(bundle).digest("hex"),
    bundleSizeBytes: bundle.length,
    bundleContentType: "text/javascript"
  })
  const { shareId, slots, token: reservation } = Object(reserved)
  const { contentType, putUrl } = slots.bundle
  const put = await fetch(putUrl, { method: "PUT", body: bundle, headers: { "content-type": contentType } })
  assert.strictEqual(put.status, 200)
  await post("/finalize", { token: reservation })
  return `/previews/${shareId}`
}

describe("the example of a JWT, on the packed package", () => {
  it("is under thirty lines, and its types are right", async () => {
    const lines = readFileSync(source, "utf8").split("\n")
    assert.isBelow(lines.filter((line) => line !== "").length, 30)
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2024", "--module", "nodenext"]
    const { code, text } = await project.npx("tsc", ...options, "--types", "node", "server.ts")
    assert.strictEqual(code, 0, text)
  })

  it("opens the API and the pages by the same JWT, and ends both where it is signed out", async () => {
    const token = await jwt()
    const page = await upload(token)
    const shown = await ask(page, cookie(token))
    assert.strictEqual(shown.status, 200)
    const app = /\/replay\/[\w.-]+\//.exec(await shown.text())?.[0] ?? assert.fail("the page runs no app")
    const frame = { "sec-fetch-dest": "iframe" }
    assert.strictEqual((await ask(app, frame)).status, 200)

    assert.strictEqual((await ask("/sign-out", { ...cookie(token), origin: url }, "POST")).status, 303)
    assert.strictEqual((await ask(`/api/v1${page}`, bearer(token))).status, 401)
    assert.strictEqual((await ask(app, frame)).status, 403)
    const led = new URL((await ask(page, cookie(token))).headers.get("location") ?? "")
    assert.strictEqual(led.origin, "https://login.example")
    assert.strictEqual(led.searchParams.get("to"), url + page)
  })

  it("opens nothing by another JWT, and what is another account's doesn't exist", async () => {
    const page = await upload(await jwt())
    const refused = [
      await jwt({}, "another secret"),
      await jwt({ aud: "elsewhere" }),
      await jwt({ exp: 1 }),
      await jwt({ exp: undefined }),
      await jwt({ team: "nobody" }),
      "slip_nothing"
    ]
    for (const token of refused) {
      assert.strictEqual((await ask(`/api/v1${page}`, bearer(token))).status, 401)
      assert.strictEqual((await ask(page, cookie(token))).status, 303)
    }
    assert.strictEqual((await ask(`/api/v1${page}`)).status, 401)
    const narrow = await jwt({ scope: "builds" })
    assert.strictEqual((await ask(`/api/v1${page}`, bearer(narrow))).status, 403)
    assert.strictEqual((await ask(page, cookie(narrow))).status, 403)
  })
})
