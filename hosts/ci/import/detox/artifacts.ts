/** Finds what Detox recorded of an attempt: by the name that Detox gives to its folder, never by taking names apart. */
import { basename, dirname } from "node:path"
import { filesBelow, foldersBelow, isSendable, recordingType } from "../files.ts"
import { groupedBy } from "../../../../core/rules/attempts.ts"
import { logStart } from "../logStart.ts"
import type { RecordedFile } from "../recordedRun.ts"
import type { ImportLog } from "../ImportLog.ts"
import { folderName, screenshotName } from "./folderName.ts"

/** The attempt, and the source of its files' times. */
export interface AttemptRecorded {
  /** The trace or the results that list it: of folders with one name, the nearest one belongs to it. */
  readonly reportedBy: string
  readonly fullName: string
  readonly status: string
  readonly invocation: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly screenshots: ReadonlyArray<{ readonly name: string; readonly at: number }>
  readonly partEnds: ReadonlyMap<string, number>
}

/** The folders of tests below some folders. */
export interface Artifacts {
  readonly of: (attempt: AttemptRecorded) => ReadonlyArray<RecordedFile>
  /** The folders that hold folders of tests, one for each run of Detox. */
  readonly sessions: ReadonlyArray<{
    readonly folder: string
    /** The folder of each attempt, and the test's name in it. */
    readonly tests: ReadonlyArray<{ readonly folder: string; readonly name: string }>
  }>
}

/** File systems and archives may write an accent as a character of its own. */
const sameText = (name: string): string => name.normalize("NFC")

const inCommon = (one: string, other: string): number => {
  const [a, b] = [one.split(/[\\/]/), other.split(/[\\/]/)]
  const differs = a.findIndex((segment, at) => segment !== b[at])
  return differs === -1 ? a.length : differs
}

const failurePart = /^(test_?[Ff]n|beforeEach|afterEach|beforeAll|afterAll)Failure\.\w+$/

/** When a file was made, by its name. */
const momentOf = (name: string, attempt: AttemptRecorded): number | undefined => {
  const { endedAt, partEnds, screenshots, startedAt } = attempt
  if (name.startsWith("testStart.")) return startedAt
  const part = failurePart.exec(name)?.[1]
  if (part !== undefined) return partEnds.get(part === "testFn" ? "test_fn" : part) ?? endedAt
  return screenshots.find((taken) => sameText(screenshotName(taken.name)) === sameText(name))?.at ?? endedAt
}

/** Finds the folders of tests below the folders that are given. */
export const findArtifacts = (roots: ReadonlyArray<string>, log: ImportLog): Artifacts => {
  const byName = new Map<string, ReadonlySet<string>>()
  for (const root of roots) {
    for (const folder of foldersBelow(root)) {
      const name = sameText(basename(folder))
      byName.set(name, new Set([...(byName.get(name) ?? []), folder]))
    }
  }
  const signed = [...byName.entries()].flatMap(([name, folders]) => (/^[✓✗] /.test(name) ? [...folders] : []))
  const sessions = Array.from(groupedBy(signed, dirname), ([folder, tests]) => ({
    folder,
    tests: tests.map((test) => ({
      folder: basename(test),
      name: sameText(basename(test))
        .replace(/^. /, "")
        .replace(/ \(\d+\)$/, "")
    }))
  }))
  return {
    sessions,
    of: (attempt) => {
      const { fullName, invocation, startedAt, status, reportedBy } = attempt
      const name = sameText(folderName(fullName, status, invocation))
      const near = (folder: string) => inCommon(folder, dirname(reportedBy))
      const [folder] = [...(byName.get(name) ?? [])].toSorted((one, other) => near(other) - near(one))
      if (folder === undefined) return []
      const found: Array<RecordedFile> = []
      for (const { path } of filesBelow(folder, log)) {
        const name = path.slice(folder.length + 1).replaceAll("\\", "/")
        if (!isSendable(folder, path, log)) continue
        const { contentType, kind } = recordingType(path)
        // What Instruments and Xcode make are folders full of files that only they can read.
        if (kind === "other" && name.includes("/")) {
          log.note(`Not sent: folders such as ${name.split("/")[0]}, which only Xcode and Instruments can read.`)
          continue
        }
        const at =
          kind === "screenshot" ? momentOf(name, attempt) : kind === "log" ? logStart(path, startedAt) : undefined
        const ofFailure = failurePart.test(name)
        found.push({ path, name, kind, contentType, startedAt: at ?? startedAt, ofFailure })
      }
      return found
    }
  }
}
