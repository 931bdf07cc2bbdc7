/**
 * Writes a report to the service that hosts the code: one comment on the pull request and one result of the commit, whatever the
 * service answers and however many jobs write.
 */
import { request } from "@octokit/request"
import { sourceParts } from "../../../core/rules/attempts.ts"
import { type Again, endingAfter, realTiming, retryAfterMs, retrying, type Timing } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import { type Context, ExitCode, Stopped, unusable } from "../command/Context.ts"
import type { Settings } from "../settings/settings.ts"
import {
  codeHostOf,
  codeHosts,
  type CheckResult,
  type CheckRoutes,
  type CheckTarget,
  type CodeHost,
  type Comment,
  type MarkdownOf
} from "./codeHosts.ts"
import { field } from "../settings/ciEnvironment.ts"

/** The API of a service, with a token. */
export interface Access {
  readonly host: CodeHost
  /** Its URL: `https://api.github.com`, `https://gitlab.com/api/v4`, or that of the team's own server. */
  readonly api: string
  readonly token: string
  readonly repository: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** Called before a wait for a rate limit. */
  readonly log: (line: string) => void
  readonly timing: Timing
}

/** A wait for a rate limit may take so long: five minutes. */
const longestWaitMs = 300_000

/** How long to wait where its secondary limit names no time. */
const secondaryWaitMs = 60_000

/** How long a service may take to answer. */
const answerMs = 60_000

/** How many pages of a list are read. */
const maxPages = 100

/** How often a comment or result is written again because other jobs changed what it reports. */
const maxRounds = 20

/** How often, and how long apart, a list is read again for what a request may have created whose answer was lost. */
const looks = 3
const lookAfterMs = 2000

/** Over how long jobs of the same moment spread the creation of what can't be deleted. */
const spreadMs = 600

/**
 * The rate limit that a refusal names, if any, and how long the service asks to wait. Both limits of GitHub are answered with
 * 403 or 429, that of GitLab with 429.
 *
 * See https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
const rateLimitIn = (name: string, status: number, headers: unknown, message: string, now: number) => {
  if (status !== 403 && status !== 429) return undefined
  const header = (name: string): string | null => {
    const value = field(headers, name)
    return value === undefined ? null : String(value)
  }
  const asked = retryAfterMs(header("retry-after"), now)
  if (header("x-ratelimit-remaining") === "0") {
    const reset = Number(header("x-ratelimit-reset") ?? 0) * 1000
    const waitMs = asked ?? Math.max(0, reset - now)
    const until = new Date(now + waitMs).toISOString().slice(11, 19)
    return { waitMs, detail: `${name}'s rate limit of this token is reached, until ${until} UTC. ${message}` }
  }
  return asked !== undefined || status === 429 || /rate limit|abuse detection/i.test(message)
    ? { waitMs: asked ?? secondaryWaitMs, detail: `${name}'s secondary rate limit is reached. ${message}` }
    : undefined
}

/** The error for a refusal, or for no answer. */
const refusalOf = (name: string, what: string, error: unknown, now: number): SlipwayError => {
  const status = field(error, "status")
  const detail = error instanceof Error ? error.message : String(error)
  const answered = field(error, "response") !== undefined && typeof status === "number"
  if (!answered) return new SlipwayError(`${name}, ${what}`, { code: "connection_failed", detail, cause: error })
  const headers = field(error, "response", "headers")
  const limit = rateLimitIn(name, status, headers, detail, now)
  if (limit !== undefined) {
    return new SlipwayError(`${name}, ${what}`, {
      code: "rate_limited",
      detail: limit.detail,
      status,
      retryAfterMs: limit.waitMs
    })
  }
  const after = field(headers, "retry-after")
  return new SlipwayError(`${name}, ${what}`, {
    code: "refused",
    detail,
    status,
    retryAfterMs: retryAfterMs(typeof after === "string" ? after : null, now)
  })
}

