import { request } from "@octokit/request"
import { realTiming, retryAfterMs, retrying, type Timing } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"

/** A comment of a pull request, as far as it matters here. */
export interface Comment {
  readonly id: number
  readonly body: string
  /** Whether the owner of the token wrote it, as far as the service shows. */
  readonly isOwn: boolean
}

/** The comments of one pull request, or merge request. Each method rejects with a `SlipwayError`. */
export interface Comments {
  /** All of them, the oldest first. */
  readonly list: () => Promise<ReadonlyArray<Comment>>
  /** Answers its id. */
  readonly create: (body: string) => Promise<number>
  /** Answers whether it was there still. */
  readonly update: (id: number, body: string) => Promise<boolean>
  readonly remove: (id: number) => Promise<void>
}

/** A service that hosts code, and where its API has the comments. */
interface CodeHost {
  readonly name: string
  readonly headers: (token: string) => Readonly<Record<string, string>>
  readonly routes: Readonly<Record<"list" | "create" | "update" | "remove", string>>
  /** The name of an account. */
  readonly login: string
  /** Who wrote a comment, in a field of it. */
  readonly author: string
  /** Whether an author is a bot, as the tokens of jobs are: they can't ask who they are. */
  readonly isBot: (author: unknown) => boolean
  /** What gives a token the permission to comment. */
  readonly grant: string
}

const issues = "/repos/{owner}/{repo}/issues"
const notes = "/projects/{project}/merge_requests/{pr}/notes"

export const codeHosts = {
  github: {
    name: "GitHub",
    headers: (token) => ({ authorization: `token ${token}`, "x-github-api-version": "2022-11-28" }),
    routes: {
      list: `GET ${issues}/{pr}/comments`,
      create: `POST ${issues}/{pr}/comments`,
      update: `PATCH ${issues}/comments/{id}`,
      remove: `DELETE ${issues}/comments/{id}`
    },
    login: "login",
    author: "user",
    isBot: (author) => field(author, "type") === "Bot",
    grant: "A workflow grants it: permissions: pull-requests: write"
  },
  gitlab: {
    name: "GitLab",
    headers: (token) => ({ "private-token": token, accept: "application/json" }),
    routes: {
      list: `GET ${notes}?sort=asc`,
      create: `POST ${notes}`,
      update: `PUT ${notes}/{id}`,
      remove: `DELETE ${notes}/{id}`
    },
    login: "username",
    author: "author",
    isBot: (author) => /^(?:project|group)_\d+_bot/.test(String(field(author, "username"))),
    grant: "GITLAB_TOKEN must be an access token of the project with the scope api, and at least the role Reporter."
  }
} as const satisfies Readonly<Record<string, CodeHost>>

/** A pull request of GitHub or a merge request of GitLab, and the token to use. */
export interface PullRequest {
  readonly host: CodeHost
  /** The address of the API: `https://api.github.com`, `https://gitlab.com/api/v4`, or that of a server of one's own. */
  readonly api: string
  readonly token: string
  /** The repository, as the routes name it. */
  readonly repository: Readonly<Record<string, string>>
  readonly pr: number
  readonly signal: AbortSignal
  /** Called before a wait for a rate limit. */
  readonly log: (line: string) => void
  readonly timing?: Timing
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** A wait for a rate limit may take so long: five minutes. */
const longestWaitMs = 300_000

/** How long to wait where its secondary limit names no time. */
const secondaryWaitMs = 60_000

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
  const headers = field(field(error, "response"), "headers")
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

const pageSize = 100

/** The comments of a pull request. Transient failures and rate limits are retried. */
export const commentsOf = ({
  api,
  host,
  log,
  pr,
  repository,
  signal,
  timing = realTiming,
  token
}: PullRequest): Comments => {
  const send = request.defaults({
    baseUrl: api,
    headers: host.headers(token),
    request: { signal, log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } }
  })
  const call = (what: string, route: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
    retrying(
      () =>
        send(route, { ...repository, ...parameters }).then(
          ({ data }): unknown => data,
          (error: unknown) => {
            signal.throwIfAborted()
            throw refusalOf(host.name, what, error, timing.now())
          }
        ),
      {
        again: "whatever passes",
        retries: 4,
        signal,
        timing,
        longestWaitMs,
        onWait: ({ code, detail }, ms) => {
          if (code === "rate_limited") log(`${detail} Trying again in ${Math.ceil(ms / 1000)} s.`)
        }
      }
    )

  /** Who has the token, where it may ask. */
  const login = (): Promise<unknown> =>
    call("who has the token", "GET /user").then(
      (user) => field(user, host.login),
      () => undefined
    )
  let me: Promise<unknown> | undefined

  /** Answers whether the comment is there still: another job may have deleted it. */
  const isThere = (done: Promise<unknown>): Promise<boolean> =>
    done.then(
      () => true,
      (error: unknown) => {
        if (error instanceof SlipwayError && error.status === 404) return false
        throw error
      }
    )

  return {
    list: async () => {
      const own = await (me ??= login())
      const found: Array<Comment> = []
      for (let page = 1; ; page += 1) {
        const data = await call("comments", host.routes.list, { pr, per_page: pageSize, page })
        const comments: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
        for (const one of comments) {
          const author = field(one, host.author)
          const isOwn = own === undefined ? host.isBot(author) : field(author, host.login) === own
          found.push({ id: Number(field(one, "id")), body: String(field(one, "body") ?? ""), isOwn })
        }
        if (comments.length < pageSize) return found
      }
    },
    create: async (body) => Number(field(await call("a new comment", host.routes.create, { pr, body }), "id")),
    update: (id, body) => isThere(call("a comment", host.routes.update, { pr, id, body })),
    remove: async (id) => void (await isThere(call("the deletion of a comment", host.routes.remove, { pr, id })))
  }
}
