/** The results of a test as adapters store them: see `PackedResults`. */
import { Schema, SchemaTransformation } from "effect"
import type { PastRun, TestResult } from "../model/TestHistory.ts"
import { TestRunId } from "../model/TestRun.ts"

type PackedText = string | 0

type PackedRun = readonly [
  runId: string,
  at: number,
  status: "p" | "f" | "q" | "P" | "F" | "Q",
  durationMs: number | null,
  commitSha: PackedText,
  branch: PackedText,
  source: PackedText,
  device: PackedText,
  message: PackedText,
  job: PackedText
]

/** A run with both outcomes has an upper-case letter. */
const letters = {
  plain: { passed: "p", failed: "f", quarantined: "q" },
  mixed: { passed: "P", failed: "F", quarantined: "Q" }
} as const

const packRun = ({
  at,
  source,
  branch,
  commitSha,
  device,
  durationMs,
  job,
  message,
  mixed,
  quarantined,
  runId,
  status
}: PastRun): PackedRun => [
  runId,
  at,
  letters[mixed === true ? "mixed" : "plain"][quarantined === true ? "quarantined" : status],
  durationMs ?? null,
  commitSha ?? 0,
  branch ?? 0,
  source ?? 0,
  device ?? 0,
  message ?? 0,
  job ?? 0
]

const unpackRun = (packed: PackedRun): PastRun => {
  const [runId, at, letter, durationMs, commitSha, branch, source, device, message, job] = packed
  const run: { -readonly [K in keyof PastRun]: PastRun[K] } = {
    runId: TestRunId.make(runId),
    at,
    status: letter === "p" || letter === "P" ? "passed" : "failed"
  }
  if (letter === "P" || letter === "F" || letter === "Q") run.mixed = true
  if (letter === "q" || letter === "Q") run.quarantined = true
  if (durationMs !== null) run.durationMs = durationMs
  if (commitSha !== 0) run.commitSha = commitSha
  if (branch !== 0) run.branch = branch
  if (source !== 0) run.source = source
  if (device !== 0) run.device = device
  if (message !== 0) run.message = message
  if (job !== 0) run.job = job
  return run
}

type PackedResult = readonly [ciRun: string, run: PackedRun, ...earlier: ReadonlyArray<PackedRun>]

/** What a store has of results that were read: the text of each, and those that it replaces rarely. */
interface Stored {
  readonly texts: ReadonlyMap<TestResult, string>
  readonly base: ReadonlyArray<TestResult>
}
const storedOf = new WeakMap<ReadonlyArray<TestResult>, Stored>()

const between = ",\n"
const beforeRecent = "]\n["
/** Results are stored beside the base until they are longer than this. PostgreSQL keeps so short a text in the row. */
const mostRecentCharacters = 2000

/** The first `total` of recent results and of those in the base that they don't replace. */
const withBase = (recent: ReadonlyArray<TestResult>, base: ReadonlyArray<TestResult>, total: number) => {
  const replaced = new Set(recent.map(({ ciRun }) => ciRun))
  return [...recent, ...base.filter(({ ciRun }) => !replaced.has(ciRun))].slice(0, total)
}

const unpackResults = (text: string): ReadonlyArray<TestResult> => {
  const texts = new Map<TestResult, string>()
  const unpack = (part: string): ReadonlyArray<TestResult> => {
    const each = part.split(between)
    return (JSON.parse(`[${part}]`) as ReadonlyArray<PackedResult>).map(([ciRun, run, ...earlier], at) => {
      const result: TestResult = { ciRun, runs: [unpackRun(run), ...earlier.map(unpackRun)] }
      texts.set(result, each[at] ?? "")
      return result
    })
  }
  const [first = "", recent = ""] = text.slice(1, -1).split(beforeRecent)
  const base = unpack(first)
  const end = recent.indexOf(between)
  const results =
    end === -1 ? base : withBase(unpack(recent.slice(end + between.length)), base, Number(recent.slice(0, end)))
  storedOf.set(results, { texts, base })
  return results
}

const packed = (results: ReadonlyArray<TestResult>, stored: Stored | undefined): string =>
  results
    .map((result) => stored?.texts.get(result) ?? JSON.stringify([result.ciRun, ...result.runs.map(packRun)]))
    .join(between)

/**
 * The text of results as a store keeps them. `read` are the results that were read of the same history: a run changes few of them, and
 * the texts of the others are used again.
 */
export const packResults = (results: ReadonlyArray<TestResult>, read: ReadonlyArray<TestResult> = []): string =>
  `[${packed(results, storedOf.get(read))}]`

/**
 * The text to store after the one that the base of `read` was read from: the results that are new or changed, so that a run doesn't
 * write all. `undefined` if the base must be replaced by {@link packResults}.
 */
export const packRecent = (
  results: ReadonlyArray<TestResult>,
  read: ReadonlyArray<TestResult> = []
): string | undefined => {
  const stored = storedOf.get(read)
  if (stored === undefined) return undefined
  const recent = results.slice(
    0,
    results.findIndex((result) => stored.base.includes(result))
  )
  const next = withBase(recent, stored.base, results.length)
  const isSame = next.length === results.length && next.every((result, at) => result === results[at])
  if (recent.length === 0 || !isSame) return undefined
  const text = `\n[${results.length}${between}${packed(recent, stored)}]`
  return text.length > mostRecentCharacters ? undefined : text
}

/**
 * Results as a store keeps them: a text of a third of the length, which is read and written at every run that is registered, ten
 * times as fast as a schema could. A store that doesn't keep it as it is written can't read it.
 */
export const PackedResults = Schema.String.pipe(
  Schema.decodeTo(
    Schema.declare((value): value is ReadonlyArray<TestResult> => Array.isArray(value)),
    SchemaTransformation.transform({
      decode: unpackResults,
      encode: (results) => packResults(results)
    })
  )
)
