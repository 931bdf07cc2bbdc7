import { styleText } from "node:util"
import {
  counted,
  durationText,
  implementationText,
  listed,
  needsFix,
  rerun,
  resourcesText,
  sentencesOf,
  standingOf,
  standings,
  tally,
  tallyText,
  verdictMeanings,
  verdictsIn,
  type CheckResult,
  type Choice,
  type Report,
  type Standing,
  type Verdict
} from "./Report.ts"
import { curl, exchangeLines, requestLines } from "./exchangeText.ts"
import { excerpt, oneLine, visible, type Look } from "./text.ts"

/** Adds a look to a text, or leaves it plain. */
export type Paint = (look: Look, text: string) => string

/** Leaves every text plain, for files, pipes and users who set `NO_COLOR`. */
export const plain: Paint = (_, text) => text

const formats = { good: "green", bad: "red", warning: "yellow", faint: "dim", strong: "bold" } as const

/** With the escape sequences of a terminal. */
export const coloured: Paint = (look, text) => styleText(formats[look], text, { validateStream: false })

/** The parts of a stream that this module needs. */
interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
}

/** Colours on a terminal that has them. None when the environment has `NO_COLOR`. */
export const paintFor = (
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>> = process.env
): Paint => {
  const isRefused = (environment["NO_COLOR"] ?? "") !== ""
  return !isRefused && screen.isTTY === true && screen.hasColors?.() !== false ? coloured : plain
}

/** The look of each verdict. */
const verdictLooks: Readonly<Record<Verdict, Look>> = {
  conformant: "good",
  partial: "warning",
  inconclusive: "warning",
  failed: "bad"
}

/** What the console shows beside the report. */
interface ConsoleOptions {
  readonly paint?: Paint
  /** Sentences to show beside the report. @see run/run.ts */
  readonly complaints?: ReadonlyArray<string>
  /** The config file, when it isn't the usual one. */
  readonly configFile?: string
}

/** The most characters of a body. */
const maxOfBody = 1000
/** The most characters of what was expected and what came. */
const maxOfSentence = 600

const indented = (lines: ReadonlyArray<string>, by: string): ReadonlyArray<string> => lines.map((line) => by + line)

/** A name and, beside it, the lines of its text. */
const field = (name: string, text: string): ReadonlyArray<string> =>
  text.split("\n").map((line, index) => `  ${(index === 0 ? name : "").padEnd(9)} ${line}`)

const quoted = (text: string): string => visible(excerpt(text, maxOfSentence))

/** Everything that is needed to repair what a check found. */
const failure = (report: Report, result: CheckResult, { configFile, paint = plain }: ConsoleOptions) => {
  const { exchanges, id, level, reason, title, unanswered, violation } = result
  const { label, look, mark } = standings[standingOf(result)]
  const last = exchanges.at(-1)
  const before = exchanges.length - 1
  return [
    `${paint(look, `${mark} ${label}`)}  ${paint("strong", id)}  ${level}`,
    ...field("check", title),
    ...sentencesOf(result).flatMap(({ from, section, text }) =>
      field("sentence", `§${section} ${text}${from === undefined ? "" : ` (follows from §${from.join(", §")})`}`)
    ),
    ...(violation === undefined
      ? []
      : [...field("expected", quoted(violation.expected)), ...field("came", quoted(violation.came))]),
    ...(reason === undefined ? [] : field("reason", quoted(reason))),
    ...(unanswered === undefined
      ? []
      : [
          ...field("request", `no answer; the ${exchanges.length} before it were answered`),
          ...indented([...requestLines(unanswered), "< nothing"], "            "),
          ...field("curl", curl({ request: unanswered }, report.config.bindings.key))
        ]),
    ...(last === undefined || unanswered !== undefined
      ? []
      : [
          ...field(
            "exchange",
            before === 0 ? "the only one" : `the last; ${before} before it are in the other reports`
          ),
          ...indented(exchangeLines(last, maxOfBody), "            "),
          ...field("curl", curl(last, report.config.bindings.key))
        ]),
    ...field("alone", rerun(report, id, configFile)),
    ""
  ]
}

const why = ({ reason, violation }: CheckResult): string =>
  oneLine(excerpt(violation?.came ?? reason ?? "", maxOfSentence))

/** The checks of a standing, one line each, with the reason. */
const others = (report: Report, standing: Standing, paint: Paint): ReadonlyArray<string> => {
  const here = report.checks.filter((one) => standingOf(one) === standing)
  if (here.length === 0) return []
  const { label, look, mark } = standings[standing]
  return [
    paint("strong", `${label}: ${counted(here.length, "check")}`),
    ...here.map((one) => `  ${paint(look, mark)} ${one.id}  ${one.level}  ${why(one)}`),
    ""
  ]
}

