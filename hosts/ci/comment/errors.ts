import type { TestRun } from "../../client/index.ts"
import { nameOf, type Report } from "./Report.ts"

/** As GitHub decodes the message of a workflow command. */
const message = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

/** As it decodes a property of one. */
const property = (text: string): string => message(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

const errorLine = ({ failureMessage, file, traceUrl, ...run }: TestRun): string => {
  const title = `title=${property(nameOf({ ...run, traceUrl }))}`
  const properties = file === undefined ? title : `file=${property(file)},${title}`
  return `::error ${properties}::${message(`${failureMessage ?? "It failed, without a message."}\n${traceUrl}`)}`
}

/**
 * The commands by which GitHub shows failures beside the files of a pull request. It shows ten of a step.
 *
 * See https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-error-message
 */
export const errorLines = ({ failed }: Report): ReadonlyArray<string> =>
  failed.slice(0, 10).map(([run]) => errorLine(run))
