/** The program's output without a request to a host. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { plainLine, plainLines } from "../../core/model/plainText.ts"
import { commandNames } from "./commandNames.ts"
import { commands } from "./commands.ts"
import { detoxFixtures, maestroFixtures } from "./import/testing/reading.ts"
import { reactNativeFolder } from "./testing/folders.ts"
import { runCi } from "./testing/runCi.ts"

const hostSettings = { SLIPWAY_URL: "http://127.0.0.1:1", SLIPWAY_KEY: "slip_0123456789" }

describe("slipway-ci", () => {
  it("lists its commands", async () => {
    for (const args of [[], ["--help"], ["help"]]) {
      const { code, err, out } = await runCi(args)
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
      for (const { name, summary } of commands) assert.match(out, new RegExp(`${name} +${summary}`))
    }
  })

  it("has a help for each command, which lists all flags and fits a terminal", async () => {
    for (const { name } of commands) {
      for (const flag of ["--help", "-h"]) {
        const { code, out } = await runCi([...name.split(" "), flag])
        assert.strictEqual(code, 0)
        assert.match(out, new RegExp(`^slipway-ci ${name} `))
        if (name !== "completion") assert.include(out, "--url")
        assert.include(out, "Exit codes: 0 done;")
        assert.isAtMost(Math.max(...out.split("\n").map((line) => line.length)), 120)
      }
    }
  })

  it("knows the first words of its commands", () => {
    const words = new Set(commands.flatMap(({ name }) => name.split(" ")[0] ?? []))
    words.delete("run")
    assert.deepStrictEqual([...words], [...commandNames])
  })

  it("prints its version", async () => {
    const { out } = await runCi(["--version"])
    assert.match(out, /^\d+\.\d+\.\d+/)
  })

  it.for([
    [["deploy"], "There is no command deploy"],
    [["upload", "everything"], "There is no command upload everything"],
    [["upload", "build", "--colour", "red", "x"], "'--colour'"],
    [["upload", "build"], "Name one file or folder"],
    [["upload", "preview", "gone", "--platform", "web"], "--platform must be ios or android"],
    [["upload", "preview", "gone", "--device", "large"], "--device must be like 390x844"],
    [["upload", "preview", "gone"], "There is no /gone"],
    [
      ["upload", "build", "x", "--platform", "ios", "--commit", "123"],
      "--commit (SLIPWAY_COMMIT) must be 40 hexadecimal digits"
    ],
    [["upload", "build", "x", "--platform", "ios", "--pr", "-1"], "--pr"]
  ] as const)("%j is a usage error", async ([args, why]) => {
    const { code, err, out } = await runCi(args)
    assert.deepStrictEqual({ code, out }, { code: 2, out: "" })
    assert.include(err, why)
  })

  it("names each missing setting, its flag and its variable", async () => {
    const { code, err } = await runCi(["upload", "build", "x", "--platform", "ios", "--owner", "acme"], {
      env: { SLIPWAY_REPO: "app", SLIPWAY_BRANCH: "" }
    })
    assert.strictEqual(code, 2)
    assert.include(err, "--branch or SLIPWAY_BRANCH")
    assert.include(err, "--commit or SLIPWAY_COMMIT")
    assert.notInclude(err, "--owner or")
    assert.notInclude(err, "--repo or")
  })

  it("names the same settings in each command, where nothing is known", async () => {
    const named = async (...args: ReadonlyArray<string>) => {
      const { code, err } = await runCi(args)
      assert.strictEqual(code, 2)
      assert.include(err, "No known CI was detected.")
      return [...err.matchAll(/^ {2}(--\w+ or \w+):/gm)].map(([, name]) => name)
    }
    const names = ["url", "key", "owner", "repo", "branch", "commit", "pr", "base", "source"]
    const expected = names.map((name) => `--${name} or SLIPWAY_${name.toUpperCase()}`)
    for (const args of [
      ["upload", "build", "x", "--platform", "ios"],
      ["upload", "preview", reactNativeFolder()],
      ["comment"],
      ["import", "maestro", join(maestroFixtures, "out")],
      ["import", "detox", join(detoxFixtures, "results.json")]
    ]) {
      assert.deepStrictEqual(await named(...args), expected, args.join(" "))
    }
  })

  it("prints with --dry-run what was detected, and from which variable", async () => {
    const env = {
      ...hostSettings,
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: "acme/app",
      GITHUB_REF: "refs/heads/main",
      GITHUB_SHA: "a".repeat(40),
      GITHUB_RUN_ID: "5",
      GITHUB_RUN_ATTEMPT: "2"
    }
    const bundle = reactNativeFolder()
    for (const args of [
      ["upload", "build", bundle],
      ["upload", "preview", bundle],
      ["import", "maestro", join(maestroFixtures, "out")],
      ["comment"]
    ]) {
      const { code, err } = await runCi([...args, "--dry-run", "--branch", "feature/pay"], { env })
      assert.strictEqual(code, 0, err)
      assert.include(
        err,
        [
          "The CI is GitHub Actions.",
          "  url    http://127.0.0.1:1 (SLIPWAY_URL)",
          "  key    set (SLIPWAY_KEY)",
          "  owner  acme (GITHUB_REPOSITORY)",
          "  repo   app (GITHUB_REPOSITORY)",
          "  branch feature/pay (--branch)",
          `  commit ${"a".repeat(40)} (GITHUB_SHA)`,
          "  pr     unknown",
          "  base   unknown",
          "  source github:5/2 (GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT)"
        ].join("\n"),
        args.join(" ")
      )
    }
  })

  it.for([
    ["--version"],
    ["comment", "--help"],
    ["import", "maestro", join(maestroFixtures, "out"), "--dry-run", "--json"]
  ])("%j whose output is closed or doesn't fit on the disk is no success, and has no trace", async (args) => {
    for (const [target, why] of [
      ["/dev/full", "ENOSPC"],
      ["pipe", "EPIPE"],
      // What Node does with a stream that is closed when it begins.
      ["ignore", "it is closed"]
    ] as const) {
      const stdout = target === "/dev/full" ? openSync(target, "w") : target
      const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
        stdio: ["ignore", stdout, "pipe"],
        env: { ...hostSettings, PATH: process.env["PATH"] }
      })
      child.stdout?.destroy()
      const [err, [code]] = await Promise.all([child.stderr === null ? "" : text(child.stderr), once(child, "close")])
      assert.strictEqual(code, 2)
      assert.match(err, new RegExp(`slipway-ci: The output can't be written to stdout: .*${why}`))
      assert.notMatch(err, /^ +at /m)
      if (typeof stdout === "number") closeSync(stdout)
    }
  })

  it("shows no key, whatever a message contains", async () => {
    const flags = ["--owner", "a", "--repo", "b", "--branch", "slip_0123456789", "--commit", "slip_0123456789"]
    const { code, err } = await runCi(["upload", "build", "x", "--platform", "ios", ...flags], { env: hostSettings })
    assert.strictEqual(code, 2)
    assert.notInclude(err, "slip_0123456789")
    assert.include(err, "•••")
  })
})

describe("texts of other tools", () => {
  it("lose the colours of a terminal and control characters", () => {
    assert.strictEqual(plainLines("\u001b[31mred\u001b[0m\u0007\tx\r\ny"), "red \tx\r\ny")
    assert.strictEqual(plainLine("one\r\n  two\u0000"), "one two")
  })

  it("lose lone surrogates", () => {
    assert.isTrue(plainLine("a\ud800b").isWellFormed())
  })

  it("are truncated to the host's limit, with a mark", () => {
    assert.strictEqual(plainLine("x".repeat(5000)).length, 1024)
    assert.match(plainLine("x".repeat(5000)), /x… \(cut\)$/)
    assert.strictEqual(plainLines("x".repeat(50_000)).length, 16 * 1024)
  })

  it("are never cut in the middle of a character", () => {
    for (let before = 0; before < 4; before += 1) {
      assert.isTrue(plainLine(`${"x".repeat(before)}${"😀".repeat(1000)}`).isWellFormed())
    }
  })
})
