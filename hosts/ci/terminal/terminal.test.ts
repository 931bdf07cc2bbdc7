/** `slipway-ci runs`, `tests`, `run`, `failed` and `completion`, against a real host. */
import { assert } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { commands } from "../commands.ts"
import { hosted, listed } from "../import/testing/hosted.ts"
import { maestroFixtures } from "../import/testing/reading.ts"
import { failed, flaky, tried } from "../testing/commentRuns.ts"
import { temporaryFolder, write } from "../testing/folders.ts"
import { runCi } from "../testing/runCi.ts"

layer(TestHost.layer(inMemory))("slipway-ci in a terminal", (it) => {
  it.effect("tests lists broken or flaky tests, of a branch or all, as a table or as JSON", () =>
    tried(async ({ program, register }) => {
      await register("Broken", { ...failed, branch: "main", commitSha: "ab".repeat(20) })
      await register("Shaky", { ...flaky, branch: "feature" })
      await register("Fine", { branch: "main" })
      const names = async (...args: ReadonlyArray<string>) => {
        const { code, out } = await program(["tests", "--json", ...args])
        assert.strictEqual(code, 0)
        const found: { readonly tests: ReadonlyArray<{ readonly name: string }> } = JSON.parse(out)
        return found.tests.map(({ name }) => name)
      }
      assert.deepStrictEqual(await names("--broken"), ["Broken"])
      assert.deepStrictEqual(await names("--flaky"), ["Shaky"])
      assert.deepStrictEqual(await names("--flaky", "--branch", "main"), [])
      assert.sameMembers(await names(), ["Broken", "Shaky", "Fine"])
      const { err, out } = await program(["tests", "--broken"])
      assert.match(
        out,
        /^LAST +TEST +FAILED +FAILING SINCE +MESSAGE\nfailed +Broken +1 of 1 +ababababab of \S+ \S+ +Not found: `Pay`/
      )
      assert.strictEqual(err, "1 test.")
      assert.strictEqual((await program(["tests", "--broken", "--flaky"])).code, 2)
    })
  )

  it.effect("runs lists test runs, and of a CI run which failures are new", () =>
    tried(async ({ program, register }) => {
      for (const name of ["Old", "New"])
        await register(name, {
          branch: "main",
          source: "github:1",
          ...(name === "Old" ? failed : { file: "e2e/pay:1.ts" })
        })
      for (const name of ["Old", "New"])
        await register(name, { ...failed, branch: "feature", base: "main", source: "github:2/1" })
      const id = await register("Fine", { ...flaky, branch: "feature", source: "github:2/2" })
      const { err, out } = await program(["runs", "--source", "github:2/1"])
      const lines = out.split("\n").map((line) => line.split(/ {2,}/).slice(1, 3))
      assert.deepStrictEqual(lines, [
        ["RESULT", "TEST"],
        ["flaky", "Fine"],
        ["failed, new", "New"],
        ["failed, known on main", "Old"]
      ])
      assert.strictEqual(err, "3 runs.")
      const json = await program(["runs", "--json", "--limit", "1"])
      assert.strictEqual(JSON.parse(json.out).runs[0].id, id)
      assert.strictEqual((await program(["runs", "--status", "failed", "--branch", "main"])).err, "1 run.")
      for (const args of [
        ["--limit", "0"],
        ["--status", "red"],
        ["--kind", "jest"]
      ])
        assert.strictEqual((await program(["runs", ...args])).code, 2)
    })
  )

  it.effect("failed lists the latest failures as arguments of a tool, and is no success if some may be missing", () =>
    tried(async ({ client, owner, program, register, repo }) => {
      const source = "github:100/1"
      const cwd = temporaryFolder()
      write(cwd, "flows/pay.yaml", "")
      write(cwd, "e2e/cart.test.ts", "")
      await register("Pay (now)", { status: "failed", file: "pay", source })
      await register("Cart fills", { status: "failed", file: "e2e/cart.test.ts", source })
      await register("Again", { status: "failed", file: "flows/pay.yaml", source })
      await register("Again", { file: "flows/pay.yaml", source: "github:100/2" })
      const lists = (format: string, from = source) =>
        program(["failed", "--format", format, "--source", from], {}, cwd)
      assert.deepStrictEqual(await lists("lines"), { code: 0, out: "Cart fills\nPay (now)", err: "2 tests failed." })
      assert.strictEqual((await lists("maestro")).out, "e2e/cart.test.ts\nflows/pay.yaml")
      for (const format of ["jest", "detox"])
        assert.strictEqual(
          (await lists(format)).out,
          "e2e/cart.test.ts\nflows/pay.yaml\n--testNamePattern=^(?:Cart fills|Pay \\(now\\))$"
        )
      assert.strictEqual((await lists("html")).code, 2)
      assert.strictEqual((await lists("lines", "github:none")).code, 3)
      await register("Lost", { status: "failed", source })
      const lost = await lists("maestro")
      assert.strictEqual(lost.code, 3)
      assert.include(lost.err, "Lost: its file is not known")
      await client.sources.announceImport(source, { owner, repo, id: "e2e", expectedRuns: 9 })
      const open = await lists("lines")
      assert.strictEqual(open.code, 3)
      assert.include(open.err, "so that more tests may have failed")
    })
  )
})

