/**
 * Every file of results, cut at every kilobyte and at its ends: never more passes than the whole has, and never an exit
 * with 0 for `--fail-on failed` where the whole has a failure. `SLIPWAY_TEST_SAMPLES` names a folder with results of
 * real tools, whose folders below are used too: a path with `detox` in it is imported as Detox, others as Maestro.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { runCi } from "../testing/runCi.ts"
import { detoxFixtures, maestroFixtures } from "./testing/reading.ts"

interface Imported {
  readonly code: number
  /** How many runs of each name passed. */
  readonly passes: ReadonlyMap<string, number>
}

const imported = async (tool: string, folder: string): Promise<Imported> => {
  const { code, out } = await runCi(["import", tool, "--dry-run", "--json", "--fail-on", "failed", folder])
  const { runs = [] }: { readonly runs?: ReadonlyArray<Readonly<Record<string, string>>> } =
    out === "" ? {} : JSON.parse(out)
  const passes = new Map<string, number>()
  for (const { name = "", status } of runs) if (status === "passed") passes.set(name, (passes.get(name) ?? 0) + 1)
  return { code, passes }
}

const kilobyte = 1024

const cuts = (size: number): ReadonlyArray<number> => [
  ...Array.from({ length: Math.ceil(size / kilobyte) }, (_, index) => index * kilobyte),
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
    const whole = await imported(tool, folder)
    for (const end of cuts(bytes.length)) {
      writeFileSync(path, bytes.subarray(0, end))
      const cut = await imported(tool, folder)
      const at = `${file} cut at ${end} of ${bytes.length}`
      for (const [name, passes] of cut.passes) {
        assert.isAtMost(passes, whole.passes.get(name) ?? 0, `${at}: ${name} passes`)
      }
      if (whole.code !== 0) assert.notStrictEqual(cut.code, 0, at)
    }
  })
})
