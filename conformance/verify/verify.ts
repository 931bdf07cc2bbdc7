import { Effect, Schema, SchemaIssue } from "effect"
import type { Check } from "../checks/steps.ts"
import { checks as allChecks } from "../checks/index.ts"
import { interfaceDigest } from "../requirements/index.ts"
import { suite } from "../run/suite.ts"
import { counted, Outcome, Report, Verdict, type CheckResult } from "../report/Report.ts"
import { isDeepStrictEqual } from "node:util"
import {
  block,
  choicesOf,
  judgeChoices,
  rejudge,
  verdictsOf,
  type Ended,
  type Judged,
  type Planned
} from "../run/judge.ts"
import { challengedId, rehearsal, saltDigits, wholePlan } from "../run/plan.ts"
import { excerpt, oneLine } from "../report/text.ts"
import { plain, type Paint } from "../report/console.ts"
import { isObject } from "../dialect/Dialect.ts"
import { signatureOf } from "../report/files.ts"
import type { CreatedResource, Observation } from "../session/Session.ts"

/** What this suite is, against which a report is held. */
interface Suite {
  readonly version: string
  readonly digest: string
  readonly interfaceDigest: string
  readonly checks: ReadonlyArray<Check>
}

/** The suite that runs. */
export const thisSuite: Effect.Effect<Suite> = Effect.map(suite, (known) => ({
  ...known,
  interfaceDigest,
  checks: allChecks
}))

const changed = <S extends Schema.Top>(schema: S) => ({
  before: Schema.optionalKey(schema),
  after: Schema.optionalKey(schema)
})

/** What changed from one report to another. A side that is missing had nothing of the kind. */
export const Difference = Schema.Struct({
  /** What the runs were made of and by: `target`, `suite version`, `suite digest`, `interface digest`. */
  ground: Schema.Array(Schema.Struct({ what: Schema.String, ...changed(Schema.String) })),
  verdicts: Schema.Array(Schema.Struct({ profile: Schema.String, ...changed(Verdict) })),
  checks: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      ...changed(Outcome),
      /** What came, or why, where the outcome is other than passed. */
      reason: Schema.optionalKey(Schema.String)
    })
  ),
  choices: Schema.Array(Schema.Struct({ silence: Schema.String, ...changed(Schema.Array(Schema.Json)) }))
})
export type Difference = typeof Difference.Type

/** A false claim of a report. */
const Finding = Schema.Struct({
  /** The id of a check, or the part of the report. */
  about: Schema.String,
  /** For a person, in one sentence. */
  sentence: Schema.String
})
type Finding = typeof Finding.Type

/** What came of judging a recorded run again. */
export const Verification = Schema.Struct({
  /** `confirmed`: its answers mean what the report says, by this suite. */
  verdict: Schema.Literals(["confirmed", "not confirmed"]),
  /** Of the report's url; `undefined` when it is no report. */
  url: Schema.optionalKey(Schema.String),
  /** How many checks were judged again. */
  checks: Schema.Int,
  findings: Schema.Array(Finding),
  /** The verdicts that follow from the recorded answers, by profile. */
  verdicts: Schema.Record(Schema.String, Verdict),
  /** The fingerprint of the key whose signature fits the report; `undefined` when it isn't signed. */
  signedBy: Schema.optionalKey(Schema.String),
  /** Notes for readers of the verdicts, each a sentence. */
  notes: Schema.Array(Schema.String)
})
export type Verification = typeof Verification.Type

/** It is no report. Each sentence says where it isn't one. */
class NoReport extends Schema.TaggedError<NoReport>()("NoReport", { sentences: Schema.Array(Schema.String) }) {}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The maximum number of reported mismatches. */
const most = 20

const decode = Schema.decodeUnknownEffect(Report)

/** What was parsed from a file as a report, or why it isn't one. Whatever the file holds, this ends. */
export const decodeReport = (said: unknown): Effect.Effect<Report, NoReport> =>
  decode(said, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError(({ issue }) => {
      const { issues } = formatIssues(issue)
      const sentences = issues
        .slice(0, most)
        .map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
      return new NoReport({ sentences })
    })
  )

