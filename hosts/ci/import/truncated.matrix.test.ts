/**
 * Every file of results, cut at every 256 bytes and at its ends: a test passes no more often than in the whole, but
 * beside an interrupted run, and a failure that is lost leaves an interrupted run. `SLIPWAY_TEST_SAMPLES` names a folder
 * with results of real tools, whose folders below are used too: a path with `detox` in it is read as Detox, others as
 * Maestro.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { isInterrupted, lastAttempt, type RecordedRun } from "./recordedRun.ts"
import { detoxFixtures, maestroFixtures, readDetox, readMaestro } from "./testing/reading.ts"

const readers: Readonly<Record<string, (folder: string) => Promise<{ readonly runs: ReadonlyArray<RecordedRun> }>>> = {
  maestro: (folder) => readMaestro(folder),
  detox: (folder) => readDetox([folder])
}

interface Counted {
  /** How many runs of each name passed, and how many attempts of each name failed. */
  readonly passes: ReadonlyMap<string, number>
  readonly failures: ReadonlyMap<string, number>
  readonly interrupted: number
}

const counted = async (tool: string, folder: string): Promise<Counted> => {
  const runs = (await readers[tool]?.(folder))?.runs ?? []
  const passes = new Map<string, number>()
  const failures = new Map<string, number>()
  const add = (to: Map<string, number>, name: string, more: number) => void to.set(name, (to.get(name) ?? 0) + more)
  for (const run of runs) {
    if (lastAttempt(run).status === "passed") add(passes, run.name, 1)
    add(failures, run.name, run.attempts.filter(({ status }) => status !== "passed").length)
  }
  return { passes, failures, interrupted: runs.filter((run) => isInterrupted(lastAttempt(run))).length }
}

const step = 256

const cuts = (size: number): ReadonlyArray<number> => [
  ...Array.from({ length: Math.ceil(size / step) }, (_, index) => index * step),
  Math.max(0, size - 1)
]

const isResult = (path: string): boolean => /\.(?:json|jsonl|xml)$/.test(path) && basename(path) !== "manifest.json"

/** Folders that are imported each by itself. */
const folders: ReadonlyArray<readonly [tool: string, folder: string]> = [
  ["maestro", join(maestroFixtures, "out")],
  ["maestro", join(maestroFixtures, "flat")],
  ["detox", detoxFixtures]
]

const samples = process.env["SLIPWAY_TEST_SAMPLES"] ?? ""

const real = existsSync(samples)
  ? readdirSync(samples)
      .filter((name) => statSync(join(samples, name)).isDirectory() && name !== "node_modules")
      .map((name) => [/detox/i.test(name) ? "detox" : "maestro", join(samples, name)] as const)
  : []

const made = mkdtempSync(join(tmpdir(), "slipway-cut-"))
afterAll(() => rmSync(made, { recursive: true, force: true }))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => isResult(path) && statSync(join(folder, path)).isFile()
  )

/** The folder as it is; and each of its results alone, so that no other file shows what is missing. */
const settings = [...folders, ...real].flatMap(([tool, folder]) => {
  const all = filesIn(folder).map((file) => [tool, folder, file, "beside the others"] as const)
  return [...all, ...all.map(([, , file]) => [tool, folder, file, "alone"] as const)]
})

describe("results that are cut", () => {
  it.for(settings)("of %s in %s: %s, %s", async ([tool, from, file, how]) => {
    const folder = mkdtempSync(join(made, "of-"))
    if (how === "alone") cpSync(join(from, file), join(folder, file))
    else cpSync(from, folder, { recursive: true })
    const path = join(folder, file)
    const bytes = readFileSync(path)
    const whole = await counted(tool, folder)
    for (const end of cuts(bytes.length)) {
      writeFileSync(path, bytes.subarray(0, end))
      const cut = await counted(tool, folder)
      const at = `${file} cut at ${end} of ${bytes.length}`
      if (cut.interrupted > 0 && cut.interrupted >= whole.interrupted) continue
      for (const [name, passes] of cut.passes)
        assert.isAtMost(passes, whole.passes.get(name) ?? 0, `${at}: ${name} passes`)
      for (const [name, failures] of whole.failures)
        assert.isAtLeast(cut.failures.get(name) ?? 0, failures, `${at}: ${name} loses a failure`)
    }
  })
})
