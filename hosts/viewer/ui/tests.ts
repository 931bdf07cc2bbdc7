/** What pages about the history of tests share: names, links and numbers in words. */
import { DateTime } from "effect"
import { counted } from "./counted.ts"
import { html, type Html } from "./html.ts"
import type { ListedTest, RunPoint } from "../../../core/model/TestHistory.ts"
import { paths } from "../access/paths.ts"
import { code, runKinds } from "./facts.ts"
import { shortText, timeHtml } from "./text.ts"

/** What a test is called. */
export const testName = ({ kind, name, prompt }: Pick<ListedTest, "kind" | "name" | "prompt">): string =>
  name ?? prompt ?? runKinds[kind]

/** A test as a link to its history on a branch. */
export const testLink = (base: string, test: ListedTest, branch: string | undefined): Html =>
  html`<a class="name" href="${base + paths.test(test.testId, branch)}"
    ><bdi>${shortText(testName(test), 100)}</bdi></a
  >`

/** What tells tests of one name apart: the app, the file and the platform. */
export const testDetails = ({
  app,
  file,
  platform
}: Pick<ListedTest, "app" | "file" | "platform">): ReadonlyArray<Html> =>
  [app, file, platform].flatMap((detail) => (detail === undefined ? [] : html`<bdi>${shortText(detail, 80)}</bdi>`))

/** The first line of a failure. */
export const messageHtml = (message: string | undefined): Html =>
  message === undefined
    ? html`<p class="message none">No message was registered.</p>`
    : html`<p class="message"><bdi>${message}</bdi></p>`

/** The commit of a run, if it is known. */
export const commitHtml = ({ commitSha }: Pick<RunPoint, "commitSha">): Html =>
  commitSha === undefined ? html`an unknown commit` : code(commitSha.slice(0, 7))

/** A time in milliseconds as an element. */
export const momentHtml = (at: number): Html => timeHtml(DateTime.makeUnsafe(at))

const units = [
  { unit: "day", length: 86_400_000 },
  { unit: "hour", length: 3_600_000 },
  { unit: "minute", length: 60_000 }
] as const

/** How long ago something was, in its largest unit: `3 days`. */
export const ageText = (at: number, now: DateTime.Utc): string => {
  const age = DateTime.toEpochMillis(now) - at
  const found = units.find(({ length }) => age >= length)
  return found === undefined ? "less than a minute" : counted(Math.floor(age / found.length), found.unit)
}

/** A share as percent: `7%`. Only all is 100%, and only none is 0%. */
export const percentText = (share: number): string =>
  `${share <= 0 ? 0 : share >= 1 ? 100 : Math.min(99, Math.max(1, Math.round(share * 100)))}%`
