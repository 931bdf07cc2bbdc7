/** Splits the files of tests over the jobs of a CI run by how long they took before: the same answer in each job. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, dirname, relative, resolve, sep } from "node:path"
import { promisify } from "node:util"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { groupedBy, testIdentity } from "../../../core/rules/attempts.ts"
import type { TestRun } from "../../client/index.ts"
import { type Context, ExitCode, unusable } from "../command/Context.ts"
import { readRuns } from "../comment/report.ts"
import type { Input, shardOptions } from "../command/options.ts"
import { statOf, walk } from "../command/walk.ts"
import { asking, required, settingsOf } from "../settings/settings.ts"

const median = (numbers: ReadonlyArray<number>): number | undefined =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)]

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * The files of each shard: the longest file first, each to the shard with the least so far. A file of unknown duration counts as the
 * median of the others. Durations are in milliseconds.
 */
export const sharded = (
  files: ReadonlyArray<string>,
  durationOf: (file: string) => number | undefined,
  count: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const known = files.flatMap((file) => durationOf(file) ?? [])
  const usual = median(known) ?? 1
  const shards = Array.from({ length: count }, () => ({ sum: 0, files: new Array<string>() }))
  const longestFirst = [...new Set(files)]
    .map((file) => ({ file, duration: durationOf(file) ?? usual }))
    .toSorted((a, b) => b.duration - a.duration || byText(a.file, b.file))
  for (const { duration, file } of longestFirst) {
    const least = shards.reduce((one, other) =>
      other.sum < one.sum || (other.sum === one.sum && other.files.length < one.files.length) ? other : one
    )
    least.files.push(file)
    least.sum += duration
  }
  return shards.map((shard) => shard.files.toSorted(byText))
}

/**
 * How long each file takes: of each of its tests the median of its runs, of passed ones if there are some. A report may know the name of
 * a flow's file alone.
 */
const durationsOf = (runs: ReadonlyArray<TestRun>): ((file: string) => number | undefined) => {
  const timed = runs.filter(({ durationMs, file }) => file !== undefined && durationMs !== undefined)
  const byFile = new Map<string, number>()
  for (const of of groupedBy(timed, testIdentity).values()) {
    const passed = of.filter(({ status }) => status === "passed")
    const usual = median((passed.length > 0 ? passed : of).flatMap(({ durationMs }) => durationMs ?? []))
    const file = of[0]?.file ?? ""
    byFile.set(file, (byFile.get(file) ?? 0) + (usual ?? 0))
  }
  return (file) => byFile.get(file) ?? byFile.get(basename(file).replace(/\.ya?ml$/, ""))
}

const isFlow = /\.ya?ml$/
const isTestFile = /\.(?:test|spec|e2e)\.[cm]?[jt]sx?$/

/** Maestro runs the flows that lie directly in a folder, and no settings. Files of Jest are found below it too. */
const filesIn = function* (folder: string): Generator<string> {
  const skips = (_above: string, name: string) => name === "node_modules" || name.startsWith(".")
  for (const { names, path } of walk(folder, { skips, followsFolders: false, leftOut: () => {} })) {
    if (names !== undefined) continue
    if (isTestFile.test(path)) yield path
    else if (dirname(path) === folder && isFlow.test(path) && /^---\s*$/m.test(readFileSync(path, "utf8"))) yield path
  }
}

/** The moment that is the same in all jobs: a while before the commit that is checked out. */
const beforeOf = async (text: string | undefined, cwd: string): Promise<number> => {
  if (text !== undefined) {
    const at = Date.parse(text)
    if (Number.isNaN(at))
      throw unusable(`--before must be a time such as 2026-11-20T18:00:00Z, and is ${JSON.stringify(text)}.`)
    return at
  }
  const committed = await promisify(execFile)("git", ["log", "-1", "--format=%ct"], { cwd }).then(
    ({ stdout }) => Number(stdout) * 1000,
    () => Number.NaN
  )
  const at = committed - 600_000
  if (at < Date.now()) return at
  throw unusable(
    "All jobs must use the same durations: those of runs before the commit. The checkout has no commit, or one of the future: give a time that all jobs share with --before."
  )
}

/** So many runs before the moment count at most, and only newer ones than this: what is older may expire while jobs read. */
const maxRuns = 2000
const maxAgeMs = 14 * 86_400_000

/** Prints the files of one shard. */
export const shard = async (
  { positionals, values }: Input<typeof shardOptions>,
  context: Context
): Promise<ExitCode> => {
  const { before, index: indexText, of: ofText, ...given } = values
  const { cwd, err, out, signal } = context
  const [index, of] = [indexText, ofText].map((text) => (/^[1-9]\d{0,2}$/.test(text ?? "") ? Number(text) : 0))
  if (index === undefined || !of || index === 0 || index > of)
    throw unusable(
      "shard needs --index and --of, such as --index 2 --of 4: from 1 to the number of shards, at most 999."
    )
  if (positionals.length === 0) throw unusable("shard needs the files of the tests, or folders that hold them.")
  const files = positionals.flatMap((path) => {
    const file = resolve(cwd, path)
    const found = statOf(file)
    if (found === undefined) throw unusable(`There is no ${path} in ${cwd}.`)
    return (found.isDirectory() ? [...filesIn(file)] : [file]).map((one) => relative(cwd, one).split(sep).join("/"))
  })
  if (files.length === 0) throw unusable(`There are no flows and no files of tests in ${positionals.join(", ")}.`)
  const settings = required(await settingsOf(given, context), "url", "owner", "repo")
  const { app, owner: org, repo } = settings
  const until = await beforeOf(before, cwd)
  const at = (run: TestRun | undefined) => Date.parse(run?.createdAt ?? "")
  const isCounted = (run: TestRun) => at(run) < until && at(run) >= until - maxAgeMs
  const runs = await asking(settings, (client) =>
    readRuns(
      client,
      { org, repo, ...withoutUndefined({ app }) },
      signal,
      (all) => at(all.at(-1)) < until - maxAgeMs || all.filter(isCounted).length >= maxRuns
    )
  )
  // Exactly the same ones in each job, whatever was registered meanwhile.
  const durationOf = durationsOf(runs.filter(isCounted).slice(0, maxRuns))
  const known = files.filter((file) => durationOf(file) !== undefined).length
  const own = sharded(files, durationOf, of)[index - 1] ?? []
  for (const file of own) out(file)
  err(`Shard ${index} of ${of}: ${own.length} of ${new Set(files).size} files. The durations of ${known} are known.`)
  return ExitCode.done
}