const unreadable = (name: string, what: string, detail: string): SlipwayError =>
  new SlipwayError(`${name}, ${what}`, { code: "answer_unreadable", detail })

type Listing = CodeHost["comments"]["list"]

interface HttpResponse {
  readonly data: unknown
  readonly headers: unknown
}

interface Sent {
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly again?: Again
}

/** Requests to the API of a service. Each rejects with a `SlipwayError`. */
interface Calls {
  /** Sends a request by its route, such as `GET /user`. Transient failures and rate limits are retried, unless `again` says otherwise. */
  readonly send: (what: string, route: string, sent?: Sent) => Promise<HttpResponse>
  /** All pages of a list. */
  readonly list: (what: string, list: Listing, parameters: Sent["parameters"]) => Promise<ReadonlyArray<unknown>>
}

/** The query of the next page: of a `Link` header, of the field `next`, or after a whole page of a service that has neither. */
const nextQuery = (
  route: string,
  page: number,
  { data, headers }: HttpResponse,
  isWhole: boolean
): string | undefined => {
  const links = field(headers, "link")
  const inHeader = typeof links === "string" ? /<([^>]*)>[^,]*;\s*rel="?next"?/.exec(links)?.[1] : undefined
  const inBody = field(data, "next")
  const next = inHeader ?? (typeof inBody === "string" ? inBody : undefined)
  // Only the query, because a proxy may have another address for the same API. The library takes a colon for a parameter.
  if (next !== undefined) return next.slice(next.indexOf("?") + 1).replaceAll(":", "%3A")
  return typeof links === "string" || !isWhole ? undefined : `${route.slice(route.indexOf("?") + 1)}&page=${page + 1}`
}

const callsOf = ({ api, host, log, repository, signal, timing, token }: Access): Calls => {
  const call = request.defaults({ baseUrl: api.replace(/\/+$/, ""), headers: host.headers(token) })
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const send: Calls["send"] = (what, route, { again = "whatever passes", body, parameters } = {}) => {
    const values: Readonly<Record<string, unknown>> = { ...repository, ...parameters }
    const url = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
    return retrying(
      () =>
        call(url, {
          ...(body === undefined ? {} : { data: body }),
          request: { signal: endingAfter(answerMs, signal), log: silent }
        }).then(
          ({ data, headers }): HttpResponse => ({ data, headers }),
          (error: unknown) => {
            signal.throwIfAborted()
            throw refusalOf(host.name, what, error, timing.now())
          }
        ),
      {
        again,
        retries: 4,
        signal,
        timing,
        longestWaitMs,
        onWait: ({ code, detail }, ms) => {
          if (code === "rate_limited") log(`${detail} Trying again in ${Math.ceil(ms / 1000)} s.`)
        }
      }
    )
  }
  return {
    send,
    list: async (what, { listed, route }, parameters) => {
      const all = new Map<string, unknown>()
      const size = Number(/(?:per_page|pagelen|limit)=(\d+)/.exec(route)?.[1] ?? Infinity)
      for (let page = 1, asked: string = route; page <= maxPages; page += 1) {
        const answer = await send(what, asked, { parameters })
        const found = listed(answer.data)
        if (!Array.isArray(found)) throw unreadable(host.name, what, "The answer has no list.")
        const before = all.size
        for (const one of found) all.set(String(field(one, "id") ?? JSON.stringify(one)), one)
        const query = nextQuery(route, page, answer, found.length >= size && all.size > before)
        if (query === undefined) return [...all.values()]
        asked = `${route.replace(/\?.*$/, "")}?${query}`
      }
      throw unreadable(host.name, what, `There are more than ${maxPages} pages.`)
    }
  }
}

/** Whether a request may have been carried out although it failed: its answer was lost, or came from a proxy. */
const mayBeDone = ({ code, status }: SlipwayError): boolean =>
  code === "answer_unreadable" || status === undefined || status === 408 || status >= 500

