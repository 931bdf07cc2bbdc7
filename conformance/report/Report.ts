import { Schema } from "effect"
import { commandName } from "../config/commandName.ts"
import { Config } from "../config/Config.ts"
import { Exchange, Sent } from "../session/Exchange.ts"
import { shellWord, type Look } from "./text.ts"
import { requirements } from "../requirements/index.ts"
import type { Sentence } from "../requirements/Requirement.ts"

/**
 * How a check ended. `blocked`: what it prepares with went wrong, and the check that tests that failed. `expected-failure` is a failure that the expected-failure file names with a reason.
 */
export const Outcome = Schema.Literals([
  "passed",
  "failed",
  "blocked",
  "skipped",
  "expected-failure",
  "no-answer",
  "suite-fault"
])
export type Outcome = typeof Outcome.Type

export const Verdict = Schema.Literals(["conformant", "partial", "inconclusive", "failed"])
export type Verdict = typeof Verdict.Type

export const CheckResult = Schema.Struct({
  id: Schema.String,
  profile: Schema.Literals(["builds", "previews", "testRuns"]),
  title: Schema.String,
  /** The strongest level of the sentences that it proves. */
  level: Schema.Literals(["MUST", "SHOULD", "MAY"]),
  /** Ids of the sentences. */
  requirements: Schema.Array(Schema.String),
  outcome: Outcome,
  /** Of `failed`, `blocked` and `expected-failure`. */
  violation: Schema.optionalKey(Schema.Struct({ expected: Schema.String, came: Schema.String })),
  /** Why it was skipped, had no answer, was expected to fail, or what the suite's own fault was. */
  reason: Schema.optionalKey(Schema.String),
  /** Of `blocked`: the check that fails of the same. */
  blockedBy: Schema.optionalKey(Schema.String),
  durationMs: Schema.Finite,
  exchanges: Schema.Array(Exchange),
  /** The request that had no answer; the exchanges before it were answered. */
  unanswered: Schema.optionalKey(Sent)
})
export type CheckResult = typeof CheckResult.Type

/** What the target does where the interface leaves it open. It must be the same throughout the run. */
export const Choice = Schema.Struct({
  silence: Schema.String,
  answers: Schema.Array(Schema.Struct({ answer: Schema.Json, checks: Schema.Array(Schema.String) }))
})
export type Choice = typeof Choice.Type

/** A whole run: the requests, the answers and the results. It holds no key, no token and no signature. */
export const Report = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  suite: Schema.Struct({ version: Schema.String, digest: Schema.String }),
  interface: Schema.Struct({ digest: Schema.String }),
  run: Schema.Struct({
    id: Schema.String,
    startedAt: Schema.String,
    durationMs: Schema.Finite,
    readOnly: Schema.Boolean,
    /** A text that somebody else gave before the run; the id of the run, from which everything is drawn, follows from it. */
    challenge: Schema.optionalKey(Schema.String),
    /** The user agent of its requests. Names of branches, runs and files are drawn as well, and none names this suite. */
    agent: Schema.optionalKey(Schema.String),
    /** The ids of the checks that were planned; the same ids, in the same order, are in `checks`. */
    planned: Schema.Array(Schema.String)
  }),
  config: Config,
  /** Of each profile that is claimed. */
  verdicts: Schema.Record(Schema.String, Verdict),
  checks: Schema.Array(CheckResult),
  choices: Schema.Array(Choice),
  /** What the run made on the target, and which remains there unless it was cleaned up. */
  ledger: Schema.Array(
    Schema.Struct({
      check: Schema.String,
      what: Schema.Literals(["build", "preview", "testRun"]),
      id: Schema.String,
      url: Schema.optionalKey(Schema.String)
    })
  ),
  /** How many resources of the ledger were deleted after the run, and which remain, with the reason. */
  cleanup: Schema.optionalKey(Schema.Struct({ removed: Schema.Int, left: Schema.Array(Schema.String) })),
  /** The author's signature over the rest of the report. Both values are in base64; the key is in DER (SPKI). */
  signature: Schema.optionalKey(
    Schema.Struct({ algorithm: Schema.Literal("ed25519"), publicKey: Schema.String, value: Schema.String })
  )
})
export type Report = typeof Report.Type

/** How a result counts: its outcome, or a warning when what failed is only a SHOULD or a MAY. */
export type Standing = Outcome | "warning"

/** How each standing is shown: a mark that needs no colour, a label, the words after a number, a look, and in JUnit XML an element. */
interface StandingWords {
  readonly mark: string
  readonly label: string
  readonly count: string
  readonly look: Look
  readonly element?: "failure" | "error" | "skipped"
}

