/** Reads folders of results in tests, with all messages beside the runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { importDetox } from "../detox/importDetox.ts"
import { importJUnit } from "../junit/importJUnit.ts"
import { importMaestro } from "../maestro/importMaestro.ts"
import { makeMask, type Mask } from "../mask.ts"
import { type ImportProblem, makeImportLog, type RecordedRun, type SkippedTest } from "../recordedRun.ts"

const folders = join(import.meta.dirname, "..")

/** Results of Maestro: `out` of 2.7 and newer with a report, `flat` of before. */
export const maestroFixtures = join(folders, "maestro", "fixtures")

/** JUnit reports of several tools: see their README. */
export const junitFixtures = join(folders, "junit", "fixtures")

/** Results of Detox: see its README. */
export const detoxFixtures = join(folders, "detox", "fixtures")

export interface ReadResults {
  readonly runs: ReadonlyArray<RecordedRun>
  /** The run of a name. */
  readonly run: (name: string) => RecordedRun
  readonly problems: ReadonlyArray<ImportProblem>
  readonly notes: ReadonlyArray<string>
  readonly skippedTests: ReadonlyArray<SkippedTest>
  readonly mask: Mask
}

const kept = async (
  read: (mask: Mask, log: ReturnType<typeof makeImportLog>) => Promise<ReadonlyArray<RecordedRun>>
) => {
  const mask = makeMask()
  const log = makeImportLog()
  const runs = await read(mask, log)
  const run = (name: string): RecordedRun => {
    const found = runs.find((one) => one.name === name)
    if (found === undefined) throw new Error(`There is no run ${name}, but ${runs.map((one) => one.name).join(", ")}`)
    return found
  }
  const { notes, problems, skippedTests } = log
  return { runs, run, problems, notes, skippedTests, mask } satisfies ReadResults
}

export const readMaestro = (...paths: ReadonlyArray<string>): Promise<ReadResults> =>
  kept((mask, log) => importMaestro(paths, import.meta.dirname, mask, log))

export const readDetox = (paths: ReadonlyArray<string>, artifacts: ReadonlyArray<string> = []): Promise<ReadResults> =>
  kept((mask, log) => importDetox(paths, artifacts, import.meta.dirname, mask, log))

export const readJUnitReports = (...paths: ReadonlyArray<string>): Promise<ReadResults> =>
  kept((_mask, log) => importJUnit("detox", paths, import.meta.dirname, log))

/** A folder with these files, by their paths, that is deleted at the end of the test. */
export const folderOf = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-import-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}