const isRefused = (error: unknown, ...statuses: ReadonlyArray<number>): boolean =>
  error instanceof SlipwayError &&
  error.code !== "rate_limited" &&
  error.status !== undefined &&
  statuses.includes(error.status)

/** What is created at most once in a process: a request that may have been carried out is never sent again. */
const once = () => {
  let lost: SlipwayError | undefined
  let left = looks
  return {
    /** Creates it, and answers its id; `undefined` where it may be there. */
    create: async (send: () => Promise<number>): Promise<number | undefined> => {
      try {
        return await send()
      } catch (error) {
        if (!(error instanceof SlipwayError) || !mayBeDone(error)) throw error
        lost = error
        return undefined
      }
    },
    /** Waits for what may have been created to appear in lists. Answers whether nothing may have been. */
    isUnsent: async ({ signal, timing }: Access): Promise<boolean> => {
      if (lost === undefined) return true
      if (left === 0) throw lost
      left -= 1
      await timing.wait(lookAfterMs, signal)
      return false
    }
  }
}

const idIn = (access: Access, what: string, id: unknown): number => {
  if (typeof id === "number" && Number.isSafeInteger(id)) return id
  throw unreadable(access.host.name, what, "The answer has no id.")
}

const changesAllTheTime = ({ host }: Access, what: string): SlipwayError =>
  new SlipwayError(`${host.name}, ${what}`, {
    code: "conflict",
    detail: `Other jobs changed it or its results ${maxRounds} times while it was written.`
  })

/** One comment that all jobs write. */
interface Sticky {
  /** Its id within a pull request: comments with different ids stand beside each other. */
  readonly name: string
  /** The run of the CI that writes, and its attempt: `github:123/2`. Every attempt writes of all of them. */
  readonly source: string
}

/** The invisible beginning of the comment: a link that nothing refers to, because Bitbucket shows comments of HTML. */
const markerOf = (name: string): string => `[slipway-ci ${encodeURIComponent(name)} `

/** What the comment begins with, before its text. */
const headOf = ({ name, source }: Sticky): string =>
  `${markerOf(name)}${encodeURIComponent(sourceParts(source).ciRun)}]: #slipway-ci\n\n`

/** Whether a comment reports a later run of the same CI, whose runs have increasing numbers. */
const isLater = (body: string, source: string): boolean => {
  const [, ci, run] = /^\[slipway-ci \S+ ([a-z]+)%3A(\d+)\]/i.exec(body) ?? []
  const [, ownCi, own] = /^([a-z]+):(\d+)$/i.exec(sourceParts(source).ciRun) ?? []
  return ci !== undefined && ci === ownCi && BigInt(run ?? 0) > BigInt(own ?? 0)
}

/**
 * Makes or updates the comment, so that in the end it reports all jobs, in any order of writing: each job reads the
 * current state after writing, and writes again until both are equal. `textOf` answers what to write, given what the
 * comment says now. Answers whether it was written: not over one of a later run.
 */
