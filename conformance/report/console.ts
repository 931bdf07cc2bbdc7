import { curl } from "./curl.ts"
import { exchangeLines } from "./exchangeText.ts"
import { looks, plain, verdictLooks } from "./paint.ts"
import type { Paint } from "./paint.ts"
import type { CheckResult, Choice, Report } from "./Report.ts"
import { rerun } from "./rerun.ts"
import { sentencesOf } from "./sentences.ts"
import { isToMend, standingOf, standings, tallyText } from "./standing.ts"
import type { Standing } from "./standing.ts"
import { excerpt, oneLine, visible } from "./visible.ts"
import { counted, durationText, listed, verdictMeanings, verdictsIn } from "./words.ts"

/** What the console is told beside the report. */
export interface ConsoleOptions {
  readonly paint?: Paint
  /** What is to be said beside the report, each a sentence. @see run/run.ts */
  readonly complaints?: ReadonlyArray<string>
  /** The config file, where it isn't the usual one. */
  readonly configFile?: string
}

/** Of a body, so many characters are shown. */
const mostOfBody = 1000
/** Of what was expected and came, likewise. */
const mostOfSentence = 600

const indented = (lines: ReadonlyArray<string>, by: string): ReadonlyArray<string> => lines.map((line) => by + line)

/** A name, and what belongs to it in lines beside it. */
const field = (name: string, text: string): ReadonlyArray<string> =>
  text.split("\n").map((line, index) => `  ${(index === 0 ? name : "").padEnd(9)} ${line}`)

const told = (text: string): string => visible(excerpt(text, mostOfSentence))

/** Everything that somebody needs who mends what a check found. */
const failure = (report: Report, result: CheckResult, { configFile, paint = plain }: ConsoleOptions) => {
  const { exchanges, id, level, reason, title, violation } = result
  const standing = standingOf(result)
  const last = exchanges.at(-1)
  const before = exchanges.length - 1
  return [
    `${paint(looks[standing], `${standings[standing].mark} ${standings[standing].label}`)}  ${paint("strong", id)}  ${level}`,
    ...field("check", title),
    ...sentencesOf(result).flatMap(({ section, text }) => field("sentence", `§${section} ${text}`)),
    ...(violation === undefined
      ? []
      : [...field("expected", told(violation.expected)), ...field("came", told(violation.came))]),
    ...(reason === undefined ? [] : field("reason", told(reason))),
    ...(last === undefined
      ? []
      : [
          ...field(
            "exchange",
            before === 0 ? "the only one" : `the last; ${before} before it are in the other reports`
          ),
          ...indented(exchangeLines(last, mostOfBody), "            "),
          ...field("curl", curl(last, report.config.bindings.key))
        ]),
    ...field("alone", rerun(report, id, configFile)),
    ""
  ]
}

const why = ({ reason, violation }: CheckResult): string =>
  oneLine(excerpt(violation?.came ?? reason ?? "", mostOfSentence))

/** The checks of a standing in a line each, with why. */
const others = (report: Report, standing: Standing, paint: Paint): ReadonlyArray<string> => {
  const here = report.checks.filter((one) => standingOf(one) === standing)
  if (here.length === 0) return []
  const { label, mark } = standings[standing]
  return [
    paint("strong", `${label}: ${counted(here.length, "check")}`),
    ...here.map((one) => `  ${paint(looks[standing], mark)} ${one.id}  ${one.level}  ${why(one)}`),
    ""
  ]
}

const answerText = (answer: unknown): string => oneLine(excerpt(JSON.stringify(answer), 120))

/** Of the situations that were answered alike, as many are named. */
const mostNamed = 3

const named = (choices: ReadonlyArray<Choice>): string => {
  const names = choices.slice(0, mostNamed).map(({ silence }) => oneLine(silence))
  const left = choices.length - names.length
  return left === 0 ? listed(names) : `${names.join(", ")} and ${left} more`
}

/** The register of choices: those that weren't kept, and of the others which answer was given how often. */
const register = ({ choices }: Report, paint: Paint): ReadonlyArray<string> => {
  if (choices.length === 0) return []
  const broken = choices.filter(({ answers }) => answers.length > 1)
  const kept = choices.filter(({ answers }) => answers.length === 1)
  const alike = [...Map.groupBy(kept, ({ answers }) => answerText(answers[0]?.answer))]
  const width = Math.min(44, Math.max(0, ...alike.map(([answer]) => answer.length)))
  return [
    paint(
      "strong",
      `Where the interface is silent: ${counted(choices.length, "choice")}, ${broken.length === 0 ? "each" : `${kept.length}`} kept to`
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

/** What things the run left are called. */
const things = { build: ["build"], preview: ["preview"], testRun: ["test run"] } as const

const left = ({ ledger, run }: Report): ReadonlyArray<string> => {
  if (ledger.length === 0) return ["Nothing was left on the target.", ""]
  const counts = (["build", "preview", "testRun"] as const).flatMap((what) => {
    const count = ledger.filter((one) => one.what === what).length
    return count === 0 ? [] : [counted(count, things[what][0])]
  })
  return [`Left on the target: ${listed(counts)}, of run ${visible(run.id)}. The other reports list them.`, ""]
}

const verdicts = (report: Report, paint: Paint): ReadonlyArray<string> =>
  verdictsIn(report).map(({ name, profile, verdict }) => {
    const results = report.checks.filter((one) => one.profile === profile)
    const word = paint(verdictLooks[verdict], verdict.padEnd(10))
    return `  ${name.padEnd(9)}  ${word}  ${tallyText(results)}${verdict === "partial" ? ` (partial: ${verdictMeanings[verdict]})` : ""}`
  })

/**
 * A run for the terminal of whoever started it: what to mend with all that it takes, then what else didn't pass, the
 * register of choices in short, what was left, and last, where the eye is, the verdicts.
 */
export const renderConsole = (report: Report, options: ConsoleOptions = {}): string => {
  const { complaints = [], paint = plain } = options
  const { checks, config, run, suite } = report
  const lines = [
    "",
    ...checks.filter(isToMend).flatMap((one) => failure(report, one, options)),
    ...(["expected-failure", "warning", "skipped"] as const).flatMap((standing) => others(report, standing, paint)),
    ...register(report, paint),
    ...left(report),
    paint(
      "strong",
      `${visible(config.url)}  ${counted(checks.length, "check")} in ${durationText(run.durationMs)}, Slipway conformance ${visible(suite.version)}`
    ),
    ...verdicts(report, paint),
    ...complaints.map((complaint) => `${paint("bad", "!")} ${oneLine(complaint)}`)
  ]
  return `${lines.join("\n")}\n`
}
