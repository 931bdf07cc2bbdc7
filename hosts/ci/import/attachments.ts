/** The files that a report names as attachments: a report of a strange job may name any file of the machine. */
import ignore from "ignore"
import { readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { isWithin, realPath, specialKind, statOf } from "../command/walk.ts"
import { isFile, isSendable, recordingType, repositoryOf } from "./files.ts"
import type { ImportLog } from "./ImportLog.ts"

/** A path as patterns have it. */
const slashed = (path: string): string => path.replaceAll("\\", "/")

/** The rules of a `.gitignore` without those that cover the root itself: results are often ignored as a whole. */
const rulesIn = (folder: string, root: string) => {
  const file = join(folder, ".gitignore")
  if (!isFile(file)) return undefined
  let lines = readFileSync(file, "utf8").split(/\r?\n/)
  const of = slashed(relative(folder, root))
  for (;;) {
    const rules = ignore().add(lines)
    const covering = of === "" || !isWithin(folder, root) ? undefined : rules.test(`${of}/`).rule
    if (covering === undefined) return rules
    lines = lines.filter((line) => line.trim() !== covering.pattern.trim())
  }
}

/** Whether git ignores a file below a root: the rules nearest to it decide. */
const isIgnored = (root: string, file: string, cwd: string): boolean => {
  const top = repositoryOf(root) ?? (isWithin(cwd, root) ? cwd : root)
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const { ignored = false, unignored = false } = rulesIn(folder, root)?.test(slashed(relative(folder, file))) ?? {}
    if (ignored || unignored) return ignored
    if (folder === top || folder === dirname(folder)) return false
  }
}

/**
 * The attachment of a path in a report, from the folder of the report or from the working folder. It lies below the
 * folder of the report or below one of the folders of the command line, and neither git ignores it, but for pictures,
 * nor looks it like a secret. All others are reported, and not sent.
 */
export const attachedFile = (
  path: string,
  report: string,
  named: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): string | undefined => {
  const folder = dirname(report)
  const places = path.includes("\0") ? [] : [resolve(folder, path), resolve(cwd, path)]
  const file = places.find(isFile)
  const real = file === undefined ? undefined : realPath(file)
  if (file === undefined || real === undefined) {
    const found = places.map(statOf).find((one) => one !== undefined)
    const what = found === undefined ? "doesn't exist" : `is ${specialKind(found) ?? "a folder"}`
    log.problem({ file: report, reason: `It names ${JSON.stringify(path)}, which ${what}.` })
    return undefined
  }
  const roots = [folder, ...named.map((one) => resolve(cwd, one))].filter((one) => statOf(one)?.isDirectory() === true)
  const root = roots.find((one) => isWithin(one, file) && isWithin(realPath(one) ?? one, real))
  if (root === undefined) {
    const reason = `It names ${JSON.stringify(path)}, which is outside of its folder and of the folders of the command line.`
    log.problem({ file: report, reason })
    return undefined
  }
  if (!isSendable(root, file, log)) return undefined
  const { kind } = recordingType(file)
  const isPicture = kind === "screenshot" || kind === "video"
  if (!isPicture && (isIgnored(root, file, cwd) || isIgnored(realPath(root) ?? root, real, realPath(cwd) ?? cwd))) {
    log.note(`Not sent: ${file}. A .gitignore covers it; name its folder to send it.`)
    return undefined
  }
  return file
}