/** A name under which two sides hold something else. A side that is missing has nothing there. */
interface Change<A> {
  readonly name: string
  readonly before?: A
  readonly after?: A
}

/** Every name that either side has and whose values differ, in the order in which they are met. */
const changes = <A>(before: ReadonlyMap<string, A>, after: ReadonlyMap<string, A>): ReadonlyArray<Change<A>> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    const sides = { ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }
    return isDeepStrictEqual(was, is) ? [] : [{ name, ...sides }]
  })

const groundOf = ({ config, interface: { digest }, suite }: Report) =>
  new Map([
    ["target", config.url],
    ["suite version", suite.version],
    ["suite digest", suite.digest],
    ["interface digest", digest]
  ])

const verdictMap = ({ verdicts }: Report) => new Map(Object.entries(verdicts))

const outcomesOf = ({ checks }: Report) => new Map(checks.map(({ id, outcome }) => [id, outcome]))

/** What of a choice is compared: the answers, whichever checks saw them. */
const answersOf = ({ choices }: Report) =>
  new Map(choices.map(({ answers, silence }) => [silence, answers.map(({ answer }) => answer)]))

const reasonOf = ({ outcome, reason, violation }: CheckResult): string | undefined =>
  outcome === "passed" ? undefined : (violation?.came ?? reason)

/** What changed from one report to another: what was run, verdicts, outcomes and choices. */
export const diff = (before: Report, after: Report): Difference => ({
  ground: changes(groundOf(before), groundOf(after)).map(({ name, ...sides }) => ({ what: name, ...sides })),
  verdicts: changes(verdictMap(before), verdictMap(after)).map(({ name, ...sides }) => ({ profile: name, ...sides })),
  checks: changes(outcomesOf(before), outcomesOf(after)).map(({ name, ...sides }) => {
    const result = after.checks.find(({ id }) => id === name)
    const reason = result === undefined ? undefined : reasonOf(result)
    return { id: name, ...sides, ...(reason === undefined ? {} : { reason }) }
  }),
  choices: changes(answersOf(before), answersOf(after)).map(({ name, ...sides }) => ({ silence: name, ...sides }))
})

const differs = (about: string, sentence: string, claimed: unknown, found: unknown): ReadonlyArray<Finding> =>
  isDeepStrictEqual(claimed, found) ? [] : [{ about, sentence }]

/** A report must be by this version of the suite, and about the interface that it knows. */
const findInVersions = (report: Pick<Report, "suite" | "interface">, known: Suite): ReadonlyArray<Finding> => {
  const { interfaceDigest, version } = known
  const needed = report.suite.version
  const where = `git log --format=%h -1 -S 'version: "${needed}"' -- conformance/run/suite.ts`
  return [
    ...differs(
      "suite",
      `The report needs version ${needed} of the suite, and this is ${version}. In a checkout, \`${where}\` shows a commit that has it.`,
      needed,
      version
    ),
    ...differs(
      "interface",
      `The report is about another text of the interface (${report.interface.digest}) than this suite's (${interfaceDigest}).`,
      report.interface.digest,
      interfaceDigest
    )
  ]
}

/** The reported ids must be the planned ones, each once, and each a check of this suite and of the claimed profiles. */
const findInPlan = (
  { checks, run: { planned } }: Pick<Report, "checks" | "run">,
  whole: ReadonlyArray<Pick<Planned, "id">>
): ReadonlyArray<Finding> => {
  const reported = checks.map(({ id }) => id)
  const ordered = whole.filter(({ id }) => planned.includes(id)).map(({ id }) => id)
  const wrong: ReadonlyArray<readonly [ids: ReadonlyArray<string>, text: string]> = [
    [planned.filter((id) => !reported.includes(id)), "was planned and is not reported."],
    [reported.filter((id) => !planned.includes(id)), "is reported and was not planned."],
    [planned.filter((id, index) => planned.indexOf(id) !== index), "was planned twice."],
    [planned.filter((id) => !ordered.includes(id)), "is no check of this suite for the claimed profiles."]
  ]
  const findings = wrong.flatMap(([ids, text]) => ids.map((id) => ({ about: "plan", sentence: `${id} ${text}` })))
  return findings.length > 0
    ? findings
    : differs("plan", "The checks are not in the order of the suite.", [planned, planned], [reported, ordered])
}

