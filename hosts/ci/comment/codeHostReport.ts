/** The parts of a report that the service that hosts the code shows: the comment of the pull request, and the result of the commit. */
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Context } from "../command/Context.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped, unusable } from "../command/Stopped.ts"
import type { Settings } from "../settings/settings.ts"
import { writeCheck } from "./check.ts"
import {
  callsOf,
  codeHostOf,
  codeHosts,
  pullRequestOf,
  type Access,
  type CheckResult,
  type MarkdownOf
} from "./codeHosts.ts"
import { commentsOf } from "./Comments.ts"
import { headOf, writeSticky, type Sticky } from "./sticky.ts"

/** What was done, or why nobody can do it; a `Stopped` is a problem that somebody can solve. */
type Outcome = string | Stopped

/** The API of the service; else why it can't be used. */
const accessOf = (settings: Settings, { env, err, signal }: Context): Access | Outcome => {
  const host = codeHostOf(env)
  const token = host.tokens.map((name) => env[name]).find((text) => text)
  if (token !== undefined) {
    return { host, api: host.api(env), token, repository: host.repository(env, settings), signal, log: err }
  }
  const how = host === codeHosts.github ? "In a workflow: env: GITHUB_TOKEN: ${{ github.token }}" : host.grant
  const why = `${host.tokens[0]} isn't set. ${how}`
  return settings.isFork === true ? why : unusable(why)
}

const isAccess = (access: Access | Outcome): access is Access =>
  typeof access !== "string" && !(access instanceof Stopped)

/** Whether a token may not: this is not so for a locked conversation or a rate limit. */
const lacksPermission = ({ code, detail, status }: SlipwayError): boolean =>
  code !== "rate_limited" &&
  (status === 404 ||
    (status === 403 && /not accessible by|must have|permission|not authorized|SAML|forbidden/i.test(detail)))

const notWritten = (
  what: string,
  error: SlipwayError,
  { grant, name }: Access["host"],
  isFork: boolean | undefined
): Outcome => {
  if (lacksPermission(error)) {
    const why = `${name} doesn't let this token write the ${what}: ${error.detail}`
    return isFork === true
      ? `No ${what}: a pull request from a fork gets a token that only reads. ${why}`
      : new Stopped(ExitCode.host, `${why}\n${grant}`)
  }
  const advice = error.status === 401 ? `\nCheck the token: ${name} doesn't know it.` : ""
  return new Stopped(ExitCode.host, `The ${what} isn't written. ${error.message}${advice}`)
}

/** The Slipway host failed while a report was written elsewhere. */
class HostFailed extends Error {
  override readonly name = "HostFailed"
}

/** Reads from the Slipway host, whose failures are no failures of the service. */
const fromHost = <A>(read: Promise<A>): Promise<A> =>
  read.catch((cause: unknown) => {
    throw new HostFailed("the host failed", { cause })
  })

const written = (
  what: string,
  access: Access | Outcome,
  isFork: boolean | undefined,
  write: (access: Access) => Promise<Outcome>
): Promise<Outcome> | Outcome => {
  if (typeof access === "string") return `No ${what}: ${access}`
  if (access instanceof Stopped) return new Stopped(access.code, `No ${what}: ${access.message}`)
  return write(access).catch((error: unknown) => {
    if (error instanceof HostFailed) throw error.cause
    if (!(error instanceof SlipwayError)) throw error
    return notWritten(what, error, access.host, isFork)
  })
}

/** Writes the comment of the pull request. `textOf` reads the report, and answers it as Markdown, given what the comment says now and what the service shows. */
export const writeComment = (
  settings: Settings,
  context: Context,
  sticky: Sticky,
  textOf: (now: string, markdown: MarkdownOf) => Promise<string>
): Promise<Outcome> | Outcome => {
  const { commit, isFork } = settings
  const noPullRequest = "No comment: this is no pull request, and --pr names none."
  const access = accessOf(settings, context)
  if (settings.pr === undefined && !isAccess(access)) return noPullRequest
  return written("comment", access, isFork, async (access) => {
    const { comments } = access.host
    const pr =
      settings.pr ?? (commit === undefined ? undefined : await pullRequestOf(callsOf(access), access.host, commit))
    if (pr === undefined) return noPullRequest
    const { hasHtml, longest } = comments.markdown
    const markdown = { hasHtml, longest: longest - headOf(sticky).length }
    const write = (now: string) => fromHost(textOf(now, markdown))
    const isWritten = await writeSticky(commentsOf(access, comments, pr), sticky, write)
    return isWritten ? "The comment is written." : "The comment already reports a later run."
  })
}

/** Writes the result of the commit. */
export const writeResult = (
  settings: Settings & { readonly commit: string },
  context: Context,
  read: () => Promise<CheckResult>
): Promise<Outcome> | Outcome =>
  written("check", accessOf(settings, context), settings.isFork, async (access) => {
    await writeCheck(callsOf(access), access.host, settings.commit, () => fromHost(read()))
    return `The check is written to ${access.host.name}.`
  })
