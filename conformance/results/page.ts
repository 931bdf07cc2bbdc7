import { oneLine } from "../report/visible.ts"
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
    "Reports of implementations of the interface. A test judges each again from its recorded answers, as",
    "`slipway-conformance verify` does; whether a target really gave these answers, only a run of your own can show.",
    "*of its time* says that the report was made by a suite that asked otherwise: that version can still confirm it.",
    "",
    "| implementation | version | verdicts | made | by suite | signed by | judged again |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...results.map((one) => `| ${row(one)} |`),
    "",
    "To hand one in: tell whose it is (`implementation` in the config), run the whole suite with `--report-json`, `gzip` the",
    "report, put it here, and run `node conformance/results/print.ts`, which writes this page. `node conformance/results/own.ts`",
    "makes that of the reference host again.",
    ""
  ].join("\n")