/** The report must describe a check as this suite does. */
const findInDescription = (result: CheckResult, planned: Planned): ReadonlyArray<Finding> =>
  (["profile", "title", "level", "requirements"] as const).flatMap((field) => {
    const sentence = `Its ${field} is ${JSON.stringify(planned[field])}, not ${JSON.stringify(result[field])}.`
    return differs(result.id, sentence, result[field], planned[field])
  })

/** What was created at once is in the order of the answers, which nothing records. */
const inOrder = (ledger: Report["ledger"]): ReadonlyArray<string> =>
  ledger.map((resource) => JSON.stringify(resource)).toSorted()

/** The register of choices and the ledger must follow from the recorded answers. */
const findInRegisters = (
  report: Report,
  choices: Report["choices"],
  ledger: Report["ledger"]
): ReadonlyArray<Finding> => [
  ...differs("choices", "The register of choices doesn't follow from the recorded answers.", report.choices, choices),
  ...differs("ledger", "The ledger doesn't follow from the recorded answers.", inOrder(report.ledger), inOrder(ledger))
]

/** The verdicts must follow from the recorded answers. */
const findInVerdicts = (claimed: Report["verdicts"], found: Verification["verdicts"]): ReadonlyArray<Finding> => {
  const entries = (verdicts: Verification["verdicts"]) => new Map(Object.entries(verdicts))
  return changes(entries(claimed), entries(found)).map(({ after = "not asked for", before = "missing", name }) => ({
    about: "verdicts",
    sentence: `The report says of ${name}: ${before}; from the recorded answers follows: ${after}.`
  }))
}

/** What is compared of a result. A fault of the suite names where it happened, which differs from machine to machine. */
/** Of requests at once, any may be the last. */
const lastRequest = / The last request was sent [^]*?(?= After \d+ of )/

const compared = ({ blockedBy, outcome, reason, violation }: Judged) => ({
  violation: violation && { ...violation, came: violation.came.replace(lastRequest, "") },
  blockedBy,
  reason: outcome === "expected-failure" || outcome === "suite-fault" ? undefined : reason
})

const sentenceOf = ({ outcome, reason, violation }: Judged): string => {
  if (violation !== undefined) return `${outcome} (expected: ${violation.expected}; came: ${violation.came})`
  return reason === undefined ? outcome : `${outcome} (${reason})`
}

/**
 * Compares what a report claims of a check with what follows from its recording: the outcome that counts for the
 * verdict, and the findings. Only the report's author knows whether a failure was expected.
 */
const compareOutcome = (
  claimed: CheckResult,
  judged: Judged
): { readonly outcome: Outcome; readonly findings: ReadonlyArray<Finding> } => {
  const isExpected =
    claimed.outcome === "expected-failure" && (judged.outcome === "failed" || judged.outcome === "no-answer")
  if (claimed.outcome !== judged.outcome && !isExpected) {
    const sentence = `The report says ${claimed.outcome}, and the recorded answers show ${sentenceOf(judged)}.`
    return { outcome: judged.outcome, findings: [{ about: claimed.id, sentence }] }
  }
  const { id, outcome } = claimed
  const sentence = `The report gives another reason than the recorded answers show: ${sentenceOf(judged)}.`
  return { outcome, findings: differs(id, sentence, compared(claimed), compared({ ...judged, outcome })) }
}

type Changed = Difference["checks"][number]

const side = (value: unknown): string =>
  value === undefined ? "nothing" : excerpt(oneLine(typeof value === "string" ? value : JSON.stringify(value)), 200)

const arrow = ({ after, before }: { readonly before?: unknown; readonly after?: unknown }): string =>
  `${side(before)} → ${side(after)}`

const why = ({ reason }: Changed): string => (reason === undefined ? "" : `: ${excerpt(oneLine(reason), 300)}`)

/** Whether a check passed before and, made again, doesn't now. */
export const isWorse = ({ after, before }: Changed): boolean => before === "passed" && after !== undefined

