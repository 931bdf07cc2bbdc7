import { appendFile } from "node:fs/promises"
import type { Client } from "../../client/index.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Input } from "../command/Command.ts"
import type { Context } from "../command/Context.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped, unusable } from "../command/Stopped.ts"
import { asking } from "../settings/connect.ts"
import { required, settingsOf, type Settings, type settingOptions } from "../settings/settings.ts"
import type { commentOptions } from "./commentOptions.ts"
import { errorLines } from "./errors.ts"
import { commentsOf } from "./GitHub.ts"
import { markdownOf, sharesIn, shownRuns, type ShareLinks } from "./markdown.ts"
import { countOf, type Report } from "./Report.ts"
import { readReport } from "./sourceRuns.ts"
import { writeSticky } from "./sticky.ts"

export type CommentInput = Input<typeof commentOptions & typeof settingOptions>

const formats = ["markdown", "comment", "summary", "errors"] as const
type Format = (typeof formats)[number]

/** What is told, and where: on GitHub in its three places, elsewhere as Markdown. */
const formatsIn = (told: ReadonlyArray<string> | undefined, env: Context["env"]): ReadonlySet<Format> => {
  if (told === undefined)
    return new Set(env["GITHUB_ACTIONS"] === "true" ? ["comment", "summary", "errors"] : ["markdown"])
  return new Set(
    told.map((text) => {
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

const failOnIn = (text: string | undefined): "failed" | "flaky" | undefined => {
  if (text === undefined || text === "failed" || text === "flaky") return text
  throw unusable(`--fail-on must be failed or flaky, and is ${JSON.stringify(text)}.`)
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
  for (const { id } of [...failed.slice(0, shownRuns), ...flaky.slice(0, shownRuns)]) {
    if (!all.has(id)) all.set(id, (await client.testRuns.share(id, { expiresInSeconds })).url)
  }
  return all
}

type Asked = Settings & { readonly owner: string; readonly repo: string }

/** The comments of the pull request, where there is one and a token; else the reason why there are none, or what is missing. */
const pullRequest = ({ isFork, owner, pr, repo }: Asked, { env, signal }: Context) => {
  const token = env["GITHUB_TOKEN"] || env["GH_TOKEN"]
  if (pr === undefined) return "No comment: this is no pull request, and --pr names none."
  if (token === undefined) {
    const why = "No comment: GITHUB_TOKEN isn't set. In a workflow: env: GITHUB_TOKEN: ${{ github.token }}"
    return isFork === true ? why : unusable(why)
  }
  const [ownerThere = owner, repoThere = repo] = env["GITHUB_REPOSITORY"]?.split("/") ?? []
  const api = env["GITHUB_API_URL"] || "https://api.github.com"
  return commentsOf({ api, token, owner: ownerThere, repo: repoThere, pr, signal })
}

/** Says of a comment that the token may not write what grants it. */
const refused = (error: unknown, isFork: boolean): unknown => {
  if (!(error instanceof SlipwayError) || (error.status !== 403 && error.status !== 404)) return error
  const why = `GitHub doesn't let this token write the comment: ${error.detail}`
  return isFork
    ? new Stopped(ExitCode.done, `No comment: a pull request from a fork gets a token that only reads. ${why}`)
    : new Stopped(ExitCode.host, `${why}\nA workflow grants it: permissions: pull-requests: write`)
}

/** Tells a pull request, or whoever reads the output, how the runs of a source went. */
export const comment = async ({ values }: CommentInput, context: Context): Promise<ExitCode> => {
  const { env, err, out, signal } = context
  const wanted = formatsIn(values.format, env)
  const life = lifeIn(values.share)
  const failOn = failOnIn(values["fail-on"])
  const settings = required(await settingsOf(values, context), "url", "owner", "repo", "source")
  const { isFork = false, source } = settings
  const there = wanted.has("comment") ? pullRequest(settings, context) : undefined
  const summary = env["GITHUB_STEP_SUMMARY"]
  if (wanted.has("summary") && !summary)
    throw unusable("--format summary needs GITHUB_STEP_SUMMARY, which GitHub sets.")
  return asking(settings, async (client) => {
    const read = () => readReport(client, settings, signal)

    let report = await read()
    let shares: ShareLinks = new Map()
    const text = async (): Promise<string> => {
      shares = await withShares(client, report, life, shares)
      return markdownOf(report, shares)
    }
    // What keeps the comment from being written is told at the end, for the summary and the lines need no comment.
    let failure: unknown
    if (typeof there === "string") err(there)
    else if (there instanceof Stopped) failure = there
    else if (there !== undefined) {
      const sticky = { name: values.name ?? `${settings.owner}/${settings.repo}`, source }
      const isWritten = await writeSticky(there, sticky, async (now) => {
        report = await read()
        shares = new Map([...shares, ...sharesIn(now)])
        return text()
      }).catch((error: unknown) => {
        failure = refused(error, isFork)
        return undefined
      })
      if (isWritten !== undefined) {
        err(isWritten ? "The comment is written." : "The comment tells of a later run already.")
      }
    }
    if (wanted.has("markdown")) out(await text())
    if (wanted.has("summary") && summary) await appendFile(summary, `${await text()}\n`)
    if (wanted.has("errors")) for (const line of errorLines(report)) out(line)
    if (failure !== undefined) throw failure
    if (countOf(report) === 0) err(`The host has no runs of ${source}.`)
    const { failed, flaky } = report
    const isMet = failOn !== undefined && (failed.length > 0 || (failOn === "flaky" && flaky.length > 0))
    return isMet ? ExitCode.failOn : ExitCode.done
  })
}
