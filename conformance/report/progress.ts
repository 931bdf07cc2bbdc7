import { paintFor, type Paint, type Screen } from "./paint.ts"
import type { CheckResult } from "./Report.ts"
import { needsFix, standingOf, standings, tally } from "./standing.ts"
import { counted, durationText } from "./words.ts"
import { excerpt, oneLine } from "./visible.ts"

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

const line = (result: CheckResult, paint: Paint): string => {
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
