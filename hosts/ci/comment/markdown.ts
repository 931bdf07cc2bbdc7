import type { TestRun } from "../../client/index.ts"
import { countOf, nameOf, type Report } from "./Report.ts"

/** Links for people without a key, by the ids of their runs. */
export type ShareLinks = ReadonlyMap<string, string>

/** How many runs are shown of those that failed, and of those that were flaky; the page has all of them. */
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

const line = (run: TestRun, shares: ShareLinks): string => {
  const share = shares.get(run.id)
  const facts = [
    run.device?.name === undefined ? "" : plain(run.device.name),
    run.attempts === undefined || run.attempts.length < 2 ? "" : `${run.attempts.length} attempts`,
    share === undefined ? "" : `[${shareText}](${share})`
  ].filter((fact) => fact !== "")
  return [`- [${plain(nameOf(run))}](${run.traceUrl})`, ...facts].join(" · ")
}

const section = (
  title: string,
  runs: ReadonlyArray<TestRun>,
  shares: ShareLinks,
  withMessage: (run: TestRun) => string | undefined
): ReadonlyArray<string> => {
  if (runs.length === 0) return []
  const lines = runs.slice(0, shownRuns).map((run) => {
    const message = withMessage(run)
    return message === undefined ? line(run, shares) : `${line(run, shares)}\n${block(message)}`
  })
  const more = runs.length > shownRuns ? [`- and ${runs.length - shownRuns} more`] : []
  return [`**${title}**\n\n${[...lines, ...more].join("\n")}`]
}

const counts = ({ failed, flaky, passed }: Report): string =>
  [
    failed.length === 0 ? "" : `❌ ${failed.length} failed`,
    flaky.length === 0 ? "" : `⚠️ ${flaky.length} flaky`,
    passed.length === 0 ? "" : `✅ ${passed.length} passed`
  ]
    .filter((text) => text !== "")
    .join(" · ")

/** A report as Markdown, as GitHub and GitLab show it. */
export const markdownOf = (report: Report, shares: ShareLinks): string => {
  const { failed, flaky, url } = report
  const count = countOf(report)
  if (count === 0) return "### Tests\n\nNo runs were registered yet."
  return [
    `### Tests: ${counts(report)}`,
    ...section("Failed", failed, shares, ({ failureMessage }) => failureMessage),
    ...section("Flaky", flaky, shares, () => undefined),
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
