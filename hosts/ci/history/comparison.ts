/** Which failures of a CI run are new, and which its base branch has too. The host decides: docs/history.md. */
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { isIncomplete, maxImports } from "../../../core/rules/imports.ts"
import { mapConcurrent } from "../../client/mapConcurrent.ts"
import { type Client, type ListTests, SlipwayError, type TestOfList, type TestRun } from "../../client/index.ts"
import { type Context, ExitCode, Stopped, unusable } from "../command/Context.ts"
import type { Input, testsOptions } from "../command/options.ts"
import { plainLine } from "../../../core/model/plainText.ts"
import { asking, required, settingsOf } from "../settings/settings.ts"

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
}

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
  const { known } = answer
  // Of an import that is not complete, every run that is listed here was compared.
  const isCompared = answer.complete || isIncomplete(answer.imports)
  const isWhole = isCompared && new Set(failed.map(keyOf)).size <= answer.new.length + known.length
  // The names of the fewer are enough, and often there are none.
  const isNewRead = answer.new.length < known.length
  const ids = known.length === 0 ? [] : isNewRead ? answer.new : known
  const tests = await mapConcurrent(ids, 8, signal, (id, signal) => client.tests.read(id, {}, { signal }))
  const read = new Set(tests.map((test) => keyOfTest(test)))
  return {
    base: answer.base,
    verdictOf: (run) =>
      isNewRead
        ? read.has(keyOf(run))
          ? "new"
          : isWhole
            ? "known"
            : undefined
        : read.has(keyOf(run))
          ? "known"
          : "new"
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
export const comparisonLine = ({ base, verdictOf }: Comparison, failed: ReadonlyArray<TestRun>): string => {
  const added = failed.filter((run) => verdictOf(run) === "new").length
  return base === undefined
    ? "There is no branch to compare with: every failure is new."
    : `Compared with ${base}, ${counted(added)} new, of ${failed.length}.`
}

const failOns = ["failed", "flaky", "new-failures"] as const
/** What `--fail-on` names. */
export type FailOn = (typeof failOns)[number]

/** The value of the flag. */
export const failOnIn = (text: string | undefined): FailOn | undefined => {
  const found = failOns.find((one) => one === text)
  if (text === undefined || found !== undefined) return found
  throw unusable(`--fail-on must be ${failOns.join(" or ")}, and is ${JSON.stringify(text)}.`)
}

/** The value of the flag, else of its variable. */
export const expectedImportsIn = (flag: string | undefined, env: Context["env"]): number | undefined => {
  const text = flag?.trim() || env["SLIPWAY_EXPECT_IMPORTS"]?.trim() || undefined
  if (text === undefined || (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= maxImports))
    return text === undefined ? undefined : Number(text)
  throw unusable(
    `--expect-imports (SLIPWAY_EXPECT_IMPORTS) must be from 1 to ${maxImports}, and is ${JSON.stringify(text)}.`
  )
}

const readAll = async (client: Client, query: ListTests, signal: AbortSignal): Promise<ReadonlyArray<TestOfList>> => {
  const all: Array<TestOfList> = []
  for (let cursor: string | undefined; ;) {
    const page = await client.tests.list({ ...query, limit: 100, ...withoutUndefined({ cursor }) }, { signal })
    all.push(...page.tests)
    if (page.cursor === undefined) return all
    cursor = page.cursor
  }
}

const line = ({
  app,
  device,
  failed,
  failingSince,
  flakyRuns,
  lastMessage,
  lastStatus,
  name,
  runs
}: TestOfList): string =>
  [
    `${lastStatus === "passed" ? "✓" : "✗"} ${plainLine(name, 120)}`,
    app === undefined ? "" : plainLine(app, 100),
    device === undefined ? "" : plainLine(device, 40),
    `${failed} of ${runs} failed`,
    flakyRuns === 0 ? "" : `${flakyRuns} flaky`,
    failingSince === undefined ? "" : `since ${failingSince.commitSha?.slice(0, 10) ?? "a run"} of ${failingSince.at}`,
    failingSince === undefined || lastMessage === undefined ? "" : plainLine(lastMessage, 200)
  ]
    .filter((text) => text !== "")
    .join(" · ")

/** Lists the tests of a repository. */
export const tests = async ({ values }: Input<typeof testsOptions>, context: Context): Promise<ExitCode> => {
  const { branch, broken, flaky, json, ...given } = values
  if (broken === true && flaky === true) throw unusable("Give --broken or --flaky, not both.")
  const settings = required(await settingsOf(given, context), "url", "owner", "repo")
  const { app, owner: org, repo } = settings
  const query: ListTests = {
    org,
    repo,
    ...withoutUndefined({ app, branch }),
    ...(broken === true ? { status: "failed" } : {}),
    ...(flaky === true ? { flaky } : {})
  }
  const found = await asking(settings, (client) => readAll(client, query, context.signal))
  if (json === true) context.out(JSON.stringify({ tests: found }))
  else {
    for (const test of found) context.out(line(test))
    context.err(`${found.length} ${found.length === 1 ? "test" : "tests"}.`)
  }
  return ExitCode.done
}
