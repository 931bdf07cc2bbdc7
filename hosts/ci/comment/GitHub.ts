import { request } from "@octokit/request"
import { realTiming, retryAfterMs, retrying, type Timing } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"

/** A comment of a pull request, as far as it matters here. */
export interface Comment {
  readonly id: number
  readonly body: string
  /** Whether the owner of the token wrote it, as far as GitHub shows. */
  readonly isOwn: boolean
}

/** The comments of one pull request. Each method rejects with a `SlipwayError`. */
export interface Comments {
  /** All of them, the oldest first. */
  readonly list: () => Promise<ReadonlyArray<Comment>>
  /** Answers its id. */
  readonly create: (body: string) => Promise<number>
  /** Answers whether it was there still. */
  readonly update: (id: number, body: string) => Promise<boolean>
  readonly remove: (id: number) => Promise<void>
}

/** A pull request of GitHub, and the token to use. */
export interface PullRequest {
  /** The address of the API: `https://api.github.com`, or that of a server of one's own. */
  readonly api: string
  readonly token: string
  readonly owner: string
  readonly repo: string
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

/** What GitHub asks to wait where its secondary limit names no time. */
const secondaryWaitMs = 60_000

/**
 * The rate limit that a refusal names, if any, and how long GitHub asks to wait. Both of its limits are answered with
 * 403 or 429.
 *
 * See https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
const rateLimitIn = (status: number, headers: unknown, message: string, now: number) => {
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
    return { waitMs, detail: `GitHub's rate limit of this token is reached, until ${until} UTC. ${message}` }
  }
  return asked !== undefined || status === 429 || /rate limit|abuse detection/i.test(message)
    ? { waitMs: asked ?? secondaryWaitMs, detail: `GitHub's secondary rate limit is reached. ${message}` }
    : undefined
}

/** The error for a refusal of GitHub's, or for no answer. */
const refusalOf = (what: string, error: unknown, now: number): SlipwayError => {
  const status = field(error, "status")
  const detail = error instanceof Error ? error.message : String(error)
  const answered = field(error, "response") !== undefined && typeof status === "number"
  if (!answered) return new SlipwayError(what, { code: "connection_failed", detail, cause: error })
  const headers = field(field(error, "response"), "headers")
  const limit = rateLimitIn(status, headers, detail, now)
  if (limit !== undefined) {
    return new SlipwayError(what, { code: "rate_limited", detail: limit.detail, status, retryAfterMs: limit.waitMs })
  }
  const after = field(headers, "retry-after")
  return new SlipwayError(what, {
    code: "refused",
    detail,
    status,
    retryAfterMs: retryAfterMs(typeof after === "string" ? after : null, now)
  })
}

const pageSize = 100

/** The comments of a pull request of GitHub. What may pass is tried again, rate limits too. */
export const commentsOf = (pull: PullRequest): Comments => {
  const { api, owner, pr, repo, signal, log, timing = realTiming, token } = pull
  const github = request.defaults({
    baseUrl: api,
    headers: { authorization: `token ${token}`, "x-github-api-version": "2022-11-28" },
    request: { signal, log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } }
  })
  const call = <A>(what: string, send: () => Promise<A>): Promise<A> =>
    retrying(
      () =>
        send().catch((error: unknown) => {
          signal.throwIfAborted()
          throw refusalOf(`GitHub, ${what}`, error, timing.now())
        }),
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
  const repository = { owner, repo }

  /** Who has the token. The token of a workflow, and that of an app, can't ask; they are bots. */
  const login = async (): Promise<string | undefined> => {
    const user = await call("who has the token", () => github("GET /user")).catch(() => undefined)
    return user?.data.login
  }
  let me: Promise<string | undefined> | undefined

  return {
    list: async () => {
      const own = await (me ??= login())
      const found: Array<Comment> = []
      for (let page = 1; ; page += 1) {
        const { data } = await call("comments", () =>
          github("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            ...repository,
            issue_number: pr,
            per_page: pageSize,
            page
          })
        )
        for (const { body = "", id, user } of data) {
          found.push({ id: Number(id), body, isOwn: own === undefined ? user?.type === "Bot" : user?.login === own })
        }
        if (data.length < pageSize) return found
      }
    },
    create: async (body) => {
      const { data } = await call("a new comment", () =>
        github("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", { ...repository, issue_number: pr, body })
      )
      return Number(data.id)
    },
    update: (id, body) =>
      call("a comment", () =>
        github("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", { ...repository, comment_id: id, body })
      ).then(
        () => true,
        (error: unknown) => {
          if (error instanceof SlipwayError && error.status === 404) return false
          throw error
        }
      ),
    remove: async (id) => {
      await call("the deletion of a comment", () =>
        github("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", { ...repository, comment_id: id })
      ).catch((error: unknown) => {
        // Another job deleted it.
        if (!(error instanceof SlipwayError && error.status === 404)) throw error
      })
    }
  }
}