/** Where a change of outcome belongs, the worse first. */
const groups: ReadonlyArray<{
  readonly title: string
  readonly look: "bad" | "good" | "faint"
  readonly has: (changed: Changed) => boolean
}> = [
  {
    title: "Passed before, not now",
    look: "bad",
    has: isWorse
  },
  {
    title: "Passes now, not before",
    look: "good",
    has: ({ after, before }) => after === "passed" && before !== undefined
  },
  { title: "Not made before", look: "faint", has: ({ before }) => before === undefined },
  { title: "Not made now", look: "faint", has: ({ after }) => after === undefined },
  {
    title: "Otherwise than before",
    look: "faint",
    has: ({ after, before }) => before !== undefined && after !== undefined && before !== "passed" && after !== "passed"
  }
]

const section = (title: string, lines: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [paint("strong", title), ...lines.map((line) => `  ${line}`), ""]

/** A difference for a terminal. */
export const renderDiff = ({ checks, choices, ground, verdicts }: Difference, paint: Paint = plain): string => {
  const lines = [
    ...section(
      "Another target or suite",
      ground.map((one) => `${one.what}: ${arrow(one)}`),
      paint
    ),
    ...section(
      "Verdicts",
      verdicts.map((one) => `${oneLine(one.profile)}: ${arrow(one)}`),
      paint
    ),
    ...groups.flatMap(({ has, look, title }) => {
      const here = checks.filter(has)
      return section(
        `${title}: ${counted(here.length, "check")}`,
        here.map((one) => `${paint(look, oneLine(one.id))}  ${arrow(one)}${why(one)}`),
        paint
      )
    }),
    ...section(
      "Choices",
      choices.map((one) => `${oneLine(one.silence)}: ${arrow(one)}`),
      paint
    )
  ]
  return lines.length === 0 ? "Nothing changed.\n" : lines.join("\n")
}

const verdictWords = (verdicts: Verification["verdicts"]): string =>
  Object.entries(verdicts)
    .map(([profile, verdict]) => `${oneLine(profile)} ${verdict}`)
    .join(", ")

/** A verification for a terminal: every finding, and last the verdict. */
export const renderVerification = (verification: Verification, paint: Paint = plain): string => {
  const { checks, findings, notes, signedBy, url, verdict, verdicts } = verification
  const of = url === undefined ? "" : ` of ${oneLine(url)}`
  const lines =
    verdict === "confirmed"
      ? [
          paint("good", `✓ Confirmed${of}`),
          `  ${counted(checks, "check")} judged again from the recorded answers: ${verdictWords(verdicts)}.`,
          ...(signedBy === undefined ? [] : [`  Signed by the key ${oneLine(signedBy)}.`]),
          "  Only a run of your own can show whether the target really gave these answers."
        ]
      : [
          paint("bad", `✗ Not confirmed${of}: ${counted(findings.length, "finding")}`),
          ...(checks === 0 ? [] : [`  From the recorded answers follows: ${verdictWords(verdicts)}.`])
        ]
  return [
    ...findings.map(
      ({ about, sentence }) => `${paint("bad", "✗")} ${paint("strong", oneLine(about))}  ${oneLine(sentence)}`
    ),
    ...notes.map((note) => `${paint("warning", "!")} ${oneLine(note)}`),
    ...lines,
    ""
  ].join("\n")
}

/** A check that was judged again. `judged` is undefined for the checks that the runner makes from the others' results. */
interface Again {
  readonly planned: Planned
  readonly result: CheckResult
  readonly judged: Ended | undefined
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<CreatedResource>
}

const isJson = Schema.is(Schema.Json)

const meetAgain = Effect.fnUntraced(function* (
  { config, run }: Report,
  planned: Planned,
  result: CheckResult
): Effect.fn.Return<Again> {
  const { check } = planned
  if (check === undefined) return { planned, result, judged: undefined, observations: [], made: [] }
  return { planned, result, ...(yield* rejudge(check, { id: run.id, config }, result)) }
})

const ledgerOf = (all: ReadonlyArray<Again>): Report["ledger"] =>
  all.flatMap(({ made, result }) =>
    made.map(({ id, url, kind }) => ({ check: result.id, what: kind, id, ...(url === undefined ? {} : { url }) }))
  )

/** What was made before the run isn't recorded. */
const ofChecks = (ledger: Report["ledger"]) => ledger.filter(({ check }) => check !== rehearsal)

const notesOn = ({ run }: Report, whole: ReadonlyArray<Planned>): ReadonlyArray<string> => {
  const missing = whole.filter(({ id }) => !run.planned.includes(id)).map(({ id }) => id)
  const left = `The run left out ${missing.length} of the ${whole.length} checks of its profiles`
  return missing.length === 0 ? [] : [`${left}: ${missing.join(", ")}.`]
}

/** Whose signature a report has, and the finding where it isn't over the report. */
const findInSignature = (said: unknown, report: Report) => {
  const signature = isJson(said) && isObject(said) ? signatureOf(said, report) : undefined
  if (signature === undefined) return { findings: [] }
  const { by, fits } = signature
  const sentence = `The signature by the key ${by} isn't over this report: it was changed after it was signed.`
  return fits ? { findings: [], signedBy: by } : { findings: [{ about: "signature", sentence }] }
}

/** The id of a run must follow from its challenge. */
const findInChallenge = ({ run: { challenge, id } }: Report): ReadonlyArray<Finding> =>
  challenge === undefined || id === challengedId(id.slice(0, saltDigits), challenge)
    ? []
    : [{ about: "challenge", sentence: `The run doesn't follow from the challenge ${JSON.stringify(challenge)}.` }]

const judgeRun = Effect.fnUntraced(function* (report: Report, known: Suite) {
  const whole = wholePlan(known.checks, report.config.profiles)
  const all = yield* Effect.forEach(report.checks, (result) => {
    const planned = whole.find(({ id }) => id === result.id)
    return planned === undefined ? Effect.succeed([]) : Effect.map(meetAgain(report, planned, result), (one) => [one])
  }).pipe(Effect.map((found) => found.flat()))
  const choices = choicesOf(all.map(({ observations, result }) => ({ check: result.id, observations })))
  const judged = block(
    all.map(({ judged, result: { id } }): Ended & { readonly id: string } => ({
      id,
      ...(judged ?? judgeChoices(id, choices))
    }))
  )
  const compared = all.map(({ planned, result }, index) => ({
    ...planned,
    ...compareOutcome(result, judged[index] ?? { outcome: "suite-fault" })
  }))
  const verdicts = verdictsOf(report.config.profiles, compared, whole)
  return {
    url: report.config.url,
    checks: all.length,
    verdicts,
    findings: [
      ...findInVersions(report, known),
      ...findInChallenge(report),
      ...findInPlan(report, whole),
      ...all.flatMap(({ planned, result }) => findInDescription(result, planned)),
      ...compared.flatMap(({ findings }) => findings),
      ...findInRegisters({ ...report, ledger: ofChecks(report.ledger) }, choices, ledgerOf(all)),
      ...findInVerdicts(report.verdicts, verdicts)
    ],
    notes: [
      ...(report.run.challenge === undefined
        ? []
        : [`The run followed from the challenge ${JSON.stringify(report.run.challenge)}.`]),
      ...notesOn(report, whole)
    ]
  }
})

/**
 * Judges a recorded run again: offline, without its keys, and without trusting what the report claims. It runs each check of
 * this suite on the recorded answers, and compares the results (outcomes, violations, choices, ledger, verdicts) with what
 * the report claims, as well as the ids and the digests.
 *
 * It can't tell whether the target gave these answers. `said` is the parsed file of the report.
 */
export const verify = Effect.fnUntraced(function* (
  said: unknown,
  known: Effect.Effect<Suite> = thisSuite
): Effect.fn.Return<Verification> {
  const found = yield* decodeReport(said).pipe(
    Effect.flatMap((report) =>
      Effect.map(
        Effect.flatMap(known, (suite) => judgeRun(report, suite)),
        (judged) => {
          const { findings, ...signature } = findInSignature(said, report)
          return { ...judged, ...signature, findings: [...findings, ...judged.findings] }
        }
      )
    ),
    Effect.catchTag("NoReport", ({ sentences }) =>
      Effect.succeed({
        checks: 0,
        verdicts: {},
        notes: [],
        findings: sentences.map((sentence) => ({ about: "report", sentence }))
      })
    )
  )
  return { verdict: found.findings.length === 0 ? "confirmed" : "not confirmed", ...found }
})