describe("slipway-ci run", () => {
  it("shows why a run failed: its message, steps, log and recordings, which it saves", async () => {
    const { client, env } = await hosted()
    await runCi(["import", "maestro", join(maestroFixtures, "out")], { env })
    const one = (await listed(client)).find(
      ({ failedStepIndex, status }) => status === "failed" && failedStepIndex !== undefined
    )!
    const cwd = temporaryFolder()
    const { code, err, out } = await runCi(["run", one.traceUrl, "--download", "saved"], { env, cwd })
    assert.strictEqual(code, 0, err)
    const { log, recordings, steps } = JSON.parse((await runCi(["run", one.id, "--json"], { env })).out)
    assert.include(out, `✗ ${one.name}: failed`)
    assert.include(out, `\n\nMessage:\n  ${one.failureMessage?.split("\n")[0]}`)
    const { depth, name } = steps[one.failedStepIndex ?? 0]
    assert.include(out, `\n  ${(one.failedStepIndex ?? 0) + 1}. ${"  ".repeat(depth)}${name}: failed\n`)
    assert.isNotEmpty(log[0].lines)
    assert.include(out, `\n\nLog ${log[0].name}:\n  ${log[0].lines[0]}`)
    assert.include(out, recordings[0].url)
    assert.sameMembers(
      readdirSync(join(cwd, "saved"), { recursive: true, withFileTypes: true }).flatMap((file) =>
        file.isFile() ? [file.name] : []
      ),
      recordings.map(({ name }: { readonly name: string }) => name.replace(/^.*\//, ""))
    )
    const missing = await runCi(["run", "01900000-0000-7000-8000-000000000000"], { env })
    assert.deepStrictEqual([missing.code, (await runCi(["run", "x"], { env })).code], [3, 2])
  })
})

describe("slipway-ci completion", () => {
  it("completes commands, their second words and flags in bash", async () => {
    const { out: script } = await runCi(["completion", "bash"])
    const complete = (...words: ReadonlyArray<string>) =>
      execFileSync(
        "bash",
        [
          "-c",
          `${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($#-1)); _slipway_ci; echo "\${COMPREPLY[@]}"`,
          "-",
          ...words
        ],
        { encoding: "utf8" }
      ).trim()
    assert.strictEqual(complete("slipway-ci", "up"), "upload")
    assert.strictEqual(complete("slipway-ci", "upload", ""), "build preview")
    assert.strictEqual(complete("slipway-ci", "upload", "build", "--req"), "--require-replay")
    assert.strictEqual(complete("slipway-ci", "tests", "--bro"), "--broken")
    const { out: fish } = await runCi(["completion", "fish"])
    for (const { name, summary } of commands)
      assert.include(fish, `-a ${name.split(" ").at(-1)} -d ${JSON.stringify(summary)}`)
    assert.include((await runCi(["completion", "zsh"])).out, "bashcompinit")
    assert.strictEqual((await runCi(["completion"])).code, 2)
  })
})
