/** The command as people run it: in a process of its own, as the published program; its refusals in the test's process. */
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { spawn } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { it } from "../core/testing/layer.ts"
import { ask } from "../adapters/postgres/testing/ask.ts"
import { slipway } from "../hosts/cli/testing/slipway.ts"
import { brokenTargets } from "./fair/hosts.ts"
import { exampleTarget } from "./testing/example.ts"
import { referenceHost, type Target } from "./testing/target.ts"

const Made = Schema.fromJsonString(Schema.Struct({ main: Schema.String }))

/** A folder with a config file for a target; the keys are in the environment. */
const folderFor = ({ config, keys }: Target) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "slipway-conformance-"))
      const { a, b } = config.accounts
      const accounts = { a: { linked: a.linked }, b: { linked: b.linked } }
      writeFileSync(
        join(folder, "vendor.json"),
        JSON.stringify({ url: config.url, accounts, timeoutMs: config.timeoutMs })
      )
      const key = (one: Redacted.Redacted | undefined) => (one === undefined ? "" : Redacted.value(one))
      const environment: Readonly<Record<string, string>> = {
        SLIPWAY_CONFORMANCE_KEY_A_ALL: key(keys.a.all),
        SLIPWAY_CONFORMANCE_KEY_A_BUILDS: key(keys.a.builds),
        SLIPWAY_CONFORMANCE_KEY_A_PREVIEW_UPLOAD: key(keys.a.previewUpload),
        SLIPWAY_CONFORMANCE_KEY_A_TEST_RUNS: key(keys.a.testRuns),
        SLIPWAY_CONFORMANCE_KEY_B_ALL: key(keys.b.all)
      }
      return { folder, environment }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

type Place = Effect.Success<ReturnType<typeof folderFor>>

