/** What CI found when it opened an app before its upload. An app that nobody opened is "not checked". */
import { html, type Html } from "./html.ts"
import type { ReplayCheck } from "../../../core/model/Build.ts"
import type { Fact } from "./facts.ts"
import { pill } from "./lists.ts"

const labels: Readonly<Record<ReplayCheck["firstScreen"], string>> = {
  drawn: "First screen drawn",
  not_drawn: "No first screen",
  not_checked: "First screen not checked"
}

const marks: Readonly<Record<ReplayCheck["firstScreen"], string>> = {
  drawn: "passed",
  not_drawn: "failed",
  not_checked: "unchecked"
}

/** Beside the title, where CI tried to find out. */
export const checkPill = (check: ReplayCheck | undefined): Html | undefined =>
  check === undefined ? undefined : pill(marks[check.firstScreen], labels[check.firstScreen])

const names = (all: ReadonlyArray<string>): Html =>
  html`${all.map((name, index) => html`${index === 0 ? "" : ", "}<code><bdi>${name}</bdi></code>`)}`

export const checkFacts = (check: ReplayCheck | undefined): ReadonlyArray<Fact> => {
  const { boxes = [], firstScreen = "not_checked", missing = [], reason } = check ?? {}
  return [
    ["First screen", { drawn: "Drawn", not_drawn: "Not drawn", not_checked: "Not checked" }[firstScreen]],
    ...(reason === undefined
      ? []
      : [[firstScreen === "drawn" ? "Error" : "Reason", html`<bdi class="lines">${reason}</bdi>`] as const]),
    ...(boxes.length === 0 ? [] : [["Drawn as boxes", names(boxes)] as const]),
    ...(missing.length === 0 ? [] : [["Missing", names(missing)] as const])
  ]
}