/** The checks that are blocked, one line for each check that blocks some. */
const blocked = ({ checks }: Report, paint: Paint): ReadonlyArray<string> => {
  const here = checks.filter(({ outcome }) => outcome === "blocked")
  if (here.length === 0) return []
  const { label, look, mark } = standings.blocked
  return [
    paint("strong", `${label}: ${counted(here.length, "check")}, which can't be judged before these pass`),
    ...[...Map.groupBy(here, ({ blockedBy }) => blockedBy)].map(
      ([by = "", all]) => `  ${paint(look, mark)} ${counted(all.length, "check")} by ${oneLine(by)}`
    ),
    ""
  ]
}

/** What needs a repair. Of checks that had no answer for the same reason, the first stands for all. */
const failures = (report: Report, options: ConsoleOptions): ReadonlyArray<string> => {
  const broken = report.checks.filter(needsFix)
  const silent = Map.groupBy(
    broken.filter(({ outcome }) => outcome === "no-answer"),
    ({ reason }) => reason
  )
  return broken.flatMap((one) => {
    const [first, ...alike] = (one.outcome === "no-answer" ? silent.get(one.reason) : undefined) ?? [one]
    if (first !== one) return []
    const more =
      alike.length === 0 ? [] : [`  ${counted(alike.length, "more check")} had no answer for the same reason.`, ""]
    return [...failure(report, one, options), ...more]
  })
}

const answerText = (answer: unknown): string => oneLine(excerpt(JSON.stringify(answer), 120))

/** The most situations that are named for one answer. */
const maxNamed = 3

const named = (choices: ReadonlyArray<Choice>): string => {
  const names = choices.slice(0, maxNamed).map(({ silence }) => oneLine(silence))
  const left = choices.length - names.length
  return left === 0 ? listed(names) : `${names.join(", ")} and ${left} more`
}

/** The register of choices: first the inconsistent ones, then how often each answer was given. */
const register = ({ choices }: Report, paint: Paint): ReadonlyArray<string> => {
  if (choices.length === 0) return []
  const broken = choices.filter(({ answers }) => answers.length > 1)
  const kept = choices.filter(({ answers }) => answers.length === 1)
  const alike = [...Map.groupBy(kept, ({ answers }) => answerText(answers[0]?.answer))]
  const width = Math.min(44, Math.max(0, ...alike.map(([answer]) => answer.length)))
  return [
    paint(
      "strong",
      `Where the interface is silent: ${counted(choices.length, "choice")}, ${broken.length === 0 ? "all" : `${kept.length}`} consistent`
    ),
    ...broken.map(
      ({ answers, silence }) =>
        `  ${paint("bad", "✗")} ${oneLine(silence)}  ${answers.map(({ answer, checks }) => `${answerText(answer)} in ${checks.join(", ")}`).join("; ")}`
    ),
    ...alike
      .toSorted(([, one], [, other]) => other.length - one.length)
      .map(
        ([answer, same]) =>
          `  ${answer.padEnd(width)}  ${String(same.length).padStart(3)}×  ${paint("faint", named(same))}`
      ),
    ""
  ]
}

/** How many resources that couldn't be deleted are named at most. */
const maxLeft = 3

export const left = ({ cleanup, ledger, run }: Report): ReadonlyArray<string> => {
  if (cleanup !== undefined) {
    const { left, removed } = cleanup
    const more = left.length > maxLeft ? [`  and ${left.length - maxLeft} more`] : []
    const some = [...left.slice(0, maxLeft).map((one) => `  ${oneLine(one)}`), ...more]
    return [
      `Removed from the target: ${counted(removed, "resource")}${left.length === 0 ? "." : "; left there:"}`,
      ...some,
      ""
    ]
  }
  if (ledger.length === 0) return ["Nothing was left on the target.", ""]
  return [`Left on the target: ${resourcesText(ledger)}, of run ${visible(run.id)}. The other reports list them.`, ""]
}

const verdicts = (report: Report, paint: Paint): ReadonlyArray<string> =>
  verdictsIn(report).map(({ name, profile, verdict }) => {
    const results = report.checks.filter((one) => one.profile === profile)
    const word = paint(verdictLooks[verdict], verdict.padEnd(12))
    return `  ${name.padEnd(9)}  ${word}  ${tallyText(results)}${verdict === "partial" || verdict === "inconclusive" ? ` (${verdict}: ${verdictMeanings[verdict]})` : ""}`
  })

/**
 * A run for the terminal: each failure with everything that is needed to repair it, then what else didn't pass, a summary of
 * the choices, what is left on the target, and at the end the verdicts.
 */
