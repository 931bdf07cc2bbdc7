/** The services that host code, as far as results are reported to them, and requests to their APIs. */
import { request } from "@octokit/request"
import { realTiming, retryAfterMs, retrying, type Timing } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Context } from "../command/Context.ts"
import type { Settings } from "../settings/settings.ts"

/** What a service shows of Markdown. */
export interface MarkdownOf {
  /** Whether it shows `<details>` and `<img>`. */
  readonly hasHtml: boolean
  /** How many characters a text may have at most. */
  readonly longest: number
}

/** GitHub refuses a longer comment. */
export const githubMarkdown: MarkdownOf = { hasHtml: true, longest: 65_536 }

/** How the API of a service has the comments of a pull request. */
export interface CommentRoutes extends Readonly<Record<"list" | "create" | "update" | "remove", string>> {
  readonly markdown: MarkdownOf
  /** The list in the answer to `list`. */
  readonly listed: (answer: unknown) => unknown
  /** The text of a comment, and the fields that have it in a request. */
  readonly textIn: (comment: unknown) => unknown
  readonly withText: (text: string) => Readonly<Record<string, unknown>>
  /** Who wrote a comment, in a field of it, and the name of an account. */
  readonly author: string
  readonly login: string
  /** Whether an author is a bot, as the tokens of jobs are: they can't ask who they are. */
  readonly isBot: (author: unknown) => boolean
}

/** The result of all tests of a CI run, for the commit. */
export interface CheckResult {
  /** `neutral` where there is nothing to judge, or nothing that this commit changed. */
  readonly conclusion: "success" | "failure" | "neutral"
  /** Distinguishes it from other results of the commit. */
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly url: string
  readonly annotations: ReadonlyArray<{
    readonly path: string
    readonly title: string
    readonly message: string
    readonly isKnown: boolean
  }>
}

/** A service that hosts code. */
export interface CodeHost {
  readonly name: string
  /** The variables that may have its token. */
  readonly tokens: ReadonlyArray<string>
  readonly headers: (token: string) => Readonly<Record<string, string>>
  /** The URL of its API. */
  readonly api: (env: Context["env"]) => string
  /** The repository, as its routes name it. */
  readonly repository: (
    env: Context["env"],
    settings: Pick<Settings, "owner" | "repo">
  ) => Readonly<Record<string, unknown>>
  readonly comments: CommentRoutes
  /** The open pull requests of a commit: the route, the list in its answer, the name of the number and the value of `state`. */
  readonly pullsOf: {
    readonly route: string
    readonly listed: (answer: unknown) => unknown
    readonly number: string
    readonly open: string
  }
  readonly check: {
    readonly route: string
    readonly body: (check: CheckResult, sha: string) => Readonly<Record<string, unknown>>
  }
  /** How a token gets the permissions. */
  readonly grant: string
}

export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const itself = (answer: unknown): unknown => answer

/** The comments of GitHub and GitLab. */
const inBody = {
  listed: itself,
  textIn: (comment: unknown) => field(comment, "body"),
  withText: (body: string) => ({ body })
}

const issues = "/repos/{owner}/{repo}/issues"
const notes = "/projects/{project}/merge_requests/{pr}/notes"
const ofBitbucket = "/repositories/{owner}/{repo}"
const pullComments = `${ofBitbucket}/pullrequests/{pr}/comments`

const valuesIn = (answer: unknown): unknown => field(answer, "values")