/** Every standing, the most serious first. In JUnit XML, warnings and expected failures don't fail the job, just as they don't change the exit code. */
export const standings: Readonly<Record<Standing, StandingWords>> = {
  failed: { mark: "✗", label: "Failed", count: "failed", look: "bad", element: "failure" },
  "no-answer": { mark: "!", label: "No answer", count: "without an answer", look: "bad", element: "error" },
  "suite-fault": { mark: "?", label: "Fault of the suite", count: "not judged", look: "bad", element: "error" },
  blocked: { mark: "⊘", label: "Blocked", count: "blocked", look: "warning", element: "skipped" },
  "expected-failure": {
    mark: "≈",
    label: "Expected to fail",
    count: "expected to fail",
    look: "warning",
    element: "skipped"
  },
  warning: { mark: "▲", label: "Warning", count: "warned", look: "warning", element: "skipped" },
  skipped: { mark: "–", label: "Skipped", count: "skipped", look: "faint", element: "skipped" },
  passed: { mark: "✓", label: "Passed", count: "passed", look: "good" }
}

const isStanding = (name: string): name is Standing => Object.hasOwn(standings, name)

/** The names of the standings, the most serious first. */
export const bySeriousness = Object.keys(standings).filter(isStanding)

/** The standing of a result. */
export const standingOf = ({ level, outcome }: Pick<CheckResult, "level" | "outcome">): Standing =>
  outcome === "failed" && level !== "MUST" ? "warning" : outcome

/** How many results there are of each standing that occurs, the most serious first. */
export const tally = (
  results: ReadonlyArray<Pick<CheckResult, "level" | "outcome">>
): ReadonlyArray<{ readonly standing: Standing; readonly count: number }> =>
  bySeriousness.flatMap((standing) => {
    const count = results.filter((one) => standingOf(one) === standing).length
    return count === 0 ? [] : [{ standing, count }]
  })

/** `2 failed, 61 passed`. */
export const tallyText = (results: ReadonlyArray<Pick<CheckResult, "level" | "outcome">>): string =>
  tally(results)
    .map(({ count, standing }) => `${count} ${standings[standing].count}`)
    .join(", ")

/** Whether a result needs a repair, of the target or of the suite. */
export const needsFix = (result: Pick<CheckResult, "level" | "outcome">): boolean =>
  ["failed", "no-answer", "suite-fault"].includes(standingOf(result))

/**
 * The command that makes one check of a report again, and nothing else. The keys, and what else a config file says, are to
 * be there as they were: `configFile` names it where it isn't the usual one.
 */
export const rerun = (
  { config, run }: Pick<Report, "config" | "run">,
  checkId: string,
  configFile: string | undefined
): string =>
  [
    `npx ${commandName}`,
    ...(configFile === undefined ? [] : ["--config", shellWord(configFile)]),
    "--url",
    shellWord(config.url),
    "--only",
    shellWord(checkId),
    ...(run.readOnly ? ["--read-only"] : [])
  ].join(" ")

const byId = new Map(requirements.map((one) => [one.id, one]))

/** The sentences of the interface that a check proves. Sentences that this suite doesn't know are left out. */
export const sentencesOf = ({ requirements }: Pick<CheckResult, "requirements">): ReadonlyArray<Sentence> =>
  requirements.flatMap((id) => byId.get(id) ?? [])

type ProfileName = CheckResult["profile"]

/** The names of the profiles. */
export const profileNames: Readonly<Record<ProfileName, string>> = {
  builds: "builds",
  previews: "previews",
  testRuns: "test runs"
}

/** `builds, previews and test runs`. */
export const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** `1 check`, `2 checks`. */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`

/** A length of time: `250 ms`, `2.1 s`, `3 min 5 s`. */
export const durationText = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toLocaleString("en-GB", { maximumFractionDigits: 1 })} s`
  return `${Math.floor(Math.round(seconds) / 60)} min ${Math.round(seconds) % 60} s`
}

/** The names of the kinds of resources that a run creates. */
export const resourceNames = { build: "build", preview: "preview", testRun: "test run" } as const

/** `3 builds and 1 preview`. */
export const resourcesText = (ledger: Report["ledger"]): string =>
  listed([...Map.groupBy(ledger, ({ what }) => what)].map(([what, all]) => counted(all.length, resourceNames[what])))

/** The profiles that a report judges, with their verdicts, in the order in which they are claimed. */
export const verdictsIn = (
  report: Pick<Report, "config" | "verdicts">
): ReadonlyArray<{ readonly profile: ProfileName; readonly name: string; readonly verdict: Verdict }> =>
  report.config.profiles.flatMap((profile) => {
    const verdict = report.verdicts[profile]
    return verdict === undefined ? [] : [{ profile, name: profileNames[profile], verdict }]
  })

/**
 * `Harbour 2.1 of Acme (ci@acme.example)`: whose implementation a report is about; empty if the config doesn't name it.
 */
export const implementationText = ({ config: { implementation } }: Pick<Report, "config">): string => {
  if (implementation === undefined) return ""
  const { contact, name, organisation, version } = implementation
  return `${name}${version === undefined ? "" : ` ${version}`} of ${organisation}${contact === undefined ? "" : ` (${contact})`}`
}

/** What each verdict means. */
export const verdictMeanings: Readonly<Record<Verdict, string>> = {
  conformant: "every check of a sentence that binds (MUST) was made and passed",
  partial: "no such check failed, but some were skipped, are expected to fail or were not made",
  inconclusive: "no such check failed, but a request had no answer, so not all of them could be judged",
  failed: "a check of a sentence that binds failed"
}
