import { oneLine } from "../report/text.ts"
import type { Result } from "./results.ts"

/** A text for a cell of a table, in which it is nothing but text. */
const cell = (text: string): string => oneLine(text).replaceAll(/[\\`*_[\]<>|&]/g, (one) => `&#${one.charCodeAt(0)};`)

const row = ({ file, report, standing, verification }: Result): string => {
  const { implementation, url = "" } = report?.config ?? {}
  const name = implementation === undefined ? url : `${implementation.organisation}: ${implementation.name}`
  const verdicts = Object.entries(report?.verdicts ?? {}).map(([profile, verdict]) => `${profile} ${verdict}`)
  return [
    `[${cell(name)}](${encodeURIComponent(file)})`,
    cell(implementation?.version ?? ""),
    cell(verdicts.join(", ")),
    cell(report?.run.startedAt.slice(0, 10) ?? ""),
    cell(report === undefined ? "" : `${report.suite.version} (${report.suite.digest.slice(0, 8)})`),
    cell(verification.signedBy ?? ""),
    standing === "confirmed" || standing === "still confirmed" ? "confirmed" : standing
  ].join(" | ")
}

/** The page that lists the results, in Markdown. */
export const page = (results: ReadonlyArray<Result>): string =>
  [
    "# Results",
    "",
    "Reports of implementations of the interface. A test evaluates each report again from its recorded responses, as",
    "`slipway-conformance verify` does. Only your own run can show whether a target really gives these responses.",
    "*earlier suite* marks a report of a suite with other requests. Only that version of the suite can confirm it.",
    "",
    "| implementation | version | verdicts | date | suite | signed by | evaluation |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...results.map((one) => `| ${row(one)} |`),
    "",
    "To submit a report, set `implementation` in the config, and run the whole suite with `--report-json`. `gzip` the report into",
    "this folder, and run `node conformance/results/print.ts`, which writes this page. `node conformance/results/own.ts` makes",
    "the report of the reference host again.",
    ""
  ].join("\n")