export const codeHosts = {
  github: {
    name: "GitHub",
    tokens: ["GITHUB_TOKEN", "GH_TOKEN"],
    headers: (token) => ({ authorization: `token ${token}`, "x-github-api-version": "2022-11-28" }),
    api: (env) => env["GITHUB_API_URL"] || "https://api.github.com",
    repository: (env, { owner, repo }) => {
      const [ownerThere = owner, repoThere = repo] = env["GITHUB_REPOSITORY"]?.split("/") ?? []
      return { owner: ownerThere, repo: repoThere }
    },
    comments: {
      ...inBody,
      markdown: githubMarkdown,
      list: `GET ${issues}/{pr}/comments?per_page=100`,
      create: `POST ${issues}/{pr}/comments`,
      update: `PATCH ${issues}/comments/{id}`,
      remove: `DELETE ${issues}/comments/{id}`,
      login: "login",
      author: "user",
      isBot: (author) => field(author, "type") === "Bot"
    },
    pullsOf: { route: "GET /repos/{owner}/{repo}/commits/{sha}/pulls", listed: itself, number: "number", open: "open" },
    // A newer check run of a name replaces the older ones of the commit, with their annotations.
    // https://docs.github.com/en/rest/checks/runs#create-a-check-run
    check: {
      route: "POST /repos/{owner}/{repo}/check-runs",
      body: ({ annotations, conclusion, name, summary, title, url }, sha) => ({
        name,
        head_sha: sha,
        status: "completed",
        conclusion,
        details_url: url,
        output: {
          title,
          summary,
          annotations: annotations.slice(0, 50).map(({ isKnown, message, path, title }) => ({
            path,
            // Test runs have no line, and an annotation needs one.
            start_line: 1,
            end_line: 1,
            annotation_level: isKnown ? "warning" : "failure",
            title,
            message
          }))
        }
      })
    },
    grant: "A workflow grants it: permissions: pull-requests: write, and for --format check: checks: write"
  },
  gitlab: {
    name: "GitLab",
    tokens: ["GITLAB_TOKEN"],
    headers: (token) => ({ "private-token": token, accept: "application/json" }),
    api: (env) => env["CI_API_V4_URL"] || "https://gitlab.com/api/v4",
    repository: (env, { owner, repo }) => ({
      project: env["CI_MERGE_REQUEST_PROJECT_ID"] || env["CI_PROJECT_ID"] || `${owner}/${repo}`
    }),
    comments: {
      ...inBody,
      markdown: githubMarkdown,
      list: `GET ${notes}?sort=asc&per_page=100`,
      create: `POST ${notes}`,
      update: `PUT ${notes}/{id}`,
      remove: `DELETE ${notes}/{id}`,
      login: "username",
      author: "author",
      isBot: (author) => /^(?:project|group)_\d+_bot/.test(String(field(author, "username")))
    },
    pullsOf: {
      route: "GET /projects/{project}/repository/commits/{sha}/merge_requests",
      listed: itself,
      number: "iid",
      open: "opened"
    },
    // https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
    check: {
      route: "POST /projects/{project}/statuses/{sha}",
      body: ({ conclusion, name, title, url }) => ({
        name,
        state: { success: "success", failure: "failed", neutral: "skipped" }[conclusion],
        target_url: url,
        description: title
      })
    },
    grant:
      "GITLAB_TOKEN must be an access token of the project with the scope api, and the role Developer: Reporter is enough for the comment alone."
  },
  bitbucket: {
    name: "Bitbucket",
    tokens: ["BITBUCKET_TOKEN"],
    headers: (token) => ({ authorization: `Bearer ${token}`, accept: "application/json" }),
    api: (env) => env["BITBUCKET_API_URL"] || "https://api.bitbucket.org/2.0",
    repository: (_env, { owner, repo }) => ({ owner, repo }),
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/
    comments: {
      markdown: { hasHtml: false, longest: 32_768 },
      listed: valuesIn,
      textIn: (comment) => field(field(comment, "content"), "raw"),
      withText: (raw) => ({ content: { raw } }),
      list: `GET ${pullComments}?sort=created_on&pagelen=100`,
      create: `POST ${pullComments}`,
      update: `PUT ${pullComments}/{id}`,
      remove: `DELETE ${pullComments}/{id}`,
      login: "uuid",
      author: "user",
      isBot: (author) => field(author, "type") === "app_user"
    },
    pullsOf: {
      route: `GET ${ofBitbucket}/commit/{sha}/pullrequests`,
      listed: valuesIn,
      number: "id",
      open: "OPEN"
    },
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/
    check: {
      route: `POST ${ofBitbucket}/commit/{sha}/statuses/build`,
      body: ({ conclusion, name, title, url }) => ({
        key: name,
        name,
        state: { success: "SUCCESSFUL", failure: "FAILED", neutral: "STOPPED" }[conclusion],
        url,
        description: title
      })
    },
    grant:
      "BITBUCKET_TOKEN must be an access token of the repository with the permissions pullrequest:write, and for --format check repository:write."
  }
} as const satisfies Readonly<Record<string, CodeHost>>

/** The service that hosts the code of a CI run. */
export const codeHostOf = (env: Context["env"]): CodeHost =>
  env["GITLAB_CI"] === "true"
    ? codeHosts.gitlab
    : env["BITBUCKET_BUILD_NUMBER"]
      ? codeHosts.bitbucket
      : codeHosts.github

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
  readonly timing?: Timing
}

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

/** Sends a request by its route, such as `GET /user`, with these parameters; the rest of them is its body. */
export type Call = (what: string, route: string, parameters?: Readonly<Record<string, unknown>>) => Promise<unknown>

/** Sends requests to the API of a service. Transient failures and rate limits are retried. Rejects with a `SlipwayError`. */
export const callsOf = ({ api, host, log, repository, signal, timing = realTiming, token }: Access): Call => {
  const send = request.defaults({
    baseUrl: api,
    headers: host.headers(token),
    request: { signal, log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } }
  })
  return (what, route, parameters = {}) =>
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
}

/** The number of the open pull request that a commit belongs to. */
export const pullRequestOf = async (call: Call, { pullsOf }: CodeHost, sha: string): Promise<number | undefined> => {
  const pulls = pullsOf.listed(await call("the pull requests of the commit", pullsOf.route, { sha }))
  const open = (Array.isArray(pulls) ? pulls : []).find((pull) => field(pull, "state") === pullsOf.open)
  return open === undefined ? undefined : Number(field(open, pullsOf.number))
}