export const renderConsole = (report: Report, options: ConsoleOptions = {}): string => {
  const { complaints = [], paint = plain } = options
  const { checks, config, run, suite } = report
  const lines = [
    "",
    ...failures(report, options),
    ...blocked(report, paint),
    ...(["expected-failure", "warning", "skipped"] as const).flatMap((standing) => others(report, standing, paint)),
    ...register(report, paint),
    ...left(report),
    paint(
      "strong",
      `${visible(config.url)}  ${counted(checks.length, "check")} in ${durationText(run.durationMs)}, Slipway conformance ${visible(suite.version)}`
    ),
    ...(config.implementation === undefined ? [] : [oneLine(implementationText(report))]),
    ...verdicts(report, paint),
    ...complaints.map((complaint) => `${paint("bad", "!")} ${oneLine(complaint)}`)
  ]
  return `${lines.join("\n")}\n`
}

/** An event of a run, for the display of its progress. */
export type Progress =
  | { readonly _tag: "Started"; readonly planned: number }
  | {
      readonly _tag: "Waiting"
      readonly check: string
      readonly url: string
      readonly status: number
      readonly waitMs: number
    }
  | { readonly _tag: "Ended"; readonly result: CheckResult; readonly done: number; readonly planned: number }

/** The text to write for an event of a run. It depends on earlier events. */
export type ProgressText = (progress: Progress) => string

const said = ({ reason, violation }: CheckResult): string => violation?.came ?? reason ?? ""

export const line = (result: CheckResult, paint: Paint): string => {
  const standing = standingOf(result)
  const { label, look, mark } = standings[standing]
  const isQuiet = standing === "passed"
  const why = isQuiet ? "" : `  ${label}: ${excerpt(oneLine(said(result)), 200)}`
  return `${paint(look, mark)} ${result.id} ${paint("faint", durationText(result.durationMs))}${why}\n`
}

type Waiting = Extract<Progress, { readonly _tag: "Waiting" }>

/** Every wait of a second or more is shown, because nothing else happens meanwhile. */
const waitingLine = ({ check, status, url, waitMs }: Waiting, paint: Paint): string =>
  waitMs < 1000
    ? ""
    : paint(
        "faint",
        `… ${check} waits ${durationText(waitMs)}: the target returns ${status} to ${excerpt(oneLine(url), 120)}`
      ) + "\n"

/** The reason that a lost target gives all further checks is shown once. */
const oncePerSilence = (paint: Paint): ((result: CheckResult) => string) => {
  const shown = new Set<string | undefined>()
  return (result) => {
    const { exchanges, outcome, reason, unanswered } = result
    if (outcome !== "no-answer" || exchanges.length > 0 || unanswered !== undefined) return line(result, paint)
    const isNew = !shown.has(reason)
    shown.add(reason)
    return isNew ? line(result, paint) : ""
  }
}

/** For logs: one line for each check when it ends. */
export const linesOfProgress = (paint: Paint): ProgressText => {
  const ended = oncePerSilence(paint)
  return (progress) => {
    if (progress._tag === "Started") return `${counted(progress.planned, "check")} planned.\n`
    return progress._tag === "Waiting" ? waitingLine(progress, paint) : ended(progress.result)
  }
}

/** Goes back to the beginning of the line and clears it. */
const clear = "\r\u001b[2K"

/** For terminals: one line that counts, and above it a line for each check that needs a repair. */
export const liveProgress = (paint: Paint, columns: number): ProgressText => {
  const results: Array<CheckResult> = []
  const oncePerFailure = oncePerSilence(paint)
  return (progress) => {
    if (progress._tag === "Started") return `${clear}${counted(progress.planned, "check")} planned`
    if (progress._tag === "Waiting") return `${clear}${waitingLine(progress, paint)}`
    const { done, planned, result } = progress
    results.push(result)
    const above = needsFix(result) ? oncePerFailure(result) : ""
    if (done === planned) return `${clear}${above}`
    const counts = tally(results).map(({ count, standing }) => ({
      standing,
      text: `${standings[standing].mark} ${count}`
    }))
    const head = `${done} of ${planned}  `
    const width = head.length + counts.reduce((sum, { text }) => sum + text.length + 2, 0)
    const room = Math.max(0, columns - width - 1)
    return [
      clear,
      above,
      head,
      ...counts.map(({ standing, text }) => `${paint(standings[standing].look, text)}  `),
      paint("faint", result.id.slice(0, room))
    ].join("")
  }
}

/** The progress for a screen: live on a terminal, in lines elsewhere. It respects `NO_COLOR`. */
export const progressFor = (
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>> = process.env
): ProgressText =>
  screen.isTTY === true && environment["CI"] === undefined
    ? liveProgress(paintFor(screen, environment), screen.columns ?? 80)
    : linesOfProgress(paintFor(screen, environment))
