import { Effect } from "effect"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { chmodSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { newBrowser, TestProvider, throughProvider } from "../node/testing/oidcProvider.ts"
import { anyStores, sharedStores } from "./testing/deployment.ts"
import { type RunningHost, serve, slipway, slipwayJson, slipwayProcess, temporaryFolder } from "./testing/slipway.ts"

const urlOf = (line: string): string => {
  const url = /^Slipway listening on (http:\/\/\S+)$/.exec(line)?.[1]
  assert.isDefined(url, line)
  return url ?? ""
}

const lastLine = (output: string): string => output.trim().split("\n").at(-1) ?? ""

describe("slipway serve", () => {
  it("prints one line when it is ready, answers the health checks, and exits with 0 on SIGTERM", async () => {
    const host = await serve(["--port", "0", "--data", temporaryFolder()])
    const url = urlOf(host.line)
    for (const path of ["/healthz", "/readyz"]) assert.strictEqual((await fetch(url + path)).status, 200)
    assert.strictEqual(await host.stop("SIGTERM"), 0)
  })

  it("prints the URL and the engines with --json, and exits with 0 on SIGINT", async () => {
    const host = await serve(["--port", "0", "--json"])
    const said: unknown = JSON.parse(host.line)
    assert.nestedPropertyVal(said, "engines.metadata", "SQLite")
    assert.nestedPropertyVal(said, "engines.objects", "filesystem")
    assert.match(String(Reflect.get(Object(said), "url")), /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.strictEqual(await host.stop("SIGINT"), 0)
  })

  it("warns of a variable that is named like a setting and isn't one", async () => {
    const host = await serve(["--port", "0"], { env: { SLIPWAY_KEEP_PREVIEW: "90d", SLIPWAY_KEY: "of CI" } })
    assert.strictEqual(await host.stop("SIGTERM"), 0)
    const warnings = (await host.stderr).split("\n").filter((line) => line.includes("level=WARN"))
    assert.lengthOf(warnings, 1)
    assert.include(warnings[0], "SLIPWAY_KEEP_PREVIEW is not a setting")
    assert.include(warnings[0], "did you mean SLIPWAY_KEEP_PREVIEWS?")
  })

  it("removes other users' permissions on its data folder, and logs it", async () => {
    const data = temporaryFolder()
    chmodSync(data, 0o755)
    const host = await serve(["--port", "0", "--data", data])
    assert.strictEqual(await host.stop("SIGTERM"), 0)
    assert.match(await host.stderr, /level=WARN .*Other users could open the data folder/)
    assert.strictEqual(statSync(data).mode & 0o777, 0o700)
  })

  it("warns in one line if uploaded code is served from the pages' host name and other machines can reach it", async () => {
    const warned = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
      const host = await serve(["--port", "0", ...args])
      assert.strictEqual(await host.stop("SIGTERM"), 0)
      return (await host.stderr).split("\n").filter((line) => line.includes("level=WARN"))
    }
    const behindProxy = ["--url", "https://slipway.example", "--trusted-proxies", "127.0.0.1"]
    const [line = "", ...others] = await warned(...behindProxy)
    assert.match(line, /Uploaded code is served from slipway\.example, .* SLIPWAY_CONTENT_URL/)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(await warned(), [])
    assert.deepStrictEqual(await warned(...behindProxy, "--content-url", "https://content.example"), [])
  })

  it("warns in one line if keys come by plain HTTP under a name that other machines can use", async () => {
    const host = await serve([
      "--port",
      "0",
      "--url",
      "http://slipway.example",
      "--content-url",
      "http://content.example"
    ])
    assert.strictEqual(await host.stop("SIGTERM"), 0)
    const [line = "", ...others] = (await host.stderr).split("\n").filter((line) => line.includes("level=WARN"))
    assert.match(line, /unencrypted to http:\/\/slipway\.example: .* SLIPWAY_URL/)
    assert.deepStrictEqual(others, [])
  })

  it("signs people in by the OpenID Connect provider that the environment names", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const data = temporaryFolder()
      yield* Effect.promise(async () => {
        const env = {
          SLIPWAY_OIDC_ISSUER: provider.issuer,
          SLIPWAY_OIDC_CLIENT_ID: "slipway",
          SLIPWAY_OIDC_CLIENT_SECRET: "client secret",
          SLIPWAY_OIDC_ACCOUNTS: "mobile=acme"
        }
        const host = await serve(["--port", "0", "--data", data], { env })
        const url = urlOf(host.line)
        await slipwayJson(["account", "create", "acme", "--data", data])
        provider.accept(url)
        provider.people.set("ada", ["mobile"])
        const browser = newBrowser()
        const { location } = await browser.ask(await throughProvider(browser, url, "ada"))
        assert.strictEqual(location, `${url}/`)
        assert.include((await browser.ask(location ?? "")).text, "acme")
      })
    }).pipe(Effect.provide(TestProvider.layer({ groupsIn: "userinfo" })), Effect.scoped, Effect.runPromise))

  it("refuses a second host on the same data folder with a clear message", async () => {
    const data = temporaryFolder()
    const host = await serve(["--port", "0", "--data", data])
    const second = await slipwayProcess(["serve", "--port", "0", "--data", data])
    assert.strictEqual(second.code, 1)
    assert.include(second.stderr, `The database ${join(data, "metadata.sqlite")} is in use by another process`)
    assert.strictEqual(second.stdout, "")
    assert.strictEqual((await fetch(`${urlOf(host.line)}/healthz`)).status, 200)
  })

  it("reports a port in use in one line", async () => {
    const env = await sharedStores()
    const host = await serve(["--port", "0"], { env })
    const port = new URL(urlOf(host.line)).port
    const second = await slipway(["serve", "--port", port], { env })
    assert.strictEqual(second.code, 1)
    assert.strictEqual(
      lastLine(second.stderr),
      `slipway: Can't listen on 127.0.0.1:${port}: the port is in use; stop what listens there, or choose another with --port.`
    )
    assert.notInclude(second.stderr, "    at ")
  })

  it.for([
    ["embedded engines", () => ({ SLIPWAY_DATA: temporaryFolder() })],
    ["PostgreSQL", sharedStores]
  ] as const)("when it stops on %s, finishes requests in flight and refuses new connections", async ([, stores]) => {
    const env = await stores()
    const host = await serve(["--port", "0"], { env })
    const url = new URL(urlOf(host.line))
    await slipwayJson(["account", "create", "acme"], { env })
    await slipwayJson(["repo", "link", "acme/app", "--account", "acme"], { env })
    const issued = await slipwayJson(["key", "create", "--account", "acme", "--name", "ci", "--scope", "builds"], {
      env
    })
    const body = JSON.stringify({
      owner: "acme",
      repo: "app",
      branch: "main",
      platform: "ios",
      commitSha: "a".repeat(40),
      contentHash: "b".repeat(64),
      bundleSizeBytes: 4,
      bundleContentType: "text/javascript"
    })
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, "connect")
    const head = [
      "POST /api/v1/builds HTTP/1.1",
      `host: ${url.host}`,
      `authorization: Bearer ${Reflect.get(Object(issued), "key")}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "connection: close",
      "expect: 100-continue"
    ]
    socket.write(`${head.join("\r\n")}\r\n\r\n`)
    // The host has asked for the body (100 Continue), so the request is in flight.
    assert.include(String(await once(socket, "data")), "100 Continue")
    socket.write(body.slice(0, 10))
    const stopped = host.stop("SIGTERM")
    await refused(url)
    // The client must keep its side open: Node treats a half-closed client as disconnected.
    socket.write(body.slice(10))
    assert.match(await text(socket), /^HTTP\/1\.1 201 /)
    assert.strictEqual(await stopped, 0)
  })

  it("when it stops, doesn't wait for connections without a request", async () => {
    const host = await serve(["--port", "0", "--shutdown-timeout", "1h"], { env: anyStores() })
    const url = new URL(urlOf(host.line))
    const silent = connect(Number(url.port), url.hostname)
    await once(silent, "connect")
    const closed = once(silent, "close")
    assert.strictEqual(await host.stop("SIGTERM"), 0)
    await closed
  })

  it("refuses a stored secret that is too short", async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, "secret"), "")
    const { code, stderr } = await slipway(["serve", "--port", "0", "--data", data])
    assert.strictEqual(code, 1)
    assert.include(stderr, "is shorter than 16 characters")
  })

  it("reports in one line a data folder whose path is too long for its socket", async () => {
    const data = join(temporaryFolder(), "x".repeat(110))
    const { code, stderr } = await slipway(["serve", "--port", "0", "--data", data])
    assert.strictEqual(code, 1)
    assert.match(stderr, /^slipway: The path of the data folder is too long: [^\n]*\n$/)
  })

  it("lets a flag override the environment, which overrides the config file", async () => {
    const cwd = temporaryFolder()
    const url = (name: string) => `http://${name}.example`
    writeFileSync(join(cwd, "slipway.config.json"), JSON.stringify({ port: 0, url: url("file") }))
    const stores = await sharedStores()
    const said = async (args: ReadonlyArray<string>, env: Record<string, string>) =>
      urlOf((await serve(args, { cwd, env: { ...stores, ...env } })).line)
    assert.strictEqual(await said([], {}), url("file"))
    assert.strictEqual(await said([], { SLIPWAY_URL: url("environment") }), url("environment"))
    assert.strictEqual(await said(["--url", url("flag")], { SLIPWAY_URL: url("environment") }), url("flag"))
  })

  it("reports an invalid setting by name in one line, with exit code 2", async () => {
    for (const [flag, value, env, message] of [
      ["port", "x", "SLIPWAY_PORT", "must be a port, 0 to 65535"],
      ["port", "65536", "SLIPWAY_PORT", "must be a port, 0 to 65535"],
      ["url", "slipway.example", "SLIPWAY_URL", "must be an http or https URL of one host, without query or fragment"],
      ["url", "http://a:99999", "SLIPWAY_URL", "must be an http or https URL of one host, without query or fragment"],
      [
        "content-url",
        "https://*.example",
        "SLIPWAY_CONTENT_URL",
        "must be an http or https URL of one host, without query or fragment"
      ],
      ["reservation-ttl", "59s", "SLIPWAY_RESERVATION_TTL", "must be a duration from 1m to 24h, such as 90m"],
      ["reservation-ttl", "25h", "SLIPWAY_RESERVATION_TTL", "must be a duration from 1m to 24h, such as 90m"],
      ["max-bundle-size", "big", "SLIPWAY_MAX_BUNDLE_SIZE", "must be a size such as 512MiB or 1000000"],
      ...["short", "short,long enough for a secret", "long enough for a secret,"].map(
        (value) =>
          [
            "secret",
            value,
            "SLIPWAY_SECRET",
            "must be at least 16 characters, or several such secrets with a comma between them, the newest first"
          ] as const
      ),
      [
        "database-url",
        "mysql://user:password@host/database",
        "DATABASE_URL",
        "must be a URL such as postgres://user:password@host:5432/database, its parts percent-encoded, or sqlite:/path"
      ]
    ] as const) {
      const line = `slipway: ${env} (--${flag}) ${message}\n`
      assert.deepStrictEqual(await slipway(["serve", `--${flag}`, value]), { code: 2, stdout: "", stderr: line })
      assert.deepStrictEqual((await slipway(["serve"], { env: { [env]: value } })).stderr, line)
    }
  })

  it("reports an invalid config file in one line, with exit code 2", async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, "other.json")
    for (const [content, said] of [
      ['{ "prot": 1 }', "has the key prot, which is not a setting; did you mean port?"],
      [
        '{ "DATABASE_URL": "x" }',
        "has the key DATABASE_URL, which is not a setting; in a file it is called databaseUrl"
      ],
      ["[1]", "must be a JSON object"],
      ["{", "must be a JSON object"]
    ] as const) {
      writeFileSync(file, content)
      const { code, stderr } = await slipway(["serve", "--config", file])
      assert.strictEqual(code, 2)
      assert.include(stderr, said)
      assert.strictEqual(stderr.trim().split("\n").length, 1)
    }
    assert.strictEqual((await slipway(["serve", "--config", join(cwd, "none.json")])).code, 2)
  })
})

