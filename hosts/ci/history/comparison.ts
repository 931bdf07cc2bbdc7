/** Which failures of a CI run are new, and which its base branch has too. The host decides: docs/history.md. */
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { isIncomplete, maxImports } from "../../../core/rules/imports.ts"
import { mapConcurrent } from "../../client/mapConcurrent.ts"
import { type Client, SlipwayError, type SourceSummary, type TestOfList, type TestRun } from "../../client/index.ts"
import { type Context, ExitCode, oneOf, Stopped, unusable } from "../command/Context.ts"

/** Whose failures are compared with which branch. Without `base`, the host takes the repository's default branch. */
interface Compared {
  readonly owner: string
  readonly repo: string
  readonly source: string
  readonly base?: string | undefined
  /** The only app whose failures count. */
  readonly app?: string | undefined
}

/** How a failure compares with the base branch; `undefined` where the host's answer doesn't tell. */
export type Verdict = "new" | "known" | undefined

/** The failures of a CI run beside those of a branch. */
export interface Comparison {
  /** The branch; `undefined` where the repository has none, and every failure is new. */
  readonly base: string | undefined
  readonly verdictOf: (failed: TestRun) => Verdict
  /** The results on the base branch of a new failure whose test is flaky there; `undefined` of all others. */
  readonly flakyOnBase: (failed: TestRun) => UnstableResults | undefined
}

/** How many of the last results of a test on the base branch were flaky, or failures of an intermittent test. */
type UnstableResults = Omit<SourceSummary["flakyOnBase"][number], "id">

const keyOf = ({ app, device, file, kind, name, prompt }: TestRun): string =>
  JSON.stringify([kind, name ?? prompt, file ?? null, device?.platform ?? null, app ?? null])

const keyOfTest = ({ app, device, file, kind, name }: TestOfList): string =>
  JSON.stringify([kind, name, file ?? null, device ?? null, app ?? null])

/**
 * Asks the host. `failed` are the runs that failed in the CI run, as far as they are known: an answer that has fewer failures is
 * incomplete.
 */
export const compare = async (
  client: Client,
  { app, base, owner: org, repo, source }: Compared,
  failed: ReadonlyArray<TestRun>,
  signal: AbortSignal
): Promise<Comparison> => {
  const answer = await client.sources.read(source, { org, repo, ...withoutUndefined({ app, base }) }, { signal })
  // Hosts before the first release have no list of those that are flaky.
  const { flakyOnBase = [], known }: Partial<SourceSummary> & Pick<SourceSummary, "known"> = answer
  const unstable = new Map(flakyOnBase.map(({ id, ...results }) => [id, results]))
  // Of an import that is not complete, every run that is listed here was compared.
  const isCompared = answer.complete || isIncomplete(answer.imports)
  // What the host has in quarantine it doesn't compare; the file of the checkout may have ended that.
  const isUncompared = (run: TestRun & { readonly quarantined?: boolean }) => run.quarantined === true
  const judged = failed.filter((run) => !isUncompared(run))
  const isWhole = isCompared && new Set(judged.map(keyOf)).size <= answer.new.length + known.length
  // The names of the fewer are enough, and often there are none.
  const isNewRead = answer.new.length < known.length
  const ids = new Set(known.length === 0 ? [] : isNewRead ? answer.new : known)
  const all = [...new Set([...ids, ...unstable.keys()])]
  const tests = await mapConcurrent(all, 8, signal, (id, signal) => client.tests.read(id, {}, { signal }))
  const read = new Set(tests.filter(({ id }) => ids.has(id)).map(keyOfTest))
  const flaky = new Map(
    tests.flatMap((test) => {
      const results = unstable.get(test.id)
      return results === undefined ? [] : [[keyOfTest(test), results] as const]
    })
  )
  return {
    base: answer.base,
    flakyOnBase: (run) => flaky.get(keyOf(run)),
    verdictOf: (run) => {
      if (isUncompared(run)) return "new"
      if (isNewRead) return read.has(keyOf(run)) ? "new" : isWhole ? "known" : undefined
      return read.has(keyOf(run)) ? "known" : "new"
    }
  }
}

/** The exit code of `--fail-on new-failures`. A failure of which nobody knows whether it is new is no success. */
export const exitOf = ({ base, verdictOf }: Comparison, failed: ReadonlyArray<TestRun>): ExitCode => {
  const verdicts = failed.map(verdictOf)
  if (verdicts.includes("new")) return ExitCode.failOn
  if (!verdicts.includes(undefined)) return ExitCode.done
  throw new Stopped(
    ExitCode.host,
    `The host doesn't have every result of this CI run, so that some failures may be new on ${base ?? "it"}. With --fail-on failed, every failure counts.`
  )
}

/** Why the comparison isn't known. */
export const notCompared = (error: unknown): Stopped => {
  if (!(error instanceof SlipwayError)) throw error
  const hint = error.status === 404 ? " The host may be too old to know." : ""
  return new Stopped(ExitCode.host, `Which failures are new isn't known: ${error.message}.${hint}`)
}

const counted = (number: number): string => (number === 1 ? "1 failure is" : `${number} failures are`)

/** What the comparison found, in a line. */
export const comparisonLine = (
  { base, flakyOnBase, verdictOf }: Comparison,
  failed: ReadonlyArray<TestRun>
): string => {
  if (base === undefined) return "There is no branch to compare with: every failure is new."
  const added = failed.filter((run) => verdictOf(run) === "new").length
  const flaky = failed.filter((run) => flakyOnBase(run) !== undefined).length
  const ofFlaky = flaky === 0 ? "" : ` ${flaky} of the new ones ${flaky === 1 ? "is" : "are"} flaky on ${base}.`
  return `Compared with ${base}, ${counted(added)} new, of ${failed.length}.${ofFlaky}`
}

const failOns = ["failed", "flaky", "new-failures"] as const
/** What `--fail-on` names. */
export type FailOn = (typeof failOns)[number]

/** The value of the flag. */
export const failOnIn = (text: string | undefined): FailOn | undefined => oneOf("--fail-on", text, failOns)

/** The value of the flag, else of its variable. */
export const expectedImportsIn = (flag: string | undefined, env: Context["env"]): number | undefined => {
  const text = flag?.trim() || env["SLIPWAY_EXPECT_IMPORTS"]?.trim() || undefined
  if (text === undefined || (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= maxImports))
    return text === undefined ? undefined : Number(text)
  throw unusable(
    `--expect-imports (SLIPWAY_EXPECT_IMPORTS) must be from 1 to ${maxImports}, and is ${JSON.stringify(text)}.`
  )
}
