import { appendFile } from "node:fs/promises"
import { missingTexts } from "../../../core/rules/imports.ts"
import type { Client } from "../../client/index.ts"
import type { commentOptions, Input, dryRunOption, settingOptions } from "../command/options.ts"
import { type Context, ExitCode, oneOf, Stopped, unusable } from "../command/Context.ts"
import {
  compare,
  type Comparison,
  comparisonLine,
  exitOf,
  expectedImportsIn,
  failOnIn,
  notCompared
} from "../history/comparison.ts"
import { quarantinedLine, quarantining } from "../history/quarantine.ts"
import { asking, detectedLines, required, settingsOf } from "../settings/settings.ts"
import { type App, countOf, readApps, readReport, type Report } from "./report.ts"
import { codeHostOf, codeHosts, githubMarkdown, type MarkdownOf } from "./codeHosts.ts"
import {
  checkOf,
  errorLines,
  markdownOf,
  type ShareLinks,
  sharesIn,
  shownApps,
  shownRuns,
  summaryMarkdown
} from "./markdown.ts"
import { writeComment, writeResult } from "./codeHostReport.ts"

type CommentInput = Input<typeof commentOptions & typeof dryRunOption & typeof settingOptions>

const formats = ["markdown", "comment", "check", "summary", "errors"] as const
type Format = (typeof formats)[number]

/** The formats of the report: on GitHub and Gitea three of them, on other code hosts with a token the comment, elsewhere Markdown. */
const formatsIn = (requested: ReadonlyArray<string> | undefined, env: Context["env"]): ReadonlySet<Format> => {
  if (requested === undefined) {
    if (env["GITHUB_ACTIONS"] === "true")
      return new Set(["comment", ...(env["GITHUB_STEP_SUMMARY"] ? ["summary" as const] : []), "errors"])
    const host = codeHostOf(env)
    return new Set([host !== codeHosts.github && host.tokens.some((name) => env[name]) ? "comment" : "markdown"])
  }
  return new Set(requested.flatMap((text) => oneOf("--format", text, formats) ?? []))
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }

/** How long share links live, in seconds. */
const lifeIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const [, count, unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw unusable(`--share must be like 7d, 12h or 30m, and is ${JSON.stringify(text)}.`)
  return Number(count) * (unitSeconds[unit] ?? 0)
}

const conclusions = ["failure", "neutral", "success"] as const

/** The conclusion of a CI run without runs. Unless something else is set, it blocks a required check. */
const ifEmptyIn = (flag: string | undefined, env: Context["env"]) =>
  oneOf("--if-empty (SLIPWAY_IF_EMPTY)", flag?.trim() || env["SLIPWAY_IF_EMPTY"]?.trim() || "failure", conclusions) ??
  "failure"

/** Adds a link for people without a key to each run and app that is shown and has none yet. */
const withShares = async (
  { builds, previews, testRuns }: Client,
  { failed, flaky, quarantined }: Report,
  apps: ReadonlyArray<App>,
  expiresInSeconds: number | undefined,
  known: ShareLinks
): Promise<ShareLinks> => {
  if (expiresInSeconds === undefined) return new Map()
  const all = new Map(known)
  const shown = [
    ...[failed, quarantined, flaky]
      .flatMap((tests) => tests.slice(0, shownRuns))
      .map(([{ id }]) => [testRuns, id] as const),
    ...apps.slice(0, shownApps).map(({ id, kind }) => [kind === "build" ? builds : previews, id] as const)
  ]
  for (const [of, id] of shown) {
    if (!all.has(id)) all.set(id, (await of.share(id, { expiresInSeconds })).url)
  }
  return all
}

