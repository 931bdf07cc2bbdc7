/** Results that are cut, broken or hostile: what is complete is imported, the rest is reported. */
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { lastAttempt } from "../recordedRun.ts"
import { folderOf, maestroFixtures, readMaestro } from "../testing/reading.ts"

const report = readFileSync(join(maestroFixtures, "out", "report.xml"), "utf8")
const commands = readFileSync(join(maestroFixtures, "out", "2026-11-18_110640", "Pay", "commands.json"), "utf8")

const flow = (files: Readonly<Record<string, string>>) =>
  folderOf({
    "Pay/commands.json": commands,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`Pay/${path}`, text]))
  })

describe("broken results of Maestro", () => {
  it("imports the whole test cases of a report that was cut, and reports file, line and reason", async () => {
    const folder = folderOf({ "report.xml": report.slice(0, report.indexOf('name="Weigh"')) })
    const { problems, runs } = await readMaestro(folder)
    assert.deepStrictEqual(
      runs.map(({ name }) => name),
      ["Pay", "Browse", "report.xml"]
    )
    assert.deepStrictEqual(
      problems.map(({ file, line }) => [file, line]),
      [[join(folder, "report.xml"), 11]]
    )
    assert.match(problems[0]!.reason, /2 whole test cases before it were read/)
  })

  it("imports the whole commands of a file that was cut", async () => {
    const cut = commands.slice(0, commands.indexOf('"runFlowCommand"'))
    const { problems, runs } = await readMaestro(folderOf({ "Pay/commands.json": cut }))
    assert.deepStrictEqual(
      lastAttempt(runs[0]!).steps.map(({ name }) => name.split(" ")[0]),
      ["launchApp", "retry", "tapOnElement", "tapOnElement", "takeScreenshot", "startRecording"]
    )
    assert.strictEqual(problems[0]?.line, cut.split("\n").length)
    assert.match(problems[0]!.reason, /8 whole entries/)
  })

  it("survives a cut at any place", async () => {
    for (let end = 0; end < report.length; end += 61) {
      const { runs } = await readMaestro(folderOf({ "report.xml": report.slice(0, end) }))
      assert.isAtMost(runs.length, 6)
    }
    for (let end = 0; end < commands.length; end += 211) {
      const { runs } = await readMaestro(folderOf({ "Pay/commands.json": commands.slice(0, end) }))
      assert.isAtMost(runs.length, 1)
    }
  })

  it("survives values of any other kind", async () => {
    for (const value of [null, 0, "", [], {}, { a: [1] }, [null], [[]], true]) {
      for (const name of [
        "command",
        "metadata",
        "status",
        "timestamp",
        "duration",
        "depth",
        "error",
        "artifacts",
        "env"
      ]) {
        const text = JSON.stringify(JSON.parse(commands), (key, old: unknown) => (key === name ? value : old))
        const { runs } = await readMaestro(folderOf({ "Pay/commands.json": text }))
        assert.lengthOf(runs, 1)
      }
    }
  })

  it("reports a missing file that a manifest names, and continues", async () => {
    const manifest = { entries: [{ kind: "MAESTRO_LOG", relativePath: "logs/maestro.log" }] }
    const { problems, runs } = await readMaestro(flow({ "manifest.json": JSON.stringify(manifest) }))
    assert.lengthOf(runs, 1)
    assert.include(
      problems.map(({ reason }) => reason),
      'It names "logs/maestro.log", which doesn\'t exist.'
    )
  })

  it.for(["../secret.txt", "/etc/hostname", "logs/../../secret.txt", "a\u0000b"])(
    "doesn't follow a manifest to %j",
    async (relativePath) => {
      const folder = flow({ "manifest.json": JSON.stringify({ entries: [{ kind: "MAESTRO_LOG", relativePath }] }) })
      const { problems, runs } = await readMaestro(folder)
      assert.deepStrictEqual(
        lastAttempt(runs[0]!).recordings.filter(({ kind }) => kind === "log"),
        []
      )
      assert.include(problems.map(({ reason }) => reason).join(), "is outside of its folder")
    }
  )

  it("follows no link out of the folder", async () => {
    const secret = folderOf({ "secret.txt": "not for CI" })
    const folder = flow({ "logs/maestro.log": "11:06:40.000 begins\n" })
    symlinkSync(join(secret, "secret.txt"), join(folder, "Pay", "logs", "linked.txt"))
    const { problems, runs } = await readMaestro(folder)
    assert.deepStrictEqual(
      lastAttempt(runs[0]!).recordings.flatMap(({ kind, name }) => (kind === "log" ? [name] : [])),
      ["logs/maestro.log"]
    )
    assert.include(problems.map(({ reason }) => reason).join(), "It is a link out of the folder")
  })

  it("shows unknown commands and statuses as they are", async () => {
    const entry = { command: { foldSailCommand: { of: 1 } }, metadata: { status: "PONDERED", timestamp: 5 } }
    const { runs } = await readMaestro(folderOf({ "Sail/commands.json": JSON.stringify([entry]) }))
    const [step] = lastAttempt(runs[0]!).steps
    assert.deepStrictEqual([step?.name, step?.status], ["foldSail", "PONDERED"])
  })

  it("takes colours and control characters out of messages and names", async () => {
    const error = { message: "\u001b[31mred\u001b[0m\u0000 and\nnext" }
    const element = { selector: { textRegex: "a\u0007b\nc" } }
    const entry = {
      command: { tapOnElement: element },
      metadata: { status: "FAILED", timestamp: 5.5, duration: 1.7, error }
    }
    const { runs } = await readMaestro(folderOf({ "Sail/commands.json": JSON.stringify([entry]) }))
    const attempt = lastAttempt(runs[0]!)
    assert.strictEqual(attempt.failureMessage, "red  and\nnext")
    assert.strictEqual(attempt.steps[0]?.durationMs, 2)
    assert.notMatch(attempt.steps[0]!.name, /\p{Cc}/u)
  })

  it("imports nothing of XML and JSON that are no results", async () => {
    const folder = folderOf({ "a.xml": "<project><testcase/></project>", "b.json": "{}", "c.txt": "no XML" })
    assert.deepStrictEqual((await readMaestro(folder)).runs, [])
  })
})
