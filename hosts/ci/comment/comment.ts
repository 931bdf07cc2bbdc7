import { appendFile } from "node:fs/promises"
import type { Client } from "../../client/index.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Input } from "../command/Command.ts"
import type { Context } from "../command/Context.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped, unusable } from "../command/Stopped.ts"
import { compare, comparisonLine, exitOf, notCompared, type Comparison } from "../history/comparison.ts"
import { failOnIn } from "../history/failOn.ts"
import { asking } from "../settings/connect.ts"
import {
  detectedLines,
  required,
  settingsOf,
  type dryRunOption,
  type Settings,
  type settingOptions
} from "../settings/settings.ts"
import { readBuilds, type BuildChange } from "./builds.ts"
import type { commentOptions } from "./commentOptions.ts"
import { errorLines } from "./errors.ts"
import { codeHosts, commentsOf } from "./Comments.ts"
import { markdownOf, sharesIn, shownRuns, type ShareLinks } from "./markdown.ts"
import { countOf, type Report } from "./Report.ts"
import { readReport } from "./sourceRuns.ts"
import { writeSticky } from "./sticky.ts"

export type CommentInput = Input<typeof commentOptions & typeof dryRunOption & typeof settingOptions>

const formats = ["markdown", "comment", "summary", "errors"] as const
type Format = (typeof formats)[number]

/** The formats of the report: on GitHub three of them, on GitLab with a token the comment, elsewhere Markdown. */
const formatsIn = (requested: ReadonlyArray<string> | undefined, env: Context["env"]): ReadonlySet<Format> => {
  if (requested === undefined)
    return new Set(
      env["GITHUB_ACTIONS"] === "true"
        ? ["comment", "summary", "errors"]
        : [env["GITLAB_CI"] === "true" && env["GITLAB_TOKEN"] ? "comment" : "markdown"]
    )
  return new Set(
    requested.map((text) => {
      const format = formats.find((one) => one === text)
      if (format === undefined) throw unusable(`--format must be one of ${formats.join(", ")}, and is ${text}.`)
      return format
    })
  )
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }

/** How long share links live, in seconds. */
const lifeIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const [, count, unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw unusable(`--share must be like 7d, 12h or 30m, and is ${JSON.stringify(text)}.`)
  return Number(count) * (unitSeconds[unit] ?? 0)
}

/** Adds a link for people without a key to each run that is shown and has none yet. */
const withShares = async (
  client: Client,
  { failed, flaky }: Report,
  expiresInSeconds: number | undefined,
  known: ShareLinks
): Promise<ShareLinks> => {
  if (expiresInSeconds === undefined) return new Map()
  const all = new Map(known)
  for (const [{ id }] of [...failed.slice(0, shownRuns), ...flaky.slice(0, shownRuns)]) {
    if (!all.has(id)) all.set(id, (await client.testRuns.share(id, { expiresInSeconds })).url)
  }
  return all
}

type Asked = Settings & { readonly owner: string; readonly repo: string }

/** The comments of the pull request, where there is one and a token; else the reason why there are none, or what is missing. */
const pullRequest = ({ isFork, owner, pr, repo }: Asked, { env, err, signal }: Context) => {
  const isGitLab = env["GITLAB_CI"] === "true"
  const host = isGitLab ? codeHosts.gitlab : codeHosts.github
  const token = isGitLab ? env["GITLAB_TOKEN"] : env["GITHUB_TOKEN"] || env["GH_TOKEN"]
  if (pr === undefined) return "No comment: this is no pull request, and --pr names none."
  if (!token) {
    const why = isGitLab
      ? `No comment: GITLAB_TOKEN isn't set. ${host.grant}`
      : "No comment: GITHUB_TOKEN isn't set. In a workflow: env: GITHUB_TOKEN: ${{ github.token }}"
    return isFork === true ? why : unusable(why)
  }
  const [ownerThere = owner, repoThere = repo] = env["GITHUB_REPOSITORY"]?.split("/") ?? []
  return {
    host,
    comments: commentsOf({
      host,
      api: isGitLab
        ? env["CI_API_V4_URL"] || "https://gitlab.com/api/v4"
        : env["GITHUB_API_URL"] || "https://api.github.com",
      token,
      repository: isGitLab
        ? { project: env["CI_MERGE_REQUEST_PROJECT_ID"] || env["CI_PROJECT_ID"] || `${owner}/${repo}` }
        : { owner: ownerThere, repo: repoThere },
      pr,
      signal,
      log: err
    })
  }
}

