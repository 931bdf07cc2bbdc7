/** What the log says of failed attempts, and that the fail2ban filter of the examples finds their addresses in it. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { TestClock } from "effect/testing"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it, onTestFinished } from "vitest"
import { attemptKinds, makeSampledLog } from "../../core/service/securityLog.ts"
import { accessLogTo } from "../node/accessLog.ts"
import { visit } from "../viewer/testing/visit.ts"
import { inMemory } from "./testing/engines.ts"
import { capturedLog } from "./testing/capturedLog.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { pathOfRoute, pathWithoutSecrets } from "./loggedPath.ts"

const filter = join(import.meta.dirname, "../../examples/fail2ban/filter.d/slipway.conf")
const log = capturedLog()
const trustedProxies = [IpNetwork.fromStringUnsafe("127.0.0.0/8")]
const accessLog = accessLogTo((line) => void log.lines.push(line), { share: 1 })
const failures = () => log.lines.filter((line) => line.includes("Authentication failed"))

const wrongKey = `slip_Ab3d${"0".repeat(42)}`
const path = `/api/v1/builds/${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`
const wrongFrom = (address: string, key = wrongKey) =>
  Effect.flatMap(TestHost, ({ call }) => call("GET", path, { key, headers: { "x-forwarded-for": address } }))

const hasFail2ban = spawnSync("fail2ban-regex", ["--version"]).status === 0

/** The addresses that the filter's regular expression finds. */
const foundByRegex = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const regex = /^failregex = (.*)$/m.exec(readFileSync(filter, "utf8"))?.[1] ?? ""
  const pattern = new RegExp(regex.replace("<ADDR>", "(?<address>[0-9a-f:.]+)"))
  // As fail2ban does it, without the part that its datepattern finds.
  return lines.flatMap(
    (line) => pattern.exec(line.replace(/^timestamp=[-\d]+T[\d:.]+Z/, ""))?.groups?.["address"] ?? []
  )
}

/** The addresses that fail2ban finds by the filter. */
const foundByFail2ban = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-fail2ban-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "slipway.log")
  writeFileSync(file, `${lines.join("\n")}\n`)
  return execFileSync("fail2ban-regex", ["-o", "ip", file, filter], { encoding: "utf8" }).trim().split("\n")
}

