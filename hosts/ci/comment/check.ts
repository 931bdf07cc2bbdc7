/** The result of a CI run beside its commit: a check run of GitHub, a commit status elsewhere. */
import { isIncomplete } from "../../../core/rules/imports.ts"
import type { Context } from "../command/Context.ts"
import type { Comparison } from "../history/comparison.ts"
import type { FailOn } from "../history/failOn.ts"
import { checkedOutFile } from "./checkedOut.ts"
import { checkMarkdown, type CheckResult, type MarkdownOf } from "./codeHosts.ts"
import { countsText } from "./markdown.ts"
import { countOf, nameOf, type Report } from "./Report.ts"

/** What the result of a CI run depends on. `comparison` is `undefined` where nothing is known of the base branch. */
export interface Judged {
  readonly report: Report
  readonly comparison: Comparison | undefined
  readonly failOn: FailOn | undefined
  /** The conclusion of a CI run without runs. */
  readonly ifEmpty: CheckResult["conclusion"]
}

/** How a CI run went: never a success while something of it is missing. */
const conclusionOf = ({ comparison, failOn, ifEmpty, report }: Judged): CheckResult["conclusion"] => {
  const { failed, flaky, imports } = report
  if (isIncomplete(imports)) return "failure"
  if (countOf(report) === 0) return ifEmpty
  if (failed.length === 0) return failOn === "flaky" && flaky.length > 0 ? "failure" : "success"
  const isKnown = comparison !== undefined && failed.every(([run]) => comparison.verdictOf(run) === "known")
  return failOn === "new-failures" && isKnown ? "neutral" : "failure"
}

/** Where GitHub has the button that runs a job again. */
const jobLine = ({ GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL }: Context["env"]): string =>
  GITHUB_REPOSITORY && GITHUB_RUN_ID
    ? `\n\n[Run its jobs again](${GITHUB_SERVER_URL || "https://github.com"}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID})`
    : ""

/** The Markdown of a summary, to which a line is added. */
export const summaryMarkdown = (env: Context["env"]): MarkdownOf => ({
  ...checkMarkdown,
  longest: checkMarkdown.longest - Buffer.byteLength(jobLine(env))
})

/** The result of a CI run. `markdown` is its report. */
export const checkOf = (
  judged: Judged,
  name: string,
  markdown: string,
  { cwd, env }: Pick<Context, "cwd" | "env">
): CheckResult => {
  const { comparison, report } = judged
  return {
    conclusion: conclusionOf(judged),
    name,
    title: countsText(report, comparison),
    summary: `${markdown}${jobLine(env)}`,
    url: report.url,
    annotations: report.failed.flatMap(([run]) => {
      const path = checkedOutFile(cwd, run.file)
      if (path === undefined) return []
      return {
        path,
        title: nameOf(run),
        message: `${run.failureMessage ?? "It failed, without a message."}\n${run.traceUrl}`,
        isKnown: comparison?.verdictOf(run) === "known"
      }
    })
  }
}
