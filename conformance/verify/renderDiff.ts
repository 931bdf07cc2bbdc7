import { plain, type Paint } from "../report/paint.ts"
import { excerpt, oneLine } from "../report/visible.ts"
import { counted } from "../report/words.ts"
import type { Difference } from "./Difference.ts"

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
