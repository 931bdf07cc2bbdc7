import { html as xml, type SafeHtml } from "@remix-run/html-template"
import { exchangeLines, requestLines } from "./exchangeText.ts"
import type { CheckResult, Report } from "./Report.ts"
import { rerun } from "./rerun.ts"
import { curl } from "./curl.ts"
import { sentencesOf } from "./sentences.ts"
import { standingOf, standings } from "./standing.ts"
import { excerpt, oneLine, visible } from "./visible.ts"
import { profileNames } from "./words.ts"

/** The most characters of a body, of all exchanges of a check together, of a message, and of a sentence. */
const most = { body: 2000, exchanges: 60_000, message: 400, sentence: 4000 }

const elementOf = (result: CheckResult) => standings[standingOf(result)].element

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3)

const countOf = (results: ReadonlyArray<CheckResult>, element: "failure" | "error" | "skipped"): number =>
  results.filter((one) => elementOf(one) === element).length

const message = (result: CheckResult): string => {
  const { label } = standings[standingOf(result)]
  return `${label}: ${excerpt(oneLine(result.violation?.came ?? result.reason ?? ""), most.message)}`
}

/** The text below the message. */
const details = (report: Report, result: CheckResult, configFile: string | undefined): string =>
  [
    `${result.level} ${result.title}`,
    ...sentencesOf(result).map(({ id, section, text }) => `Sentence: §${section} ${text} (${id})`),
    ...(result.violation === undefined
      ? []
      : [`Expected: ${result.violation.expected}`, `Came: ${excerpt(result.violation.came, most.sentence)}`]),
    ...(result.reason === undefined ? [] : [`Reason: ${excerpt(result.reason, most.sentence)}`]),
    `Alone: ${rerun(report, result.id, configFile)}`
  ]
    .map(visible)
    .join("\n")

const outcome = (report: Report, result: CheckResult, configFile: string | undefined): SafeHtml | undefined => {
  const element = elementOf(result)
  if (element === undefined) return undefined
  const [said, text] = [message(result), details(report, result, configFile)]
  const type = standingOf(result)
  return xml`<${element} type="${type}" message="${said}">${text}</${element}>`
}

/** The exchanges of a check that failed or had no answer. */
const transcript = ({ config }: Report, result: CheckResult): SafeHtml | undefined => {
  const element = elementOf(result)
  const { unanswered } = result
  if (element === undefined || element === "skipped") return undefined
  const said = result.exchanges.map((one) =>
    [...exchangeLines(one, most.body), curl(one, config.bindings.key)].join("\n")
  )
  if (unanswered !== undefined) {
    said.push([...requestLines(unanswered), "< nothing", curl({ request: unanswered }, config.bindings.key)].join("\n"))
  }
  if (said.length === 0) return undefined
  return xml`<system-out>${excerpt(said.join("\n\n"), most.exchanges)}</system-out>`
}

const testcase = (report: Report, result: CheckResult, configFile: string | undefined): SafeHtml => {
  const { durationMs, id, profile, title } = result
  return xml`<testcase name="${visible(id)}: ${oneLine(title)}" classname="slipway.conformance.${profile}" time="${seconds(durationMs)}">${outcome(report, result, configFile)}${transcript(report, result)}</testcase>
`
}

const properties = (report: Report, profile: string): Array<SafeHtml> =>
  Object.entries({
    target: report.config.url,
    verdict: report.verdicts[profile] ?? "",
    run: report.run.id,
    "suite.version": report.suite.version,
    "suite.digest": report.suite.digest,
    "interface.digest": report.interface.digest
  }).map(([name, value], index) => xml`${index === 0 ? "" : "\n"}<property name="${name}" value="${oneLine(value)}"/>`)

const testsuite = (
  report: Report,
  profile: CheckResult["profile"],
  results: ReadonlyArray<CheckResult>,
  configFile: string | undefined
): SafeHtml => {
  const timestamp = report.run.startedAt.slice(0, 19)
  const took = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  return xml`<testsuite name="Slipway interface: ${profileNames[profile]}" tests="${results.length}" failures="${countOf(results, "failure")}" errors="${countOf(results, "error")}" skipped="${countOf(results, "skipped")}" time="${took}" timestamp="${visible(timestamp)}">
<properties>
${properties(report, profile)}
</properties>
${results.map((one) => testcase(report, one, configFile))}</testsuite>
`
}

/**
 * A run for CI servers (JUnit XML): a testsuite for each profile, a testcase for each check. No answer and a fault of the
 * suite are errors. What was skipped, was expected to fail or only warns is skipped.
 */
export const renderJunit = (report: Report, options: { readonly configFile?: string } = {}): string => {
  const { checks, run } = report
  const suites = [...Map.groupBy(checks, ({ profile }) => profile)].map(([profile, results]) =>
    testsuite(report, profile, results, options.configFile)
  )
  return String(xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Slipway conformance" tests="${checks.length}" failures="${countOf(checks, "failure")}" errors="${countOf(checks, "error")}" time="${seconds(run.durationMs)}">
${suites}</testsuites>
`)
}