const writeSticky = async (
  access: Access,
  calls: Calls,
  pr: number,
  sticky: Sticky,
  textOf: (now: string) => Promise<string>
): Promise<boolean> => {
  const { host, token } = access
  const routes: CodeHost["comments"] = host.comments
  const isBotToken = routes.isBotToken?.(token) === true
  const me: unknown = isBotToken
    ? undefined
    : await calls.send("who has the token", routes.me.route).then(
        ({ data }) => routes.me.id(data),
        (error: unknown) => {
          if (isRefused(error, 401, 403)) return undefined
          throw error
        }
      )
  const created = new Set<number>()
  const foreign = new Set<number>()
  const isOwn = ({ author, id, isBot }: Comment) => created.has(id) || (me === undefined ? isBot : author === me)
  /** Without an identity, the marker is all that a comment is found by; only certainly own ones are deleted. */
  const mayBeOwn = (comment: Comment) =>
    !foreign.has(comment.id) && (isOwn(comment) || (me === undefined && !isBotToken))
  /** Answers whether the comment is there still: another job may have deleted it. */
  const isThere = (done: Promise<unknown>): Promise<boolean> =>
    done.then(
      () => true,
      (error: unknown) => {
        if (isRefused(error, 404, 410)) return false
        throw error
      }
    )
  const update = (id: number, body: string): Promise<boolean> =>
    isThere(calls.send("a comment", routes.update, { parameters: { pr, id }, body: routes.updated(body) }))

  /** The comment: the oldest of those that jobs made at the same time; the others are deleted. */
  const found = async (): Promise<Comment | undefined> => {
    const marked = (await calls.list("comments", routes.list, { pr }))
      .flatMap((element) => routes.read(element) ?? [])
      .filter((comment) => comment.body.startsWith(markerOf(sticky.name)) && mayBeOwn(comment))
      .toSorted((a, b) => a.id - b.id)
    // Where bots wrote it, nobody else did.
    const [first, ...more] = marked.some(({ isBot }) => isBot) && me === undefined ? marked.filter(isOwn) : marked
    for (const comment of more) {
      if (!isOwn(comment)) continue
      await isThere(calls.send("the deletion of a comment", routes.remove, { parameters: { pr, id: comment.id } }))
    }
    return first
  }

  const wasDeleted = () =>
    new SlipwayError(`${host.name}, a comment`, { code: "refused", detail: "It is not there.", status: 404 })
  const creation = once()
  let written: { readonly id: number; readonly body: string } | undefined
  let missing: number | undefined
  for (let round = 0; round < maxRounds; round += 1) {
    const comment = await found()
    if (comment !== undefined && isLater(comment.body, sticky.source)) return false
    const body = headOf(sticky) + (await textOf(comment?.body ?? ""))
    if (comment === undefined && written === undefined) {
      if (!(await creation.isUnsent(access))) continue
      const id = await creation.create(async () => {
        const sent = { parameters: { pr }, body: routes.created(body), again: "when limited" } as const
        const { data } = await calls.send("a new comment", routes.create, sent)
        return idIn(access, "a new comment", routes.read(data)?.id)
      })
      if (id === undefined) continue
      created.add(id)
      written = { id, body }
      continue
    }
    if (comment === undefined) {
      // The list doesn't have what was written: the comment itself tells whether it is there.
      const { id } = written ?? { id: 0 }
      if (await update(id, body)) return true
      throw wasDeleted()
    }
    // GitHub may give a text back otherwise than it was sent, so that what was written counts as well.
    if (comment.body === body || (comment.id === written?.id && body === written.body)) return true
    try {
      if (await update(comment.id, body)) written = { id: comment.id, body }
      // Listed, and yet not there a second time: GitHub answers so for a lack of permission.
      else if (missing === comment.id) throw wasDeleted()
      else missing = comment.id
    } catch (error) {
      if (isOwn(comment) || !isRefused(error, 403)) throw error
      foreign.add(comment.id)
    }
  }
  throw changesAllTheTime(access, "the comment")
}

/**
 * Writes the result, so that in the end it is that of all jobs, in any order of writing: each job reads the current state after writing,
 * and writes again until both are equal. Where the service refuses the report, the conclusion is written without it, and the
 * answer says why.
 */