const start = async ({ environment, folder }: Place, ...args: ReadonlyArray<string>) => {
  const { HOME, PATH } = process.env
  const { main } = Schema.decodeSync(Made)(await ask("/command"))
  return spawn(process.execPath, [main, "conformance", ...args], {
    cwd: folder,
    env: { HOME, PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
}

/** Runs `slipway conformance` to its end. */
const conformance = (place: Place, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = await start(place, ...args)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    return { code: child.exitCode, stdout, stderr }
  })

const config = ["--config", "vendor.json"]

describe("slipway conformance", () => {
  it.live(
    "is 0 when every check that it makes passes, and writes what it was asked to, which is confirmed",
    function* () {
      const target = yield* referenceHost()
      const place = yield* folderFor(target)
      const outputs = ["json", "junit", "html"].flatMap((one) => [`--report-${one}`, `out/report.${one}`])
      const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })
      writeFileSync(join(place.folder, "key.pem"), pem)
      const signed = ["--badge", "out/badge.svg", "--sign", "key.pem"]
      const one = ["--only", "builds.finalize.created"]
      const { code, stderr, stdout } = yield* conformance(place, ...config, ...one, ...outputs, ...signed)
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /builds +partial +1 passed/)
      const written = ["report.json", "report.junit", "report.html", "badge.svg"].map((file) =>
        readFileSync(join(place.folder, "out", file), "utf8")
      )
      for (const [index, start] of ["{", "<?xml", "<!doctype html>", "<svg"].entries()) {
        assert.isTrue(written[index]?.startsWith(start), start)
      }
      const everything = [stdout, stderr, ...written].join("\n")
      for (const key of Object.values(place.environment)) assert.notInclude(everything, key)

      const verified = yield* conformance(place, "verify", "out/report.json")
      assert.strictEqual(verified.code, 0, verified.stdout)
      assert.match(verified.stdout, /Confirmed of http/)
      assert.match(verified.stdout, /Signed by the key SHA256:/)
      const longer = written[0]?.replace(/"durationMs": \d+/, '"durationMs": 1') ?? ""
      writeFileSync(join(place.folder, "longer.json"), longer)
      const altered = yield* conformance(place, "verify", "longer.json")
      assert.strictEqual(altered.code, 1)
      assert.match(altered.stdout, /signature .*it was changed after it was signed/)
      const keyless = yield* conformance(place, ...config, "--sign", "vendor.json")
      assert.strictEqual(keyless.code, 2)
      assert.match(keyless.stderr, /^slipway: The file vendor\.json contains no Ed25519 private key/)
      const badge = yield* conformance(place, "badge", "out/report.json")
      assert.strictEqual(badge.stdout, written[3])
      const same = yield* conformance(place, "diff", "out/report.json", "out/report.json")
      assert.deepStrictEqual([same.code, same.stdout.trim()], [0, "Nothing changed."])
      const worse = readFileSync(join(place.folder, "out/report.json"), "utf8").replace(
        '"outcome": "passed"',
        '"outcome": "failed"'
      )
      writeFileSync(join(place.folder, "out/worse.json"), worse)
      const changed = yield* conformance(place, "diff", "out/report.json", "out/worse.json")
      assert.strictEqual(changed.code, 1)
      const forged = yield* conformance(place, "badge", "out/worse.json")
      assert.deepStrictEqual([forged.code, forged.stdout], [1, ""])
      assert.include(changed.stderr, "1 check passed before and not now")

      const doctored = written[0]?.replace('"status": 201', '"status": 500') ?? ""
      writeFileSync(join(place.folder, "doctored.json"), doctored)
      const refused = yield* conformance(place, "verify", "doctored.json")
      assert.deepStrictEqual([refused.code, refused.stderr.trim()], [1, "slipway: doctored.json is not confirmed"])
    }
  )

  it.live("makes one check alone; an excuse for one that passes is 1, for one that there is not 2", function* () {
    const place = yield* folderFor(yield* referenceHost())
    const alone = [...config, "--only", "builds.finalize.created"]
    const made = yield* conformance(place, ...alone)
    assert.strictEqual(made.code, 0, made.stderr)
    assert.match(made.stdout, /1 check in/)
    const excuse = (check: string) => {
      const entry = { check, reason: "Being fixed", expires: "2999-12-31" }
      writeFileSync(join(place.folder, "expected.json"), JSON.stringify([entry]))
      return conformance(place, ...alone, "--expected-failures", "expected.json")
    }
    const stale = yield* excuse("builds.finalize.created")
    assert.strictEqual(stale.code, 1)
    assert.include(stale.stdout, "builds.finalize.created passes: take it out of the expected failures.")
    const unknown = yield* excuse("builds.finalize.creatde")
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.stderr, "did you mean builds.finalize.created?")
  })

  for (const [name, code] of [
    ["emptyObjects", 2],
    ["nothingThere", 2],
    ["hanging", 3],
    ["closing", 3],
    ["garbage", 3],
    ["untrusted", 3]
  ] as const) {
    it.live(`is ${code} for a target that is ${name}, with a message that names the cause`, function* () {
      const { url } = yield* Effect.acquireRelease(Effect.promise(brokenTargets[name]), ({ stop }) =>
        Effect.promise(() => stop())
      )
      const place = yield* folderFor(exampleTarget)
      const more = name === "hanging" ? { SLIPWAY_CONFORMANCE_TIMEOUT_MS: "1000" } : {}
      const environment = { ...place.environment, ...more }
      const ended = yield* conformance({ ...place, environment }, ...config, "--url", url)
      assert.strictEqual(ended.code, code, ended.stderr)
      const said =
        code === 2
          ? /^slipway: The target refuses what the config says:\n  url(?:, bindings.key)?: /
          : /^slipway: .*https?:\/\/127\.0\.0\.1.*\.$/m
      assert.match(ended.stderr, said)
    })
  }

  it.live("is 130 after Ctrl-C: it reports what was checked, and leaves nothing on a host that deletes", function* () {
    const target = yield* referenceHost()
    const place = yield* folderFor(target)
    const vendor = join(place.folder, "vendor.json")
    const path = { build: "builds", preview: "previews", testRun: "test-runs" } as const
    const requests = Object.fromEntries(
      Object.entries(path).map(([what, name]) => [what, { method: "DELETE", path: `/api/v1/${name}/{id}` }])
    )
    writeFileSync(vendor, JSON.stringify({ ...JSON.parse(readFileSync(vendor, "utf8")), cleanup: { requests } }))
    const report = yield* Effect.promise(async () => {
      const child = await start(place, ...config, "--report-json", "report.json")
      // By then, some checks have ended and others are under way.
      const stop = (chunk: unknown) => {
        if (!String(chunk).includes("runs.register.")) return
        child.stderr.off("data", stop).resume()
        child.kill("SIGINT")
      }
      child.stderr.on("data", stop)
      await Promise.all([text(child.stdout), once(child, "close")])
      assert.strictEqual(child.exitCode, 130)
      return JSON.parse(readFileSync(join(place.folder, "report.json"), "utf8"))
    })
    const outcomes = new Set(report.checks.map(({ outcome }: { readonly outcome: string }) => outcome))
    assert.includeMembers([...outcomes], ["passed", "no-answer"])
    assert.isAbove(report.ledger.length, 0)
    assert.deepStrictEqual(report.cleanup.left, [])
    const headers = { authorization: `Bearer ${place.environment.SLIPWAY_CONFORMANCE_KEY_A_ALL}` }
    const resources: ReadonlyArray<{ readonly what: keyof typeof path; readonly id: string }> = report.ledger
    for (const { id, what } of resources.filter(({ what }) => what !== "testRun")) {
      const { status } = yield* Effect.promise(() =>
        fetch(`${target.config.url}/api/v1/${path[what]}/${id}`, { headers })
      )
      assert.strictEqual(status, 404, `${what} ${id}`)
    }
  })

  it.live("is 2 for invalid input, before anything is sent, and prints a plan without a target", function* () {
    const place = yield* folderFor(exampleTarget)
    const bare: Place = { ...place, environment: { ...place.environment, SLIPWAY_CONFORMANCE_KEY_A_ALL: "" } }
    const vendor = join(place.folder, "vendor.json")
    const given = ["--config", vendor]
    const ended = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
      Effect.promise(() => slipway(["conformance", ...args], { env: { ...env } }))
    for (const [args, sentence] of [
      [[], /^slipway: The config lacks url/],
      [["--config", "none.json"], /^slipway: The config file none\.json can't be read/],
      [[...given, "--url", "staging"], /^slipway: The config doesn't fit: url \(--url\): must be/],
      [given, /^slipway: The config lacks accounts\.a\.keys\.all \(SLIPWAY_CONFORMANCE_KEY_A_ALL\)$/m],
      [["--only", "builds.nope", "--plan"], /^slipway: No check is called builds\.nope/],
      [["--no-such-flag"], /--no-such-flag/],
      [["--init"], /^slipway: --init needs a terminal, and there is none/],
      [["verify", "none.json"], /^slipway: The file none\.json can't be read/],
      [["diff", vendor, vendor], /^slipway: The file \S+vendor\.json is no report/]
    ] as const) {
      const { code, stderr } = yield* ended(args, bare.environment)
      assert.strictEqual(code, 2, args.join(" "))
      assert.match(stderr, sentence)
    }
    const planned = yield* ended(["--plan"], {})
    assert.strictEqual(planned.code, 0)
    assert.match(
      planned.stdout,
      /\d+ checks, about \d+ requests and \d+ KiB uploaded, about \d+ s at 50 ms an answer\./
    )
  })
})
