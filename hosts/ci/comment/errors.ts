import { isIncomplete, missingTexts } from "../../../core/rules/imports.ts"
import type { TestRun } from "../../client/index.ts"
import type { Comparison } from "../history/comparison.ts"
import { checkedOutFile } from "./checkedOut.ts"
import { nameOf, type Report } from "./Report.ts"

/** As GitHub decodes the message of a workflow command. */
const message = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

/** As it decodes a property of one. */
const property = (text: string): string => message(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

const errorLine = (cwd: string, isKnown: boolean, { failureMessage, traceUrl, ...run }: TestRun): string => {
  const file = checkedOutFile(cwd, run.file)
  const title = `title=${property(nameOf({ ...run, traceUrl }))}`
  const properties = file === undefined ? title : `file=${property(file)},${title}`
  return `::${isKnown ? "warning" : "error"} ${properties}::${message(`${failureMessage ?? "It failed, without a message."}\n${traceUrl}`)}`
}

/**
 * The commands by which GitHub shows failures beside the files of a pull request; those that the base branch has too are warnings. It
 * shows ten of a step.
 *
 * See https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-error-message
 */
export const errorLines = (
  { failed, imports }: Report,
  comparison: Comparison | undefined,
  cwd: string
): ReadonlyArray<string> => [
  ...(isIncomplete(imports) ? [`::error title=Not complete::${message(missingTexts(imports).join("\n"))}`] : []),
  ...failed.slice(0, 10).map(([run]) => errorLine(cwd, comparison?.verdictOf(run) === "known", run))
]
