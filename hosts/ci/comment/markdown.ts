import type { TestRun } from "../../client/index.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import type { Comparison, Verdict } from "../history/comparison.ts"
import { countOf, nameOf, type Attempts, type Report } from "./Report.ts"

/** Links for people without a key, by the ids of their runs. */
export type ShareLinks = ReadonlyMap<string, string>

/** How many tests are shown of those that failed, and of those that were flaky; the page has all of them. */
export const shownRuns = 50

const messageCharacters = 500

/** A text as Markdown that means nothing but itself, on one line; no name can mention a person or end a tag. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]()#+\-.!|~:]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")

/** A text as a block of code that nothing in it can end. */
const block = (text: string): string => {
  const characters = Array.from(text.trim())
  const cut =
    characters.length > messageCharacters ? `${characters.slice(0, messageCharacters).join("")}…` : text.trim()
  const longest = Math.max(2, ...Array.from(cut.matchAll(/`+/g), ([fence]) => fence.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}text\n${cut}\n${fence}`.replaceAll(/^/gm, "  ")
}

const shareText = "without a key"

/** Which attempt at its CI run a test's latest run is, and what the earlier ones were. */
const attemptFacts = ([latest, ...earlier]: Attempts): ReadonlyArray<string> =>
  earlier.length === 0
    ? []
    : [
        attemptName(latest, earlier.length),
        ...earlier.map(
          (run, index) => `[${attemptName(run, earlier.length - 1 - index)}: ${run.status}](${run.traceUrl})`
        )
      ]

/** What is said of how each failure compares with the base branch. */
type Labels = (run: TestRun) => string

const labelsOf = (comparison: Comparison | undefined): Labels => {
  if (comparison?.base === undefined) return () => ""
  const labels = { new: "**new**", known: `known on ${plain(comparison.base)}` }
  return (run) => {
    const verdict = comparison.verdictOf(run)
    return verdict === undefined ? "" : labels[verdict]
  }
}

const line = (test: Attempts, shares: ShareLinks, label: string): string => {
  const [run] = test
  const share = shares.get(run.id)
  const facts = [
    label,
    run.device?.name === undefined ? "" : plain(run.device.name),
    run.attempts === undefined || run.attempts.length < 2 ? "" : `${run.attempts.length} attempts`,
    share === undefined ? "" : `[${shareText}](${share})`,
    ...attemptFacts(test)
  ].filter((fact) => fact !== "")
  return [`- [${plain(nameOf(run))}](${run.traceUrl})`, ...facts].join(" · ")
}

const section = (
  title: string,
  tests: ReadonlyArray<Attempts>,
  shares: ShareLinks,
  withMessage: (run: TestRun) => string | undefined = () => undefined,
  labels: Labels = () => ""
): ReadonlyArray<string> => {
  if (tests.length === 0) return []
  const lines = tests.slice(0, shownRuns).map((test) => {
    const message = withMessage(test[0])
    const text = line(test, shares, labels(test[0]))
    return message === undefined ? text : `${text}\n${block(message)}`
  })
  const more = tests.length > shownRuns ? [`- and ${tests.length - shownRuns} more`] : []
  return [`**${title}**\n\n${[...lines, ...more].join("\n")}`]
}

/** How many failures are new and how many are known, where the comparison tells. */
const verdictCounts = (failed: Report["failed"], comparison: Comparison | undefined): string => {
  if (comparison?.base === undefined) return ""
  const count = (wanted: Verdict) => failed.filter(([run]) => comparison.verdictOf(run) === wanted).length
  return ` (${count("new")} new, ${count("known")} known on ${plain(comparison.base)})`
}

const counts = ({ failed, flaky, passed }: Report, comparison: Comparison | undefined): string =>
  [
    failed.length === 0 ? "" : `❌ ${failed.length} failed${verdictCounts(failed, comparison)}`,
    flaky.length === 0 ? "" : `⚠️ ${flaky.length} flaky`,
    passed.length === 0 ? "" : `✅ ${passed.length} passed`
  ]
    .filter((text) => text !== "")
    .join(" · ")

/** A report as Markdown, as GitHub and GitLab show it. `comparison` tells which failures are new. */
export const markdownOf = (report: Report, shares: ShareLinks, comparison?: Comparison): string => {
  const { failed, flaky, passed, url } = report
  const again = passed.filter(([, ...earlier]) => earlier.some(({ status }) => status === "failed"))
  const count = countOf(report)
  if (count === 0) return "### Tests\n\nNo runs were registered yet."
  return [
    `### Tests: ${counts(report, comparison)}`,
    ...section("Failed", failed, shares, ({ failureMessage }) => failureMessage, labelsOf(comparison)),
    ...section("Flaky", flaky, shares),
    ...section("Passed when run again", again, shares),
    `[All ${count} ${count === 1 ? "run" : "runs"}](${url})`
  ].join("\n\n")
}

/** The links for people without a key that a text of {@link markdownOf} has. */
export const sharesIn = (markdown: string): ShareLinks =>
  new Map(
    Array.from(
      markdown.matchAll(new RegExp(`/runs/([\\w-]+)\\).*\\[${shareText}\\]\\(([^)\\s]+)\\)`, "g")),
      ([, id = "", url = ""]) => [id, url] as const
    )
  )