/** Waits until the host takes no new connections. */
const refused = async (url: URL): Promise<void> => {
  for (;;) {
    const socket = connect(Number(url.port), url.hostname)
    const refusal = await Promise.race([
      once(socket, "connect").then(() => false),
      once(socket, "error").then(() => true)
    ]).catch(() => true)
    socket.destroy()
    if (refusal) return
  }
}

const crash = { NODE_OPTIONS: `--import ${join(import.meta.dirname, "testing", "throwOnSignal.ts")}` }

const requests = 50

/** A host that has answered requests: how it ended, and how many of them its log lists. */
const servedUntil = async (signal: NodeJS.Signals, env: Record<string, string>) => {
  const host = await serve(["--port", "0"], { env })
  const url = host.line.replace("Slipway listening on ", "")
  const asked = Array.from({ length: requests }, async (_, index) => {
    const { status } = await fetch(`${url}/healthz`, {
      headers: { "x-request-id": `asked-${index}`, connection: "close" }
    })
    assert.strictEqual(status, 200)
  })
  await Promise.all(asked)
  const closed = once(host.child, "close")
  host.child.kill(signal)
  await closed
  const stderr = await host.stderr
  const logged = new Set(stderr.match(/requestId=asked-\d+ method=GET path=\/healthz status=200/g))
  return { code: host.child.exitCode, stderr, logged: logged.size }
}

