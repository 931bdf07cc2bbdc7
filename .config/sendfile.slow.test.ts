/** Large files by the proxies of `examples/deploy`: each answer is that of the host, except that the proxy sends the bytes. */
import { Effect, Redacted } from "effect"
import { chmodSync, globSync, statSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { join, relative } from "node:path"
import { buffer } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { freePort } from "../adapters/postgres/testing/freePort.ts"
import { newKey, runJson, secret } from "../hosts/cli/testing/deployment.ts"
import { serveHere } from "../hosts/cli/testing/slipway.ts"
import { createClient } from "../hosts/client/index.ts"
import { checkSendfile } from "../hosts/node/doctor/embedded.ts"
import { patterned, sha256 } from "../adapters/kit/parts/objectStoreHarness.ts"
import { needs, type Proxy, startProxy, temporaryFolder } from "./testing/deploy.ts"

/** What differs between any two answers, and what a server says of itself. */
const ofServer = ["alt-svc", "connection", "date", "keep-alive", "server", "transfer-encoding", "via"]

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends a request whose path stays exactly as given. */
const ask = async (
  base: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { localAddress = "127.0.0.1", method = "GET" } = {}
): Promise<Answer> => {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>()
  request(base, { path, method, headers, localAddress, agent: false }, (response) => {
    const kept = Object.entries(response.headers).filter(([name]) => !ofServer.includes(name))
    buffer(response)
      .then((body) => resolve({ status: response.statusCode, headers: Object.fromEntries(kept), body }))
      .catch(reject)
  })
    .on("error", reject)
    .end()
  return promise
}

const bundle = patterned(100_000)
const html = Buffer.from("<h1>page</h1>".padEnd(70_000))
const files = [
  { path: "image.png", contentType: "application/octet-stream", bytes: patterned(300_001) },
  { path: "a page's.html", contentType: "text/html", bytes: html },
  {
    path: "packed.json",
    contentType: "application/json",
    bytes: patterned(400_000),
    encoding: "gzip"
  },
  { path: "archive.gz", contentType: "application/gzip", bytes: gzipSync(patterned(300_000)) },
  { path: "small.txt", contentType: "text/plain", bytes: patterned(1000) }
].map(({ bytes, encoding, ...file }) => ({
  ...file,
  encoding,
  sent: encoding === undefined ? bytes : gzipSync(bytes)
}))

/** A host behind a proxy. The folder of the proxy is another one if it is wrong. */
const start = async (proxy: Proxy, settings: Readonly<Record<string, string>> = {}, wrongFolder = false) => {
  const folder = temporaryFolder()
  // The folders of a deployment above its data are passable for everybody.
  chmodSync(folder, 0o711)
  const [data, port, proxyPort] = [join(folder, "data"), await freePort(), await freePort()]
  const [direct, url] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${proxyPort}`]
  const env = {
    SLIPWAY_DATA: data,
    ...secret,
    SLIPWAY_URL: url,
    SLIPWAY_TRUSTED_PROXIES: "127.0.0.1",
    SLIPWAY_SENDFILE: "x-accel-redirect",
    ...settings
  }
  await serveHere(["--port", String(port)], { env })
  await startProxy("host", proxy, direct, { port: proxyPort, data: wrongFolder ? folder : data })
  const finding = (at = url) =>
    Effect.runPromise(checkSendfile({ data, secret: [Redacted.make(secret.SLIPWAY_SECRET)] }, at))
  return { data, direct, env, finding, url }
}

describe.for(["nginx", "caddy"] as const)("large files by %s", (proxy) => {
  it("are sent as the host sends them, and by nothing but an answer of the host", async (context) => {
    needs(context, proxy)
    const { data, direct, env, finding, url } = await start(proxy)
    assert.deepInclude(await finding(), { ok: true, detail: "the proxy sends large files" })
    assert.include(Object(await finding(direct)).detail, "the proxy does not ask the host")

    const { key } = await newKey(env)
    const client = createClient({ url, key })
    const declared = {
      contentHash: sha256(bundle),
      bundleSizeBytes: bundle.byteLength,
      bundleContentType: "text/javascript",
      files: files.map(({ contentType, path, sent }) => ({
        path,
        contentType,
        sizeBytes: sent.byteLength
      }))
    }
    const { shareId, slots, token } = await client.previews.reserve(declared)
    await client.put(slots.bundle, bundle)
    for (const [index, { contentType, encoding, sent }] of files.entries()) {
      const headers = {
        "content-type": contentType,
        ...(encoding === undefined ? {} : { "content-encoding": encoding })
      }
      const put = await fetch(slots.files[index]?.putUrl ?? "", {
        method: "PUT",
        headers,
        body: new Uint8Array(sent)
      })
      assert.strictEqual(put.status, 200, await put.text())
    }
    await client.previews.finalize(token)
    const pathOf = async (ref: string) => {
      const { headers } = await ask(direct, `/previews/${shareId}/${ref}`, {
        authorization: `Bearer ${key}`
      })
      return new URL(headers.location ?? "", direct).pathname
    }
    const objects = [
      { path: await pathOf("bundle"), bytes: Buffer.from(bundle), isProxied: true },
      ...(await Promise.all(
        files.map(async ({ encoding, path, sent }) => ({
          path: await pathOf(`files/${encodeURIComponent(path)}`),
          bytes: Buffer.from(sent),
          isProxied: encoding === undefined && sent.byteLength >= 65_536
        }))
      ))
    ]
    assert.lengthOf(
      objects.filter(({ isProxied }) => isProxied),
      4
    )

    for (const { bytes, isProxied, path } of objects) {
      const { headers: usual } = await ask(direct, path)
      const validator = String(usual.etag)
      const requests: ReadonlyArray<readonly [headers: Record<string, string>, status: number, method?: string]> = [
        [{}, 200],
        [{ "accept-encoding": "gzip, br" }, 200],
        [{}, 200, "HEAD"],
        [{ range: "bytes=0-99" }, 206],
        [{ range: "bytes=-100" }, 206],
        [{ range: "bytes=10-" }, 206],
        [{ range: `bytes=0-${bytes.byteLength + 5}` }, 206],
        [{ range: "bytes=99999999-" }, 416],
        [{ range: "bytes=0-1,5-6" }, 200],
        [{ range: "bytes=9-3" }, 200],
        [{ range: "lines=1-2" }, 200],
        [{ range: "bytes=0-99", "if-range": validator }, 206],
        [{ range: "bytes=0-99", "if-range": '"other"' }, 200],
        [{ "if-none-match": validator }, 200],
        [{ "if-match": '"other"' }, 200],
        [{ "if-modified-since": new Date(Date.now() + 1e6).toUTCString() }, 200],
        [{ "if-unmodified-since": new Date(0).toUTCString() }, 200],
        [{ "sec-fetch-dest": "document" }, 200],
        [{ "sec-fetch-dest": "image" }, 200],
        [{ "x-accel-redirect": "/slipway-files/../../secret", "x-sendfile-type": "X-Sendfile" }, 200]
      ]
      for (const [headers, status, method = "GET"] of requests) {
        const sent = { ...headers, "x-request-id": "the-same" }
        const expected = await ask(direct, path, { ...sent, host: new URL(url).host }, { method })
        const name = `${method} ${path} ${JSON.stringify(headers)}`
        assert.strictEqual(expected.status, status, name)
        const answer = await ask(url, path, sent, { method })
        assert.deepStrictEqual(
          { ...answer, body: sha256(answer.body) },
          { ...expected, body: sha256(expected.body) },
          name
        )
        if (status === 200 && method === "GET") assert.isTrue(answer.body.equals(bytes), name)
      }
      // This is the answer that the proxy gets.
      const asked = { "x-sendfile-type": "X-Accel-Redirect" }
      const redirected = await ask(direct, path, asked)
      assert.strictEqual(redirected.headers["x-accel-redirect"] !== undefined, isProxied, path)
      assert.strictEqual(redirected.body.byteLength, isProxied ? 0 : bytes.byteLength)
      // Others who ask for it get the bytes.
      const other = await ask(direct, path, asked, { localAddress: "127.0.0.2" })
      assert.deepStrictEqual([other.headers["x-accel-redirect"], other.body.equals(bytes)], [undefined, true])

      const refused = await ask(url, path.replace(/\.[\w-]{4}/, ".AAAA"))
      assert.deepStrictEqual([refused.status, refused.headers["content-type"]], [403, "application/problem+json"])
    }

    const stored = globSync("objects/objects/hosted/**/*,data", { cwd: data })
    assert.lengthOf(stored, 5)
    const below = relative("objects/objects", stored[0] ?? "")
    for (const path of [
      `/slipway-files/${below}`,
      `//slipway-files/${below}`,
      `/slipway-files/${below.replaceAll("/", "%2f")}`,
      `/%73lipway-files/${below}`,
      `/x/../slipway-files/${below}`,
      `/slipway-files/../../secret`,
      `/slipway-files/..%2f..%2fslipway.db`,
      "/slipway-files/",
      "/slipway-files"
    ]) {
      const { body, status } = await ask(url, path)
      assert.include([400, 404], status, path)
      assert.isBelow(body.byteLength, 2000, path)
    }

    if (process.getuid?.() === 0) {
      const modes = ["", "objects", "objects/objects", stored[0] ?? ""].map(
        (path) => statSync(join(data, path)).mode & 0o777
      )
      assert.deepStrictEqual(modes, [0o710, 0o710, 0o710, 0o640])
      const others = globSync(["metadata.*", "*.sock", "objects/objects/**/*,object"], { cwd: data })
      assert.includeMembers(others, ["metadata.sqlite", "admin.sock"])
      for (const file of others) {
        assert.strictEqual(statSync(join(data, file)).mode & 0o777, 0o600, file)
      }
    }

    const preview = objects[0]?.path ?? ""
    const scopes = ["--scope", "preview_upload", "--scope", "delete"]
    const issued = await runJson(env, "key", "create", "--account", "acme", "--name", "deletes", ...scopes)
    await createClient({ url, key: String(Object(issued).key) }).previews.delete(shareId)
    for (const base of [url, direct]) assert.strictEqual((await ask(base, preview)).status, 404)
  })

  it("are reported by the doctor if the proxy can't read them, or the host runs without the setting", async (context) => {
    needs(context, proxy)
    const misplaced = await start(proxy, {}, true)
    assert.match(
      Object(await misplaced.finding()).detail,
      /the proxy answers 404 and \d+ bytes for a stored file of 131072/
    )
    const off = await start(proxy, { SLIPWAY_SENDFILE: "off" })
    assert.include(Object(await off.finding()).detail, "runs without this setting")
  })
})