/** Reports the test results of a CI run on its pull request, or as output. */
export const comment = async ({ values }: CommentInput, context: Context): Promise<ExitCode> => {
  const { env, err, out, signal } = context
  const wanted = formatsIn(values.format, env)
  const life = lifeIn(values.share)
  const failOn = failOnIn(values["fail-on"])
  const ifEmpty = ifEmptyIn(values["if-empty"], env)
  const expectedImports = expectedImportsIn(values["expect-imports"], env)
  const found = await settingsOf(values, context)
  if (values["dry-run"] === true) {
    for (const line of detectedLines(found)) err(line)
    err(`The report would be written as: ${[...wanted].join(", ")}. Nothing was requested or sent.`)
    return ExitCode.done
  }
  const settings = required(
    found,
    "url",
    "owner",
    "repo",
    "source",
    ...(wanted.has("check") ? ["commit" as const] : [])
  )
  const summary = env["GITHUB_STEP_SUMMARY"]
  if (values.format !== undefined && wanted.has("summary") && !summary)
    throw unusable("--format summary needs GITHUB_STEP_SUMMARY, which GitHub sets.")
  const codeHost = codeHostOf(env)
  if (values.format === undefined && wanted.has("markdown") && codeHost !== codeHosts.github) {
    err(`The report is printed, and no comment is written: ${codeHost.tokens[0]} isn't set. ${codeHost.grant}`)
  }
  const isQuarantined = quarantining(context.cwd)
  return asking(settings, async (client) => {
    let report: Report = { failed: [], quarantined: [], flaky: [], passed: [], imports: undefined, url: "" }
    let comparison: Comparison | Stopped | undefined
    let apps: ReadonlyArray<App> = []
    let shares: ShareLinks = new Map()
    const read = async () => {
      report = await readReport(client, { ...settings, expectedImports }, isQuarantined, signal)
      const failed = report.failed.map(([run]) => run)
      comparison = failed.length === 0 ? undefined : await compare(client, settings, failed, signal).catch(notCompared)
      apps = await readApps(client, settings, signal)
    }
    const compared = () => (comparison instanceof Stopped ? undefined : comparison)
    const text = async (markdown: MarkdownOf = githubMarkdown): Promise<string> => {
      shares = await withShares(client, report, apps, life, shares)
      return markdownOf({ report, shares, apps, comparison: compared() }, markdown)
    }
    await read()
    // A report that can't be written is a failure; with --lenient-reporting it is a warning, unless it is the result of the commit,
    // because an earlier success may stand there.
    const problems: Array<Stopped> = []
    const isLenient = values["lenient-reporting"] === true
    const note = (outcome: string | Stopped, isNeeded = false) => {
      if (typeof outcome === "string") err(outcome)
      else if (isLenient && !isNeeded) err(`Warning: ${outcome.message}`)
      else problems.push(outcome)
    }
    // Each workflow of GitHub is a CI run of its own: one that passed replaces no report of another that failed.
    const workflow = env["GITHUB_WORKFLOW"]
    const named = values.name ?? `${settings.owner}/${settings.repo}${workflow ? ` ${workflow}` : ""}`
    const name = settings.app === undefined ? named : `${named} (${settings.app})`
    if (wanted.has("comment")) {
      const textOf = async (now: string, markdown: MarkdownOf) => {
        await read()
        shares = new Map([...shares, ...sharesIn(now)])
        return text(markdown)
      }
      note(await writeComment(settings, context, { name, source: settings.source }, textOf))
    }
    if (wanted.has("check")) {
      const check = async () => {
        await read()
        return checkOf(
          { report, comparison: compared(), failOn, ifEmpty },
          `Slipway ${name}`,
          await text(summaryMarkdown(env)),
          context
        )
      }
      note(await writeResult(settings, context, check), true)
    }
    if (wanted.has("markdown")) out(await text())
    if (wanted.has("summary")) {
      const markdown = await text()
      await appendFile(summary ?? "", `${markdown}\n`).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        note(new Stopped(ExitCode.usage, `The summary of the step isn't written: ${why}`))
      })
    }
    if (wanted.has("errors")) for (const line of errorLines(report, compared(), context.cwd)) out(line)
    const isEmpty = countOf(report) === 0
    if (isEmpty) {
      err(
        `The host has no runs of ${settings.source}${settings.app === undefined ? "" : ` and the app ${settings.app}`}.`
      )
    }
    const missing = missingTexts(report.imports)
    if (missing.length > 0) err(`This CI run is not complete:\n${missing.map((text) => `  ${text}`).join("\n")}`)
    const [first, ...more] = problems
    for (const problem of more) err(problem.message)
    if (first !== undefined) throw first
    const { failed, flaky, quarantined } = report
    if (quarantined.length > 0) err(quarantinedLine(quarantined.length))
    if (failOn !== undefined && (missing.length > 0 || (isEmpty && ifEmpty === "failure"))) return ExitCode.failOn
    if (comparison === undefined) return failOn === "flaky" && flaky.length > 0 ? ExitCode.failOn : ExitCode.done
    if (failOn !== "new-failures") {
      if (comparison instanceof Stopped) err(`Warning: ${comparison.message}`)
      return failOn === undefined ? ExitCode.done : ExitCode.failOn
    }
    if (comparison instanceof Stopped) throw comparison
    const runs = failed.map(([run]) => run)
    err(comparisonLine(comparison, runs))
    return exitOf(comparison, runs)
  })
}
