import { durationText } from "../../../core/rules/amounts.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import type { Comparison, Verdict } from "../history/comparison.ts"
import { buildLines, type BuildChange } from "./builds.ts"
import { countOf, nameOf, type Attempts, type Report } from "./Report.ts"

/** Links for people without a key, by the ids of their runs. */
export type ShareLinks = ReadonlyMap<string, string>

/** How many tests are shown of those that failed, and of those that were flaky; the page has all of them. */
export const shownRuns = 50

const messageCharacters = 1000

/** A text within HTML, where Markdown has no meaning; no name can mention a person or end a tag. */
const inHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("@", "&#64;")

/** A text as Markdown that means nothing but itself, on one line. */
const plain = (text: string): string => inHtml(text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()#+\-.!|~:]/g, "\\$&"))

/** A text as a block of code that nothing in it can end. */
const block = (text: string): string => {
  const characters = Array.from(text)
  const cut = characters.length > messageCharacters ? `${characters.slice(0, messageCharacters).join("")}…` : text
  const longest = Math.max(2, ...Array.from(cut.matchAll(/`+/g), ([fence]) => fence.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}text\n${cut}\n${fence}`
}

const folded = (summary: string, text: string): string =>
  `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`

/** How many characters of the first line of a message are shown without unfolding it. */
const lineCharacters = 200

/** A failure's message: its first line, and the whole text folded where there is more. */
const messageText = (message: string): string => {
  const text = message.trim()
  const characters = Array.from(text.split("\n", 1)[0] ?? "")
  const first = characters.slice(0, lineCharacters).join("")
  const isWhole = first === text
  return `${plain(first)}${isWhole ? "" : `…\n\n${folded("Message", block(text))}`}`
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

const line = (test: Attempts, shares: ShareLinks): string => {
  const [run] = test
  const share = shares.get(run.id)
  const facts = [
    run.device?.name === undefined ? "" : plain(run.device.name),
    run.attempts === undefined || run.attempts.length < 2 ? "" : `${run.attempts.length} attempts`,
    share === undefined ? "" : `[${shareText}](${share})`,
    ...attemptFacts(test)
  ].filter((fact) => fact !== "")
  return [`- [${plain(nameOf(run))}](${run.traceUrl})`, ...facts].join(" · ")
}

/** The tests of a section: how many are shown, and what is said of each. */
interface Shown {
  readonly most: number
  readonly shares: ShareLinks
  /** Whether the message of each is shown. */
  readonly isFailed?: boolean
}

const listOf = (tests: ReadonlyArray<Attempts>, { isFailed = false, most, shares }: Shown): string => {
  const lines = tests.slice(0, most).map((test) => {
    const text = line(test, shares)
    const message = isFailed ? test[0].failureMessage?.trim() : undefined
    return message ? `${text}\n${messageText(message).replaceAll(/^(?=.)/gm, "  ")}` : text
  })
  return [...lines, ...(tests.length > most ? [`- and ${tests.length - most} more`] : [])].join("\n")
}

const section = (title: string, tests: ReadonlyArray<Attempts>, shown: Shown): ReadonlyArray<string> =>
  tests.length === 0 ? [] : [`**${title}**\n\n${listOf(tests, shown)}`]

/** A section that is closed until somebody opens it. */
const closedSection = (title: string, tests: ReadonlyArray<Attempts>, shown: Shown): ReadonlyArray<string> =>
  tests.length === 0 ? [] : [folded(`<b>${title}</b>: ${tests.length}`, listOf(tests, shown))]

/** How many failures are new and how many are known, where the comparison tells. */
const verdictCounts = (
  failed: Report["failed"],
  comparison: Comparison | undefined,
  escape: (text: string) => string
): string => {
  if (comparison?.base === undefined) return ""
  const count = (wanted: Verdict) => failed.filter(([run]) => comparison.verdictOf(run) === wanted).length
  return ` (${count("new")} new, ${count("known")} known on ${escape(comparison.base)})`
}

/** How many tests failed, were flaky and passed. `escape` is applied to the name of the base branch. */
export const countsText = (
  { failed, flaky, passed }: Report,
  comparison: Comparison | undefined,
  escape = (text: string) => text
): string =>
  [
    failed.length === 0 ? "" : `❌ ${failed.length} failed${verdictCounts(failed, comparison, escape)}`,
    flaky.length === 0 ? "" : `⚠️ ${flaky.length} flaky`,
    passed.length === 0 ? "" : `✅ ${passed.length} passed`
  ]
    .filter((text) => text !== "")
    .join(" · ")

const platformNames: Readonly<Record<string, string>> = { ios: "iOS", android: "Android" }

/** The commit, which GitHub and GitLab show as a link, the platforms, and how long the tests took together. */
const factsOf = ({ failed, flaky, passed }: Report): ReadonlyArray<string> => {
  const runs = [...failed, ...flaky, ...passed].map(([latest]) => latest)
  const platforms = new Set(runs.flatMap(({ device }) => device?.platform ?? []))
  const total = runs.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
  const facts = [
    runs.find(({ commitSha }) => commitSha !== undefined)?.commitSha ?? "",
    [...platforms].map((platform) => platformNames[platform] ?? plain(platform)).join(", "),
    total === 0 ? "" : durationText(total)
  ].filter((fact) => fact !== "")
  return facts.length === 0 ? [] : [facts.join(" · ")]
}

/** GitHub refuses a longer comment. */
const longestBody = 65_000

/**
 * A report as Markdown, as GitHub and GitLab show it: new failures first. `comparison` tells which failures are new. Where it would be
 * too long for a comment, fewer tests are shown, and it says how many more there are.
 */
export const markdownOf = (
  report: Report,
  shares: ShareLinks,
  builds: ReadonlyArray<BuildChange>,
  comparison?: Comparison
): string => {
  const { failed, flaky, passed, url } = report
  const again = passed.filter(([, ...earlier]) => earlier.some(({ status }) => status === "failed"))
  const count = countOf(report)
  const ofBuilds = builds.length === 0 ? [] : [`**Builds**\n\n${buildLines(builds, plain).join("\n")}`]
  if (count === 0) return ["### Tests", "No runs were registered yet.", ...ofBuilds].join("\n\n")
  const base = comparison?.base
  const ofVerdict = (...verdicts: ReadonlyArray<Verdict>) =>
    base === undefined ? [] : failed.filter(([run]) => verdicts.includes(comparison?.verdictOf(run)))
  const known = ofVerdict("known")
  const text = (most: number): string => {
    const shown = { most, shares }
    return [
      `### Tests: ${countsText(report, comparison, plain)}`,
      ...factsOf(report),
      ...section("New failures", ofVerdict("new"), { ...shown, isFailed: true }),
      ...section("Failed", base === undefined ? failed : ofVerdict(undefined), { ...shown, isFailed: true }),
      ...ofBuilds,
      ...closedSection(`Known on ${inHtml(base ?? "")}`, known, { ...shown, isFailed: true }),
      ...closedSection("Flaky", flaky, shown),
      ...closedSection("Passed when run again", again, shown),
      `[All ${count} ${count === 1 ? "run" : "runs"}](${url})`
    ].join("\n\n")
  }
  return [shownRuns, 20, 5].map(text).find(({ length }) => length <= longestBody) ?? text(0)
}

/** The links for people without a key that a text of {@link markdownOf} has. */
export const sharesIn = (markdown: string): ShareLinks =>
  new Map(
    Array.from(
      markdown.matchAll(new RegExp(`/runs/([\\w-]+)\\).*\\[${shareText}\\]\\(([^)\\s]+)\\)`, "g")),
      ([, id = "", url = ""]) => [id, url] as const
    )
  )
