import { existsSync } from "node:fs"
import { join } from "node:path"
import { bytesText, durationText, flakyOnBaseText, sizeChangeText } from "../../../core/rules/amounts.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import { isIncomplete, missingTexts } from "../../../core/rules/imports.ts"
import type { TestRun } from "../../client/index.ts"
import type { Context } from "../command/Context.ts"
import type { Comparison, FailOn, Verdict } from "../history/comparison.ts"
import { checkMarkdown, type CheckResult, type MarkdownOf } from "./codeHosts.ts"
import { type App, type Attempts, countOf, nameOf, type Report } from "./report.ts"

/** Links for people without a key, by the ids of their runs, builds and previews. */
export type ShareLinks = ReadonlyMap<string, string>

/** How many tests are shown of those that failed, and of those that were flaky; the page has all of them. */
export const shownRuns = 50

/** How many builds and previews are shown. */
export const shownApps = 20

const messageCharacters = 1000

/**
 * A text within HTML, where Markdown has no meaning; no name can mention a person or end a tag. All that Bitbucket doesn't take a
 * backslash before is a character reference.
 */
const inHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[@|~]|:(?=\S)/g, (character) => `&#${character.charCodeAt(0)};`)

/** A text as Markdown that means nothing but itself, on one line. */
const plain = (text: string): string => inHtml(text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()#+\-.!]/g, "\\$&"))

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

/** A failure's message: its first line, and the whole text folded where there is more and the service can fold it. */
const messageText = (message: string, hasHtml: boolean): string => {
  const text = message.trim()
  // Playwright begins with a heading and a rule.
  const line = text.split("\n").find((one) => one.trim() !== "" && !one.includes("───")) ?? text
  const characters = Array.from(line.trim())
  const first = characters.slice(0, lineCharacters).join("")
  const isWhole = first === text
  if (isWhole) return plain(first)
  return `${plain(first)}…${hasHtml ? `\n\n${folded("Message", block(text))}` : ""}`
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

/** Why a new failure may be no fault of the change. */
const flakyText = (run: TestRun, comparison: Comparison | undefined): ReadonlyArray<string> => {
  const results = comparison?.flakyOnBase(run)
  return results === undefined ? [] : [flakyOnBaseText(comparison?.base ?? "", results)]
}

const line = (test: Attempts, { comparison, hasApps, shares }: Shown): string => {
  const [run] = test
  const share = shares.get(run.id)
  const facts = [
    [hasApps ? run.app : undefined, run.device?.name ?? platformNames[run.device?.platform ?? ""], run.job]
      .flatMap((text) => (text === undefined ? [] : plain(text)))
      .join(" · "),
    run.attempts === undefined || run.attempts.length < 2 ? "" : `${run.attempts.length} attempts`,
    share === undefined ? "" : `[${shareText}](${share})`,
    ...flakyText(run, comparison).map(plain),
    ...attemptFacts(test)
  ].filter((fact) => fact !== "")
  return [`- [${plain(nameOf(run))}](${run.traceUrl})`, ...facts].join(" · ")
}

/** The tests of a section: how many are shown, and what is said of each. */
interface Shown {
  readonly most: number
  readonly shares: ShareLinks
  readonly hasHtml: boolean
  readonly comparison: Comparison | undefined
  /** Whether they may be of several apps. */
  readonly hasApps: boolean
  /** Whether the message of each is shown. */
  readonly isFailed?: boolean
}

const listOf = (tests: ReadonlyArray<Attempts>, shown: Shown): string => {
  const { hasHtml, isFailed = false, most } = shown
  const lines = tests.slice(0, most).map((test) => {
    const text = line(test, shown)
    const message = isFailed ? test[0].failureMessage?.trim() : undefined
    return message ? `${text}  \n${messageText(message, hasHtml).replaceAll(/^(?=.)/gm, "  ")}` : text
  })
  return [...lines, ...(tests.length > most ? [`- and ${tests.length - most} more`] : [])].join("\n")
}

const section = (title: string, tests: ReadonlyArray<Attempts>, shown: Shown): ReadonlyArray<string> =>
  tests.length === 0 ? [] : [`**${title}**\n\n${listOf(tests, shown)}`]

/** A section that is closed until somebody opens it, where the service can fold it. */
const closedSection = (title: string, tests: ReadonlyArray<Attempts>, shown: Shown): ReadonlyArray<string> => {
  if (!shown.hasHtml) return section(plain(title), tests, shown)
  return tests.length === 0 ? [] : [folded(`<b>${inHtml(title)}</b>: ${tests.length}`, listOf(tests, shown))]
}

/** How many failures are new and how many are known, where the comparison tells. */
const verdictCounts = (
  failed: Report["failed"],
  comparison: Comparison | undefined,
  escape: (text: string) => string
): string => {
  if (comparison?.base === undefined) return ""
  const count = (wanted: Verdict) => failed.filter(([run]) => comparison.verdictOf(run) === wanted).length
  const flaky = failed.filter(([run]) => comparison.flakyOnBase(run) !== undefined).length
  const ofFlaky = flaky === 0 ? "" : `, ${flaky} new, but flaky`
  return ` (${count("new") - flaky} new${ofFlaky}, ${count("known")} known on ${escape(comparison.base)})`
}

/** How many tests failed, failed in quarantine, were flaky and passed. `escape` is applied to the name of the base branch. */
const countsText = (report: Report, comparison: Comparison | undefined, escape = (text: string) => text): string => {
  const { failed, flaky, imports, passed, quarantined } = report
  return [
    isIncomplete(imports) ? `⚠️ ${imports?.state}` : "",
    countOf(report) === 0 ? "no runs were registered" : "",
    failed.length === 0 ? "" : `❌ ${failed.length} failed${verdictCounts(failed, comparison, escape)}`,
    quarantined.length === 0 ? "" : `🔕 ${quarantined.length} quarantined`,
    flaky.length === 0 ? "" : `⚠️ ${flaky.length} flaky`,
    passed.length === 0 ? "" : `✅ ${passed.length} passed`
  ]
    .filter((text) => text !== "")
    .join(" · ")
}

const platformNames: Readonly<Record<string, string>> = { ios: "iOS", android: "Android" }

/** The commit, which GitHub and GitLab show as a link, the platforms, and how long the tests took together. */
const factsOf = ({ failed, flaky, passed, quarantined }: Report): ReadonlyArray<string> => {
  const runs = [...failed, ...quarantined, ...flaky, ...passed].map(([latest]) => latest)
  const platforms = new Set(runs.flatMap(({ device }) => device?.platform ?? []))
  const total = runs.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
  const facts = [
    runs.find(({ commitSha }) => commitSha !== undefined)?.commitSha ?? "",
    [...platforms].map((platform) => platformNames[platform] ?? plain(platform)).join(", "),
    total === 0 ? "" : durationText(total)
  ].filter((fact) => fact !== "")
  return facts.length === 0 ? [] : [facts.join(" · ")]
}

const nameOfApp = ({ kind, platform }: App): string =>
  platform === undefined ? kind : `${platformNames[platform]} ${kind}`

/** What came up when CI opened it: nothing where it didn't try. */
const checkTexts = ({ replayCheck }: App): ReadonlyArray<string> => {
  if (replayCheck === undefined) return []
  const { boxes, firstScreen } = replayCheck
  if (firstScreen === "not_checked") return ["first screen not checked"]
  if (firstScreen === "not_drawn") return ["❌ draws no first screen"]
  if (boxes === undefined || boxes.length === 0) return ["first screen drawn"]
  return [`first screen drawn with ${boxes.length} ${boxes.length === 1 ? "box" : "boxes"}`]
}

/** The builds and previews: a line for each, and the QR codes of their links, for phones. Those of share links need no key. */
const appsSection = (apps: ReadonlyArray<App>, shares: ShareLinks, hasHtml: boolean): ReadonlyArray<string> => {
  if (apps.length === 0) return []
  const shown = apps.slice(0, shownApps)
  const codeOf = (app: App) => `${shares.get(app.id) ?? app.url}/qr.gif`
  const lines = shown.map((app) => {
    const { base, id, sizeBytes, url } = app
    const share = shares.get(id)
    return [
      `- [Open the ${nameOfApp(app)} in the browser](${url})`,
      bytesText(sizeBytes) +
        ((base && `, ${sizeChangeText(sizeBytes, base.sizeBytes)} compared with ${plain(base.branch)}`) || ""),
      ...checkTexts(app),
      ...(share === undefined ? [] : [`[${shareText}](${share})`]),
      ...(hasHtml ? [] : [`[QR code](${codeOf(app)})`])
    ].join(" · ")
  })
  const more = apps.length > shownApps ? [`- and ${apps.length - shownApps} more`] : []
  const codes = shown.map(
    (app) => `${nameOfApp(app)}<br><img src="${codeOf(app)}" alt="QR code of the ${nameOfApp(app)}">`
  )
  return [
    `**Builds and previews**\n\n${[...lines, ...more].join("\n")}`,
    ...(hasHtml ? [folded("QR codes", codes.join("\n\n"))] : [])
  ]
}

/** What a report shows. `comparison` tells which failures are new. */
interface Shows {
  readonly report: Report
  readonly shares: ShareLinks
  readonly apps: ReadonlyArray<App>
  readonly comparison: Comparison | undefined
}

/**
 * A report as Markdown for a service that hosts code: new failures first. Where it would be too long for a comment, fewer tests are
 * shown, and it says how many more there are.
 */
export const markdownOf = ({ apps, comparison, report, shares }: Shows, { hasHtml, longest }: MarkdownOf): string => {
  const { app, failed, flaky, passed, quarantined, url } = report
  const title = `### Tests${app === undefined ? "" : ` of ${plain(app)}`}`
  const again = passed.filter(([, ...earlier]) => earlier.some(({ status }) => status === "failed"))
  const count = countOf(report)
  const ofApps = appsSection(apps, shares, hasHtml)
  const fits = (text: string) => Buffer.byteLength(text) <= longest
  const missing = missingTexts(report.imports)
  const incomplete =
    missing.length === 0 ? [] : [`**Not complete**\n\n${missing.map((text) => `- ${plain(text)}`).join("\n")}`]
  const isNotComplete = missing.length === 0 ? [] : ["**Not complete**"]
  if (count === 0) {
    const empty = [title, "⚠️ This CI run has no test results."]
    return (
      [
        [...empty, ...incomplete, ...ofApps],
        [...empty, ...incomplete]
      ]
        .map((parts) => parts.join("\n\n"))
        .find(fits) ?? [...empty, ...isNotComplete].join("\n\n")
    )
  }
  const base = comparison?.base
  const ofVerdict = (verdict: Verdict, isFlaky = false) =>
    failed.filter(
      ([run]) =>
        base !== undefined &&
        comparison?.verdictOf(run) === verdict &&
        (comparison?.flakyOnBase(run) !== undefined) === isFlaky
    )
  const text = (most: number): string => {
    const shown = { most, shares, hasHtml, comparison, hasApps: app === undefined }
    return [
      `${title}: ${countsText(report, comparison, plain)}`,
      ...incomplete,
      ...factsOf(report),
      ...section("New failures", ofVerdict("new"), { ...shown, isFailed: true }),
      ...section(`New, but flaky on ${plain(base ?? "")}`, ofVerdict("new", true), { ...shown, isFailed: true }),
      ...section("Failed", base === undefined ? failed : ofVerdict(undefined), { ...shown, isFailed: true }),
      ...ofApps,
      ...closedSection(`Known on ${base ?? ""}`, ofVerdict("known"), { ...shown, isFailed: true }),
      ...closedSection("Quarantined", quarantined, { ...shown, isFailed: true }),
      ...closedSection("Flaky", flaky, shown),
      ...closedSection("Passed when run again", again, shown),
      `[All ${count} ${count === 1 ? "run" : "runs"}](${url})`
    ].join("\n\n")
  }
  return (
    [shownRuns, 20, 5, 0].map(text).find(fits) ??
    [`${title}: ${countsText(report, comparison, plain)}`, ...isNotComplete, `[All ${count} runs](${url})`].join("\n\n")
  )
}

/** The links for people without a key that a text of {@link markdownOf} has. */
export const sharesIn = (markdown: string): ShareLinks =>
  new Map(
    Array.from(
      markdown.matchAll(new RegExp(`/(?:runs|builds|previews)/([\\w-]+)\\).*\\[${shareText}\\]\\(([^)\\s]+)\\)`, "g")),
      ([, id = "", url = ""]) => [id, url] as const
    )
  )

/**
 * The file of a test, for an annotation: `undefined` if the checkout in this folder doesn't have it. Maestro without a report gives only
 * the name of a flow's file, and a path of another job may not exist here. Without a checkout, the path is as it was reported.
 */
const checkedOutFile = (cwd: string, file: string | undefined): string | undefined =>
  file === undefined || !existsSync(join(cwd, ".git")) || existsSync(join(cwd, file)) ? file : undefined

/** As GitHub decodes the message of a workflow command. */
const message = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

/** As it decodes a property of one. */
const property = (text: string): string => message(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/** A failure beside its file: its message, and the page of the run. */
const annotationOf = (run: TestRun, comparison: Comparison | undefined, cwd: string) => ({
  path: checkedOutFile(cwd, run.file),
  title: nameOf(run),
  message: [run.failureMessage ?? "It failed, without a message.", ...flakyText(run, comparison), run.traceUrl].join(
    "\n"
  ),
  isKnown: comparison?.verdictOf(run) === "known"
})

const errorLine = ({ isKnown, message: text, path, title }: ReturnType<typeof annotationOf>): string => {
  const file = path === undefined ? "" : `file=${property(path)},`
  return `::${isKnown ? "warning" : "error"} ${file}title=${property(title)}::${message(text)}`
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
  ...failed.slice(0, 10).map(([run]) => errorLine(annotationOf(run, comparison, cwd)))
]

// The result of a CI run beside its commit: a check run of GitHub, a commit status elsewhere.

/** What the result of a CI run depends on. `comparison` is `undefined` where nothing is known of the base branch. */
interface Judged {
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
      const { path, ...annotation } = annotationOf(run, comparison, cwd)
      return path === undefined ? [] : [{ ...annotation, path }]
    })
  }
}