describe("the access log of slipway serve", () => {
  it("is on stderr as a whole when the host is stopped", async () => {
    const { code, logged } = await servedUntil("SIGTERM", { SLIPWAY_ACCESS_LOG: "all" })
    assert.deepStrictEqual({ code, logged }, { code: 0, logged: requests })
  })

  it("is on stderr as a whole when an error that nobody catches ends the process", async () => {
    const { code, stderr, logged } = await servedUntil("SIGUSR2", { SLIPWAY_ACCESS_LOG: "all", ...crash })
    assert.deepStrictEqual({ code, logged }, { code: 1, logged: requests })
    assert.include(stderr, "Error: planted")
  })

  it("is off unless it is set", async () => {
    assert.strictEqual((await servedUntil("SIGTERM", {})).logged, 0)
  })

  it.each(["some", "0", "1.1", "-1"])("can't be set to %s", async (value) => {
    const { code, stderr } = await slipwayProcess(["serve", "--port", "0", "--access-log", value])
    assert.strictEqual(code, 2)
    assert.include(stderr, "SLIPWAY_ACCESS_LOG (--access-log) must be off, all, or a share of requests")
  })
})

// Kills the host with SIGKILL between any two steps: every answer it gave is still valid, and the flow continues.

const content = "console.log('still here')"
const get = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((at, name) => Reflect.get(Object(at), name), value)