layer(TestHost.layer(inMemory, {}, { trustedProxies, accessLog }).pipe(Layer.provide(log.layer)))(
  "the security log",
  (it) => {
    it.effect("has address, route, kind and key prefix of each kind of failure, and no secret", function* () {
      const { call } = yield* TestHost
      const headers = { "x-forwarded-for": "192.0.2.7" }
      const account = yield* newAccount()
      const secret = "S".repeat(32)
      yield* wrongFrom("2001:db8::7")
      yield* wrongFrom("::ffff:192.0.2.7", "a password")
      yield* call("POST", "/api/v1/token-exchange", { body: { token: "x.y.z" }, headers })
      yield* visit("POST", "/sign-in", { form: { key: wrongKey }, headers })
      yield* visit("GET", `/shared/${secret}`, { headers })
      yield* call("GET", path, { key: account.key, headers })
      yield* call("GET", path, { headers })
      const head = 'timestamp=1970-01-01T00:00:00.000Z level=WARN message="Authentication failed"'
      assert.deepStrictEqual(
        failures().map((line) => line.replace(/ fiber=#\d+/, "")),
        [
          `${head} kind=api_key keyPrefix=slip_Ab3d address=2001:db8::7 route=/api/v1/builds/:id failures=1`,
          `${head} kind=api_key address=192.0.2.7 route=/api/v1/builds/:id failures=1`,
          `${head} kind=identity_token address=192.0.2.7 route=/api/v1/token-exchange failures=2`,
          `${head} kind=sign_in keyPrefix=slip_Ab3d address=192.0.2.7 route=/sign-in failures=3`,
          `${head} kind=share_link address=192.0.2.7 route=/shared/:secret failures=4`
        ]
      )
      for (const one of [wrongKey, account.key, secret, "x.y.z", "a password"]) {
        assert.isEmpty(log.lines.filter((line) => line.includes(one)))
      }
    })

    it.effect("has the first ten failures of a client in a minute, and then every hundredth", function* () {
      log.lines.length = 0
      yield* Effect.replicateEffect(wrongFrom("192.0.2.8"), 320)
      yield* wrongFrom("192.0.2.9")
      const counts = failures().map((line) => /address=(\S+) .*failures=(\d+)$/.exec(line)?.slice(1).join(" "))
      const sampled = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 200, 300].map((count) => `192.0.2.8 ${count}`)
      assert.deepStrictEqual(counts, [...sampled, "192.0.2.9 1"])
      yield* TestClock.adjust("1 minute")
      yield* wrongFrom("192.0.2.8")
      assert.match(failures().at(-1) ?? "", /address=192\.0\.2\.8 .*failures=1$/)
    })

    it.effect("has the first thousand lines of all clients, and counts those after ten thousand as one", function* () {
      const sampled = makeSampledLog()
      const logged: Array<number> = []
      for (let client = 0; client < 19_000; client++) {
        yield* sampled(`client ${client}`, (times) => Effect.sync(() => void logged.push(times)))
      }
      const eachOnce = Array.from({ length: 1000 + 90 }, () => 1)
      assert.deepStrictEqual(logged, [...eachOnce, 9000])
    })

    it.effect("has the reason of a refused identity token no more often than that", function* () {
      log.lines.length = 0
      const { call } = yield* TestHost
      const headers = { "x-forwarded-for": "192.0.2.12" }
      yield* Effect.replicateEffect(call("POST", "/api/v1/token-exchange", { body: { token: "x.y.z" }, headers }), 120)
      assert.lengthOf(failures(), 11)
      assert.lengthOf(
        log.lines.filter((line) => line.includes("An identity token was refused")),
        11
      )
    })

    it.effect(
      `shows fail2ban those addresses and no others (${hasFail2ban ? "fail2ban-regex" : "its regular expression"})`,
      function* () {
        log.lines.length = 0
        yield* wrongFrom("192.0.2.10")
        yield* wrongFrom("2001:db8::10")
        // What a client writes to blame another address: it must not be found.
        const blamed = "198.51.100.1"
        const line = `level=WARN fiber=#1 message="Authentication failed" kind=api_key address=${blamed} failures=1`
        for (const text of [line.replaceAll(" ", "\u00a0"), `"${line.replaceAll(" ", ",")}`]) {
          yield* Effect.flatMap(TestHost, ({ call }) =>
            call("GET", `/nowhere/${encodeURIComponent(line)}`, {
              key: "x",
              headers: {
                "x-request-id": text.replaceAll(/[^!-~]/g, "_"),
                "user-agent": line,
                "x-forwarded-for": blamed
              }
            })
          )
        }
        yield* visit("POST", "/sign-in", {
          form: { key: `x\n${line}` },
          headers: { "x-forwarded-for": "192.0.2.11" }
        })
        const found = hasFail2ban ? foundByFail2ban(log.lines) : foundByRegex(log.lines)
        assert.deepStrictEqual([...new Set(found)].toSorted(), ["192.0.2.10", "192.0.2.11", "2001:db8::10"])
        const inJournal = failures().map((line) => `host slipway[812]: ${line}`)
        assert.lengthOf(foundByRegex(inJournal), 3)
        const ofEachKind = attemptKinds.map((kind) => inJournal[0]?.replace(/kind=\w+/, `kind=${kind}`) ?? "")
        assert.lengthOf(foundByRegex(ofEachKind), attemptKinds.length)
        // The lines of the access log are there too.
        assert.isAbove(log.lines.length, 3)
      }
    )
  }
)

describe("a path in a log", () => {
  it.each([
    [undefined, "/anything", undefined],
    ["/runs/:id", "/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4", "/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4"],
    ["/previews/:id/shares", "/previews/f4eQcrJJwwXUiLtGE2rfme/shares?x=1", "/previews/f4eQcrJJwwXUiLtGE2rfme/shares"],
    ["/previews/:id", `/previews/slip_${"a".repeat(46)}`, "/previews/:id"],
    ["/shared/:secret", "/shared/f4eQcrJJwwXUiLtGE2rfme", "/shared/:secret"],
    ["/objects/*", "/objects/uploads/a?signature=b", "/objects/*"],
    ["/*", "/f4eQcrJJwwXUiLtGE2rfme", "/*"]
  ])("of the route %s for %s is %s", (route, url, path) => {
    assert.strictEqual(pathOfRoute(route, url), path)
  })
})

describe("a path whose route nobody knows", () => {
  it.each([
    ["/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4?x=1", "/runs/01a1fdbe-2c87-742c-85e3-6e8443899bf4"],
    ["/previews/f4eQcrJJwwXUiLtGE2rfme/files/index.js", "/previews/f4eQcrJJwwXUiLtGE2rfme/files/index.js"],
    [`/shared/${"S".repeat(32)}/view`, "/shared/…/view"],
    [`/replay/${"S".repeat(60)}.${"S".repeat(43)}/`, "/replay/…/"],
    [`/builds/slip_${"a".repeat(46)}`, "/builds/…"]
  ])("is shown of %s as %s", (url, path) => {
    assert.strictEqual(pathWithoutSecrets(url), path)
  })
})

const forwarded = Effect.flatMap(TestHost, ({ call }) =>
  call("GET", "/healthz", { headers: { "x-forwarded-for": "192.0.2.1" } })
)

const direct = capturedLog()

layer(TestHost.layer(inMemory).pipe(Layer.provide(direct.layer)))("X-Forwarded-For from no trusted proxy", (it) => {
  it.effect("is warned of at most once an hour, and plain requests never", function* () {
    const { call } = yield* TestHost
    yield* call("GET", "/healthz")
    assert.isEmpty(direct.lines)
    yield* Effect.replicateEffect(forwarded, 3)
    assert.lengthOf(direct.lines, 1)
    assert.match(
      direct.lines[0] ?? "",
      /level=WARN .*X-Forwarded-For from 127\.0\.0\.1 was ignored.*SLIPWAY_TRUSTED_PROXIES/
    )
    yield* TestClock.adjust("59 minutes")
    yield* forwarded
    assert.lengthOf(direct.lines, 1)
    yield* TestClock.adjust("1 minute")
    yield* Effect.replicateEffect(forwarded, 3)
    assert.lengthOf(direct.lines, 2)
  })
})

const behind = capturedLog()

layer(TestHost.layer(inMemory, {}, { trustedProxies }).pipe(Layer.provide(behind.layer)))(
  "X-Forwarded-For from a trusted proxy",
  (it) => {
    it.effect("is not warned of", function* () {
      yield* forwarded
      assert.isEmpty(behind.lines)
    })
  }
)