/** What is said of a token that may not: not of a locked conversation or a rate limit. */
const lacksPermission = ({ code, detail, status }: SlipwayError): boolean =>
  code !== "rate_limited" &&
  (status === 404 ||
    (status === 403 && /not accessible by|must have|permission|not authorized|SAML|forbidden/i.test(detail)))

/** Why a comment isn't written, and what helps; a reason alone where nobody can help. */
const notWritten = (
  error: SlipwayError,
  { grant, name }: { readonly name: string; readonly grant: string },
  isFork: boolean
): Stopped | string => {
  if (lacksPermission(error)) {
    const why = `${name} doesn't let this token write the comment: ${error.detail}`
    return isFork
      ? `No comment: a pull request from a fork gets a token that only reads. ${why}`
      : new Stopped(ExitCode.host, `${why}\n${grant}`)
  }
  const advice = error.status === 401 ? `\nCheck the token: ${name} doesn't know it.` : ""
  return new Stopped(ExitCode.host, `The comment isn't written. ${error.message}${advice}`)
}

/** Reports the test results of a CI run on its pull request, or as output. */
export const comment = async ({ values }: CommentInput, context: Context): Promise<ExitCode> => {
  const { env, err, out, signal } = context
  const wanted = formatsIn(values.format, env)
  const life = lifeIn(values.share)
  const failOn = failOnIn(values["fail-on"])
  const found = await settingsOf(values, context)
  if (values["dry-run"] === true) {
    for (const line of detectedLines(found)) err(line)
    err(`The report would be written as: ${[...wanted].join(", ")}. Nothing was requested or sent.`)
    return ExitCode.done
  }
  const settings = required(found, "url", "owner", "repo", "source")
  const { isFork = false, source } = settings
  const there = wanted.has("comment") ? pullRequest(settings, context) : undefined
  const summary = env["GITHUB_STEP_SUMMARY"]
  if (values.format !== undefined && wanted.has("summary") && !summary)
    throw unusable("--format summary needs GITHUB_STEP_SUMMARY, which GitHub sets.")
  return asking(settings, async (client) => {
    let report: Report = { failed: [], flaky: [], passed: [], url: "" }
    let comparison: Comparison | Stopped | undefined
    let builds: ReadonlyArray<BuildChange> = []
    const read = async () => {
      report = await readReport(client, settings, signal)
      const failed = report.failed.map(([run]) => run)
      comparison = failed.length === 0 ? undefined : await compare(client, settings, failed, signal).catch(notCompared)
      builds = await readBuilds(client, settings, signal)
    }
    await read()
    let shares: ShareLinks = new Map()
    const text = async (): Promise<string> => {
      shares = await withShares(client, report, life, shares)
      return markdownOf(report, shares, builds, comparison instanceof Stopped ? undefined : comparison)
    }
    // A report that can't be written is a warning; with --strict-reporting it is a failure.
    const problems: Array<Stopped> = []
    if (typeof there === "string") err(there)
    else if (there instanceof Stopped) problems.push(there)
    else if (there !== undefined) {
      const sticky = { name: values.name ?? `${settings.owner}/${settings.repo}`, source }
      let ofHost: unknown
      const isWritten = await writeSticky(there.comments, sticky, async (now) => {
        try {
          await read()
          shares = new Map([...shares, ...sharesIn(now)])
          return await text()
        } catch (error) {
          ofHost = error
          throw error
        }
      }).catch((error: unknown) => {
        if (error === ofHost || !(error instanceof SlipwayError)) throw error
        const why = notWritten(error, there.host, isFork)
        if (typeof why === "string") err(why)
        else problems.push(why)
        return undefined
      })
      if (isWritten !== undefined) {
        err(isWritten ? "The comment is written." : "The comment already reports a later run.")
      }
    }
    if (wanted.has("markdown")) out(await text())
    if (wanted.has("summary")) {
      const markdown = await text()
      await appendFile(summary ?? "", `${markdown}\n`).catch((error: unknown) => {
        const why = summary
          ? error instanceof Error
            ? error.message
            : String(error)
          : "GITHUB_STEP_SUMMARY isn't set."
        problems.push(new Stopped(ExitCode.usage, `The summary of the step isn't written: ${why}`))
      })
    }
    if (wanted.has("errors")) for (const line of errorLines(report)) out(line)
    if (countOf(report) === 0) err(`The host has no runs of ${source}.`)
    const isStrict = values["strict-reporting"] === true
    const [first] = problems
    for (const problem of isStrict ? problems.slice(1) : problems) err(`Warning: ${problem.message}`)
    if (first !== undefined && isStrict) throw first
    const { failed, flaky } = report
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