const writeCheck = async (
  access: Access,
  { list, send }: Calls,
  given: CheckTarget,
  read: () => Promise<CheckResult>
): Promise<SlipwayError | undefined> => {
  const what = "the result of the commit"
  const routes: CheckRoutes = access.host.check
  /** The list, or nothing where the service answers twice that it has none. */
  const ifListed = (listing: Listing, parameters: Sent["parameters"]) => {
    const unless =
      <A>(answer: () => A) =>
      (error: unknown) => {
        if (isRefused(error, 404, 405)) return answer()
        throw error
      }
    const listed = () => list(what, listing, parameters)
    return listed()
      .catch(unless(listed))
      .catch(unless(() => undefined))
  }
  const common = { sha: given.sha, pr: given.pr, ...routes.parameters?.(given) }
  const { version } = routes
  const versions = version === undefined || given.pr === undefined ? [] : await ifListed(version, common)
  const target = { ...given, version: versions?.findLast((one) => version?.isOf(one, given) === true) }
  let refusal: SlipwayError | undefined

  /** Writes the whole result, or at least its conclusion. */
  const writeOne = async (check: CheckResult, write: (body: Readonly<Record<string, unknown>>) => Promise<void>) => {
    try {
      await write(routes.body(check, target))
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.status === 401 || error.code === "rate_limited") throw error
      await write(routes.minimal(check, target)).catch(() => {
        throw error
      })
      refusal = error
    }
  }

  const post = async (body: unknown, again: Again): Promise<unknown> => {
    const { data } = await send(what, routes.create(target), { parameters: common, body, again })
    if (typeof data !== "object" || data === null || Array.isArray(data))
      throw unreadable(access.host.name, what, "The answer is no result.")
    return field(data, "id")
  }

  /** The text that was written last, by the id of each result; a service that replaces a result by name needs no id. */
  const written = new Map<number, string>()
  const annotated = new Map<number, Set<string>>()
  const annotationKey = (one: unknown) =>
    JSON.stringify([field(one, "path"), field(one, "title"), field(one, "message")])
  const creation = once()
  let isSpread = false
  let lostUpdates = 0
  const { update } = routes
  for (let round = 0; round < maxRounds; round += 1) {
    const check = await read()
    const body = routes.body(check, target)
    const text = JSON.stringify(body)
    if (update === undefined) {
      if (written.get(0) === text) return refusal
      await writeOne(check, async (body) => void (await post(body, "whatever passes")))
      written.set(0, text)
      continue
    }
    const listed = await ifListed(update.list, { ...common, name: field(body, "name") })
    const own = (listed ?? []).filter((one) => update.mark(one) === update.mark(body))
    const ids = new Set([...written.keys(), ...own.map((one) => idIn(access, what, field(one, "id")))])
    if (ids.size === 0) {
      if (!isSpread) {
        // GitHub deletes no check run: jobs that end at the same moment create it one after another.
        isSpread = true
        await access.timing.wait(Math.round(access.timing.random() * spreadMs), access.signal)
        continue
      }
      if (!(await creation.isUnsent(access))) continue
      // Without a conclusion: if this job ends before it has read the results again, the new one is no success.
      const begun = update.begun(check, target)
      const id = await creation.create(async () => idIn(access, what, await post(begun, "when limited")))
      if (id !== undefined) written.set(id, "")
      continue
    }
    // The service shows the newest result of a name: those that other jobs created at the same moment give theirs up.
    const shown = Math.max(...ids)
    for (const id of ids) {
      if (id === shown || written.get(id) === "replaced") continue
      await send(what, update.route, { parameters: { ...common, id }, body: update.replaced(check, target) })
      written.set(id, "replaced")
    }
    if (written.get(shown) === text) return refusal
    const known =
      annotated.get(shown) ?? new Set((await ifListed(update.annotations, { id: shown }))?.map(annotationKey))
    annotated.set(shown, known)
    await writeOne(check, async (body) => {
      const sent = update.withAnnotations(body, (one) => !known.has(annotationKey(one)))
      const added = [field(sent, "output", "annotations") ?? []].flat()
      // Sent twice, annotations would be shown twice: where the answer is lost, they are read before the next attempt.
      const again: Again = added.length === 0 || lostUpdates === looks ? "whatever passes" : "when limited"
      const isLost = await send(what, update.route, { parameters: { ...common, id: shown }, body: sent, again }).then(
        () => false,
        async (error: unknown) => {
          if (again !== "when limited" || !(error instanceof SlipwayError) || !mayBeDone(error)) throw error
          lostUpdates += 1
          await access.timing.wait(lookAfterMs, access.signal)
          return true
        }
      )
      if (isLost) return void annotated.delete(shown)
      for (const one of added) known.add(annotationKey(one))
      written.set(shown, text)
    })
  }
  throw changesAllTheTime(access, what)
}

