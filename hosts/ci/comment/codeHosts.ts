/** The services that host code, as far as results are reported to them: routes, fields and limits, as data. */
import { createHash } from "node:crypto"
import type { Context } from "../command/Context.ts"
import { field } from "../settings/ciEnvironment.ts"
import type { Settings } from "../settings/settings.ts"

/** The Markdown that a service renders. */
export interface MarkdownOf {
  /** Whether it shows `<details>` and `<img>`. */
  readonly hasHtml: boolean
  /** The longest text, in bytes of UTF-8: never more than the same number of characters, in which some services count. */
  readonly longest: number
}

/** GitHub refuses a longer comment. */
export const githubMarkdown: MarkdownOf = { hasHtml: true, longest: 65_536 }

/** The longest summary of a check run. It counts bytes: https://github.com/github/docs/issues/35252 */
export const checkMarkdown: MarkdownOf = { hasHtml: true, longest: 65_535 }

/** A comment of a pull request. */
export interface Comment {
  readonly id: number
  readonly body: string
  /** The id of its author, and whether it is the bot of a job's token. */
  readonly author: unknown
  readonly isBot: boolean
}

/** A route: a method, a path with `{parameters}`, and a query. */
type Route = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`

type Body = Readonly<Record<string, unknown>>

/** A list that a service answers, and where its elements are. */
interface List {
  readonly route: Route
  readonly listed: (answer: unknown) => unknown
}

/** How the API of a service has the comments of a pull request. */
interface CommentRoutes {
  readonly markdown: MarkdownOf
  readonly list: List
  /** The comment that is an element of the list, or the answer to `create`. A deleted one is none. */
  readonly read: (element: unknown) => Comment | undefined
  readonly create: Route
  readonly created: (text: string) => Body
  readonly update: Route
  readonly updated: (text: string) => Body
  readonly remove: Route
  /** Who has the token, and the id of that account as authors have it. */
  readonly me: { readonly route: Route; readonly id: (answer: unknown) => unknown }
  /** Whether a token is certainly that of a bot, which can't read who it is, and whose comments are those of bots. */
  readonly isBotToken?: (token: string) => boolean
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

/** What a result is written for. */
export interface CheckTarget {
  readonly sha: string
  readonly pr: number | undefined
  /** The CI run, without its attempt. */
  readonly ciRun: string
  readonly env: Context["env"]
  /** The version of the pull request that has the commit, on a service whose results are of versions. */
  readonly version?: unknown
}

/** How the API of a service has the result of a commit. A service without `update` replaces the result of the same name. */
export interface CheckRoutes {
  /** Where it is created, or replaced; the parameters beyond those of the repository. */
  readonly create: (target: CheckTarget) => Route
  readonly parameters?: (target: CheckTarget) => Body
  readonly body: (check: CheckResult, target: CheckTarget) => Body
  /** The name and the conclusion, without a text or a link that could be refused. */
  readonly minimal: (check: CheckResult, target: CheckTarget) => Body
  /** The versions of a pull request, on a service whose results are of them. */
  readonly version?: List & { readonly isOf: (element: unknown, target: CheckTarget) => boolean }
  readonly update?: {
    readonly route: Route
    /** The results of the commit with this name, and the mark of the CI run in each and in a body. */
    readonly list: List
    readonly mark: (check: unknown) => unknown
    /** A new result without a conclusion; and one that gives its name up, because it can't be deleted. */
    readonly begun: (check: CheckResult, target: CheckTarget) => Body
    readonly replaced: (check: CheckResult, target: CheckTarget) => Body
    /** An update appends annotations, and removes none. */
    readonly annotations: List
    readonly withAnnotations: (body: Body, keep: (annotation: unknown) => boolean) => Body
  }
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
  readonly repository: (env: Context["env"], settings: Pick<Settings, "owner" | "repo">) => Body
  readonly comments: CommentRoutes
  /** The open pull requests of a commit. */
  readonly pulls: List & { readonly number: string; readonly isOpen: (pull: unknown, sha: string) => boolean }
  readonly check: CheckRoutes
  /** How a token gets the permissions. */
  readonly grant: string
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** A text of at most so many bytes, whose cut is marked and splits no character. */
const cutTo = (text: string, most: number): string => {
  if (bytesOf(text) <= most) return text
  const mark = "…"
  let [cut, left] = ["", most - bytesOf(mark)]
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    left -= bytesOf(segment)
    if (left < 0) break
    cut += segment
  }
  return `${cut}${mark}`
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A key of at most so many bytes: the text itself, or a hash of all of it. */
const keyOf = (text: string, most: number): string => (bytesOf(text) <= most ? text : hashOf(text).slice(0, most))

/** The longest name, description or link of a result, on most services. */
const statusText = 255

/** The name of a result: two that are too long and begin alike are two results still. */
const uniqueName = (name: string): string =>
  bytesOf(name) <= statusText ? name : `${cutTo(name, statusText - 13)} ${hashOf(name).slice(0, 12)}`

/** A link, unless the service would refuse it for its length: a cut one would lead nowhere. */
const link = (name: string, url: string, most: number): Body => (bytesOf(url) <= most ? { [name]: url } : {})

const itself = (answer: unknown): unknown => answer
const valueIn = (answer: unknown): unknown => field(answer, "value")
const valuesIn = (answer: unknown): unknown => field(answer, "values")
const textOf = (text: unknown): string => (typeof text === "string" ? text : "")

const issues = "/repos/{owner}/{repo}/issues"
const notes = "/projects/{project}/merge_requests/{pr}/notes"
const ofBitbucket = "/repositories/{owner}/{repo}"
const pullComments = `${ofBitbucket}/pullrequests/{pr}/comments` as const
const ofAzure = "/{project}/_apis/git/repositories/{repository}"
const azureVersion = "api-version=7.1"
const threads = `${ofAzure}/pullRequests/{pr}/threads` as const

const githubComments = {
  markdown: githubMarkdown,
  list: { route: `GET ${issues}/{pr}/comments?per_page=100`, listed: itself },
  read: (comment) => ({
    id: Number(field(comment, "id")),
    body: textOf(field(comment, "body")),
    author: field(comment, "user", "login"),
    isBot: field(comment, "user", "type") === "Bot"
  }),
  create: `POST ${issues}/{pr}/comments`,
  created: (body) => ({ body }),
  update: `PATCH ${issues}/comments/{id}`,
  updated: (body) => ({ body }),
  remove: `DELETE ${issues}/comments/{id}`,
  me: { route: "GET /user", id: (user) => field(user, "login") },
  isBotToken: (token) => token.startsWith("ghs_")
} as const satisfies CommentRoutes

/** The repository of a workflow of GitHub, or of Gitea. */
const workflowRepository: CodeHost["repository"] = (env, { owner, repo }) => {
  const [ownerThere = owner, repoThere = repo] = env["GITHUB_REPOSITORY"]?.split("/") ?? []
  return { owner: ownerThere, repo: repoThere }
}

/** What a check run without a report says; an update would keep an earlier text. */
const unreported = (conclusion: string) => ({
  title: `Tests: ${conclusion}`,
  summary: "The report was refused here. The comment of the pull request has it."
})

const githubCheck = ({ conclusion, name }: CheckResult, { ciRun, sha }: CheckTarget) => ({
  name: uniqueName(name),
  head_sha: sha,
  external_id: keyOf(ciRun, statusText),
  status: "completed",
  conclusion
})

/** The reference of the pipeline that runs: that of a merge request is no branch. */
const gitlabRef = (env: Context["env"]): string | undefined => {
  const ofRequest = env["CI_MERGE_REQUEST_REF_PATH"]
  if (!ofRequest) return env["CI_COMMIT_REF_NAME"]
  const isMerged = ["merged_result", "merge_train"].includes(env["CI_MERGE_REQUEST_EVENT_TYPE"] ?? "")
  return isMerged ? ofRequest.replace(/\/head$/, "/merge") : ofRequest
}

/** Whether a commit is the one of the pipeline that runs: the merge that it tries has a hash of its own. */
const isOfPipeline = (sha: string, env: Context["env"]): boolean =>
  [env["CI_COMMIT_SHA"], env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"]].includes(sha) && Boolean(env["CI_PIPELINE_ID"])

/** The states of commit statuses, whose name and conclusion are certainly accepted. */
const gitlabStatus = ({ conclusion, name }: CheckResult) => ({
  name: uniqueName(name),
  state: { success: "success", failure: "failed", neutral: "skipped" }[conclusion]
})

const bitbucketStatus = ({ conclusion, name, url }: CheckResult) => ({
  key: keyOf(name, 40),
  name: cutTo(name, statusText),
  state: { success: "SUCCESSFUL", failure: "FAILED", neutral: "STOPPED" }[conclusion],
  // It requires one.
  url
})

const azureStatus = ({ conclusion, name }: CheckResult, { version }: CheckTarget) => ({
  context: { genre: "slipway", name: uniqueName(name) },
  state: { success: "succeeded", failure: "failed", neutral: "notApplicable" }[conclusion],
  ...(version === undefined ? {} : { iterationId: field(version, "id") })
})

const giteaStatus = ({ conclusion, name }: CheckResult) => ({
  context: uniqueName(name),
  state: { success: "success", failure: "failure", neutral: "warning" }[conclusion]
})

export const codeHosts = {
  github: {
    name: "GitHub",
    tokens: ["GITHUB_TOKEN", "GH_TOKEN"],
    headers: (token) => ({ authorization: `token ${token}`, "x-github-api-version": "2022-11-28" }),
    api: (env) => env["GITHUB_API_URL"] || "https://api.github.com",
    repository: workflowRepository,
    comments: githubComments,
    pulls: {
      route: "GET /repos/{owner}/{repo}/commits/{sha}/pulls?per_page=100",
      listed: itself,
      number: "number",
      isOpen: (pull) => field(pull, "state") === "open"
    },
    // https://docs.github.com/en/rest/checks/runs
    check: {
      create: () => "POST /repos/{owner}/{repo}/check-runs",
      body: (check, target) => ({
        ...githubCheck(check, target),
        details_url: check.url,
        output: {
          title: cutTo(check.title, statusText),
          summary: check.summary,
          annotations: check.annotations.slice(0, 50).map(({ isKnown, message, path, title }) => ({
            path,
            // Test runs have no line, and an annotation needs one.
            start_line: 1,
            end_line: 1,
            annotation_level: isKnown ? "warning" : "failure",
            title: cutTo(title, statusText),
            message: cutTo(message, 65_535)
          }))
        }
      }),
      minimal: (check, target) => ({ ...githubCheck(check, target), output: unreported(check.conclusion) }),
      update: {
        route: "PATCH /repos/{owner}/{repo}/check-runs/{id}",
        list: {
          route: "GET /repos/{owner}/{repo}/commits/{sha}/check-runs?check_name={name}&filter=all&per_page=100",
          listed: (answer) => field(answer, "check_runs")
        },
        mark: (check) => field(check, "external_id"),
        begun: (check, target) => {
          const { conclusion: _, ...body } = githubCheck(check, target)
          return { ...body, status: "in_progress" }
        },
        replaced: (check, target) => ({
          ...githubCheck({ ...check, name: `${check.name} (replaced)`, conclusion: "neutral" }, target),
          output: {
            title: "Replaced",
            summary: "Another job created a newer check run of this name at the same moment."
          }
        }),
        annotations: {
          route: "GET /repos/{owner}/{repo}/check-runs/{id}/annotations?per_page=100",
          listed: itself
        },
        withAnnotations: (body, keep) => {
          const annotations = field(body, "output", "annotations")
          if (!Array.isArray(annotations)) return body
          return { ...body, output: { ...Object(body["output"]), annotations: annotations.filter(keep) } }
        }
      }
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
      // It takes 1,000,000 characters, which nobody reads.
      markdown: githubMarkdown,
      list: { route: `GET ${notes}?sort=asc&per_page=100`, listed: itself },
      read: (note) => ({
        id: Number(field(note, "id")),
        body: textOf(field(note, "body")),
        author: field(note, "author", "username"),
        isBot: /^(?:project|group)_\d+_bot/.test(textOf(field(note, "author", "username")))
      }),
      create: `POST ${notes}`,
      created: (body) => ({ body }),
      update: `PUT ${notes}/{id}`,
      updated: (body) => ({ body }),
      remove: `DELETE ${notes}/{id}`,
      me: { route: "GET /user", id: (user) => field(user, "username") }
    },
    pulls: {
      route: "GET /projects/{project}/repository/commits/{sha}/merge_requests?per_page=100",
      listed: itself,
      number: "iid",
      isOpen: (request) => field(request, "state") === "opened"
    },
    // A pipeline is found by its id, commit and reference together: https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
    check: {
      create: () => "POST /projects/{project}/statuses/{sha}",
      parameters: ({ env, sha }) => ({ sha: isOfPipeline(sha, env) ? env["CI_COMMIT_SHA"] || sha : sha }),
      body: (check, { env, sha }) => ({
        ...gitlabStatus(check),
        ...link("target_url", check.url, statusText),
        description: cutTo(check.title, statusText),
        ...(isOfPipeline(sha, env) && gitlabRef(env) !== undefined
          ? { ref: gitlabRef(env), pipeline_id: Number(env["CI_PIPELINE_ID"]) }
          : {})
      }),
      minimal: gitlabStatus
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
      markdown: { hasHtml: false, longest: 32_767 },
      list: { route: `GET ${pullComments}?sort=created_on&pagelen=100`, listed: valuesIn },
      read: (comment) =>
        // It lists what is deleted.
        field(comment, "deleted") === true
          ? undefined
          : {
              id: Number(field(comment, "id")),
              body: textOf(field(comment, "content", "raw")),
              author: field(comment, "user", "uuid"),
              isBot: field(comment, "user", "type") === "app_user"
            },
      create: `POST ${pullComments}`,
      created: (raw) => ({ content: { raw } }),
      update: `PUT ${pullComments}/{id}`,
      updated: (raw) => ({ content: { raw } }),
      remove: `DELETE ${pullComments}/{id}`,
      me: { route: "GET /user", id: (user) => field(user, "uuid") },
      isBotToken: (token) => token.startsWith("ATCTT")
    },
    pulls: {
      route: `GET ${ofBitbucket}/commit/{sha}/pullrequests?pagelen=50`,
      listed: valuesIn,
      number: "id",
      isOpen: (pull) => field(pull, "state") === "OPEN"
    },
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/
    check: {
      create: () => `POST ${ofBitbucket}/commit/{sha}/statuses/build`,
      body: (check) => ({ ...bitbucketStatus(check), description: cutTo(check.title, statusText) }),
      minimal: bitbucketStatus
    },
    grant:
      "BITBUCKET_TOKEN must be an access token of the repository with the permissions pullrequest:write, and for --format check repository:write."
  },
  azure: {
    name: "Azure Repos",
    tokens: ["SYSTEM_ACCESSTOKEN"],
    headers: (token) => ({ authorization: `Bearer ${token}`, accept: "application/json" }),
    api: (env) => env["SYSTEM_COLLECTIONURI"] || env["SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"] || "https://dev.azure.com",
    repository: (env, { repo }) => ({
      project: env["SYSTEM_TEAMPROJECTID"] || env["SYSTEM_TEAMPROJECT"],
      repository: env["BUILD_REPOSITORY_ID"] || repo
    }),
    // A thread for the comment: https://learn.microsoft.com/en-us/rest/api/azure/devops/git/pull-request-threads
    comments: {
      // It takes 150,000 characters.
      markdown: githubMarkdown,
      list: { route: `GET ${threads}?${azureVersion}`, listed: valueIn },
      read: (thread) => {
        const first = field(thread, "comments", 0)
        if (first === undefined || field(thread, "isDeleted") === true || field(first, "isDeleted") === true) return
        return {
          id: Number(field(thread, "id")),
          body: textOf(field(first, "content")),
          author: field(first, "author", "id"),
          isBot: textOf(field(first, "author", "uniqueName")).startsWith("Build\\")
        }
      },
      create: `POST ${threads}?${azureVersion}`,
      // An open thread would block the completion of the pull request where a policy wants comments resolved.
      created: (content) => ({ status: "closed", comments: [{ parentCommentId: 0, commentType: "text", content }] }),
      update: `PATCH ${threads}/{id}/comments/1?${azureVersion}`,
      updated: (content) => ({ content }),
      remove: `DELETE ${threads}/{id}/comments/1?${azureVersion}`,
      me: { route: "GET /_apis/connectionData", id: (answer) => field(answer, "authenticatedUser", "id") }
    },
    pulls: {
      route: `GET ${ofAzure}/pullrequests?searchCriteria.status=active&searchCriteria.sourceRefName={ref}&${azureVersion}`,
      listed: valueIn,
      number: "pullRequestId",
      isOpen: (pull, sha) => field(pull, "lastMergeSourceCommit", "commitId") === sha
    },
    // Policies read the statuses of pull requests: https://learn.microsoft.com/en-us/rest/api/azure/devops/git/pull-request-statuses
    check: {
      create: ({ pr }) =>
        pr === undefined
          ? `POST ${ofAzure}/commits/{sha}/statuses?${azureVersion}`
          : `POST ${ofAzure}/pullRequests/{pr}/statuses?${azureVersion}`,
      // A status of an iteration does not hold for later commits of the pull request.
      version: {
        route: `GET ${ofAzure}/pullRequests/{pr}/iterations?${azureVersion}`,
        listed: valueIn,
        isOf: (iteration, { sha }) => field(iteration, "sourceRefCommit", "commitId") === sha
      },
      body: (check, target) => ({
        ...azureStatus(check, target),
        description: cutTo(check.title, statusText),
        targetUrl: check.url
      }),
      minimal: azureStatus
    },
    grant:
      "The step needs env: { SYSTEM_ACCESSTOKEN: $(System.AccessToken) }, and the build service of the project the permission Contribute to pull requests of the repository."
  },
  gitea: {
    name: "Gitea",
    tokens: ["GITEA_TOKEN", "GITHUB_TOKEN"],
    headers: (token) => ({ authorization: `token ${token}`, accept: "application/json" }),
    api: (env) => env["GITHUB_API_URL"] || `${env["GITHUB_SERVER_URL"] ?? ""}/api/v1`,
    repository: workflowRepository,
    comments: {
      ...githubComments,
      read: (comment) => ({
        ...githubComments.read(comment),
        isBot: /^(?:gitea|forgejo)-actions$/.test(textOf(field(comment, "user", "login")))
      }),
      isBotToken: () => false
    },
    pulls: {
      route: "GET /repos/{owner}/{repo}/pulls?state=open&limit=50",
      listed: itself,
      number: "number",
      isOpen: (pull, sha) => field(pull, "head", "sha") === sha
    },
    check: {
      create: () => "POST /repos/{owner}/{repo}/statuses/{sha}",
      body: (check) => ({
        ...giteaStatus(check),
        ...link("target_url", check.url, statusText),
        description: cutTo(check.title, statusText)
      }),
      minimal: giteaStatus
    },
    grant:
      "The token of the workflow writes both, unless the repository restricts it; else GITEA_TOKEN with write:issue and write:repository."
  }
} as const satisfies Readonly<Record<string, CodeHost>>

/** The service that hosts the code of a CI run. */
export const codeHostOf = (env: Context["env"]): CodeHost => {
  if (env["GITLAB_CI"] === "true") return codeHosts.gitlab
  if (env["BITBUCKET_BUILD_NUMBER"]) return codeHosts.bitbucket
  if (env["TF_BUILD"] && env["BUILD_REPOSITORY_PROVIDER"] === "TfsGit") return codeHosts.azure
  return env["GITEA_ACTIONS"] === "true" || env["FORGEJO_ACTIONS"] === "true" ? codeHosts.gitea : codeHosts.github
}