describe("a host that is killed", () => {
  it("continues after a restart between any two steps, and loses nothing that was finalized", async () => {
    const data = temporaryFolder()
    let host: RunningHost | undefined
    // The port stays the same, so that the client can keep using the URLs it has.
    let port = "0"
    const restart = async () => {
      await host?.stop("SIGKILL")
      host = await serve(["--port", port, "--data", data])
      const url = host.line.split(" ").at(-1) ?? ""
      port = new URL(url).port
      return url
    }
    await slipwayJson(["account", "create", "acme", "--data", data])
    await slipwayJson(["repo", "link", "acme/app", "--account", "acme", "--data", data])
    const key = get(
      await slipwayJson(["key", "create", "--account", "acme", "--name", "ci", "--scope", "builds", "--data", data]),
      "key"
    )
    const request = async (path: string, body?: unknown) => {
      const response = await fetch(`${await restart()}/api/v1/builds${path}`, {
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      return { status: response.status, body: (await response.json()) as unknown }
    }

    const reserved = await request("", {
      owner: "acme",
      repo: "app",
      branch: "main",
      platform: "ios",
      commitSha: "a".repeat(40),
      contentHash: createHash("sha256").update(content).digest("hex"),
      bundleSizeBytes: content.length,
      bundleContentType: "text/javascript",
      files: [{ path: "a.txt", sizeBytes: 1, contentType: "text/plain" }]
    })
    assert.strictEqual(reserved.status, 201)
    const put = async (slot: unknown, text: string) => {
      await restart()
      const headers = { "content-type": String(get(slot, "contentType")) }
      assert.strictEqual((await fetch(String(get(slot, "putUrl")), { method: "PUT", body: text, headers })).status, 200)
    }
    const finalize = () => request("", { operation: "finalize", token: get(reserved.body, "token") })

    await put(get(reserved.body, "slots", "bundle"), content)
    assert.strictEqual((await finalize()).status, 409)
    await put(get(reserved.body, "slots", "files", "0"), "x")
    const finalized = await finalize()
    assert.strictEqual(finalized.status, 201)
    assert.strictEqual(get(finalized.body, "status"), "ready")
    assert.deepStrictEqual((await finalize()).body, finalized.body)
    assert.deepStrictEqual((await request(`/${get(finalized.body, "id")}`)).body, finalized.body)
    assert.deepStrictEqual((await request("?owner=acme&repo=app&branch=main")).body, finalized.body)
  })
})