/** What was done, or why nobody can do it; a `Stopped` is a problem that somebody can solve. */
type Outcome = string | Stopped

/** The API of the service; else why it can't be used. */
const accessOf = (settings: Settings, { env, err, signal }: Context): Access | Outcome => {
  const host = codeHostOf(env)
  const token = host.tokens.map((name) => env[name]).find((text) => text)
  if (token !== undefined) {
    const repository = host.repository(env, settings)
    return { host, api: host.api(env), token, repository, signal, log: err, timing: realTiming }
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
  write: (access: Access, calls: Calls) => Promise<Outcome>
): Promise<Outcome> | Outcome => {
  if (typeof access === "string") return `No ${what}: ${access}`
  if (access instanceof Stopped) return new Stopped(access.code, `No ${what}: ${access.message}`)
  return write(access, callsOf(access)).catch((error: unknown) => {
    if (error instanceof HostFailed) throw error.cause
    if (!(error instanceof SlipwayError)) throw error
    return notWritten(what, error, access.host, isFork)
  })
}

/** The number of the open pull request that a commit belongs to. */
const pullRequestOf = async (
  { host }: Access,
  { list }: Calls,
  { branch, commit }: Settings
): Promise<number | undefined> => {
  if (commit === undefined) return undefined
  const parameters = { sha: commit, ref: `refs/heads/${branch ?? ""}` }
  const pulls = await list("the pull requests of the commit", host.pulls, parameters)
  const open = pulls.find((pull) => host.pulls.isOpen(pull, commit))
  return open === undefined ? undefined : Number(field(open, host.pulls.number))
}

/** Writes the comment of the pull request. `textOf` reads the report, and answers it as Markdown, given what the comment says now and what the service shows. */
export const writeComment = (
  settings: Settings,
  context: Context,
  sticky: Sticky,
  textOf: (now: string, markdown: MarkdownOf) => Promise<string>,
  access = accessOf(settings, context)
): Promise<Outcome> | Outcome => {
  const noPullRequest = "No comment: this is no pull request, and --pr names none."
  if (settings.pr === undefined && !isAccess(access)) return noPullRequest
  return written("comment", access, settings.isFork, async (access, calls) => {
    const pr = settings.pr ?? (await pullRequestOf(access, calls, settings))
    if (pr === undefined) return noPullRequest
    const { hasHtml, longest } = access.host.comments.markdown
    const markdown = { hasHtml, longest: longest - Buffer.byteLength(headOf(sticky)) }
    const write = (now: string) => fromHost(textOf(now, markdown))
    const isWritten = await writeSticky(access, calls, pr, sticky, write)
    return isWritten ? "The comment is written." : "The comment already reports a later run."
  })
}

/** Writes the result of the commit. */
export const writeResult = (
  settings: Settings & { readonly commit: string; readonly source: string },
  context: Context,
  read: () => Promise<CheckResult>,
  access = accessOf(settings, context)
): Promise<Outcome> | Outcome =>
  written("check", access, settings.isFork, async (access, calls) => {
    const { commit: sha, pr, source } = settings
    const target = { sha, pr, ciRun: sourceParts(source).ciRun, env: context.env }
    const refusal = await writeCheck(access, calls, target, () => fromHost(read()))
    return refusal === undefined
      ? `The check is written to ${access.host.name}.`
      : `The check is written to ${access.host.name}, without its report: ${refusal.message}`
  })
