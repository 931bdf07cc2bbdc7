/** Detects the CI that a process runs in, and reads what it knows of the run: each CI is a row of a table of variables. */
import vendors from "ci-info/vendors.json" with { type: "json" }
import { readFileSync, statSync } from "node:fs"

/** The subject of a CI run, as far as it is known. */
export interface Provenance {
  readonly owner?: string | undefined
  readonly repo?: string | undefined
  readonly branch?: string | undefined
  /** The head commit, 40 hexadecimal digits; never the merge commit that a CI makes of a pull request. */
  readonly commit?: string | undefined
  /** The number of the pull request. */
  readonly pr?: number | undefined
  /** The branch that the pull request is to be merged into. */
  readonly base?: string | undefined
  /** The message of the commit, and the name of its author. */
  readonly commitMessage?: string | undefined
  readonly author?: string | undefined
  /** What the CI calls the job. */
  readonly job?: string | undefined
  /** Which app of the repository it is, as the user names it; no CI and no file tells. */
  readonly app?: string | undefined
  /** Which run of which CI, and which attempt at it: `github:1234567/2`. All jobs of one attempt have the same. */
  readonly source?: string | undefined
  /** Whether the pull request comes from elsewhere, so that the CI gives it no secrets. */
  readonly isFork?: boolean | undefined
}

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What a variable says. */
interface SourcedValue<A> {
  readonly value: A
  /** The variables that say it. */
  readonly from: string
}

type Field = Exclude<keyof Provenance, "source" | "isFork" | "app">
type Value<A extends Field> = NonNullable<Provenance[A]>

/** What a CI says of a run: the variables of each field, of which the first counts that says anything, or its value. */
type Said = { readonly [A in Field]?: string | SourcedValue<Value<A>> | undefined } & {
  /** The variables with the URL of the repository, or with `owner/name`. */
  readonly repository?: string
  readonly isFork?: boolean
}

/** One CI. Every row follows that CI's documentation, whose address it has. What it lacks, or has only for its merge commit, comes from git. */
interface CiVendor {
  /** What `ci-info` calls it. */
  readonly constant: string
  /** Variables that it sets, where `ci-info` names too few: one of them is enough. */
  readonly sets?: ReadonlyArray<string>
  /** What `source` begins with. */
  readonly name: string
  /** Which run it is: the same for all jobs of one, and for all attempts at it. */
  readonly run: string | ((env: Variables) => SourcedValue<string> | undefined)
  /** Which attempt at the run, or at this job of it: failed jobs may be run again. Of a CI without it, each run is a new one. */
  readonly attempt?: string | ((env: Variables) => SourcedValue<string> | undefined)
  /** Where its variables are, if not in the environment. */
  readonly variables?: (env: Variables) => Variables
  readonly said: Said | ((env: Variables) => Said)
}

/** A commit, if the text is one: Buildkite has `HEAD` for a build that was started manually. */
const commitIn = (text: string | undefined): string | undefined =>
  text !== undefined && /^[0-9a-f]{40}$/i.test(text) ? text : undefined

/** The number of a pull request, in itself or at the end of its URL. `false` and the like are none. */
const prIn = (text: string | undefined): number | undefined => {
  const [digits] = /\d+$/.exec(text ?? "") ?? []
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits)
}

/** A branch without what says that it is one. A tag is none, nor is the reference of a pull request. */
const branchIn = (ref: string | undefined): string | undefined => {
  const name = ref?.replace(/^refs\/heads\//, "")
  return name === undefined || name === "" || /^refs\/|^pull\/\d+(?:\/|$)/.test(name) ? undefined : name
}

/** The name in `Name <address>`. */
const authorIn = (text: string): string | undefined => text.replace(/\s*<[^>]*>\s*$/, "") || undefined

/** Whether a pull request comes from another repository. */
const isOtherRepository = (head: string | undefined, own: string | undefined): boolean =>
  head !== undefined && JSON.stringify(repositoryOf(head)) !== JSON.stringify(repositoryOf(own))

/** What the first of these variables says that says anything. */
const sourced = <A>(
  env: Variables,
  read: (text: string) => A | undefined,
  ...names: ReadonlyArray<string>
): SourcedValue<A> | undefined => {
  for (const name of names) {
    const text = env[name]
    const value = text === undefined ? undefined : read(text)
    if (value !== undefined) return { value, from: name }
  }
  return undefined
}

const asIs = (text: string): string => text

/** How often a job was tried again, as the number of the attempt. */
const attemptAfter = (retries: string): string | undefined =>
  /^\d{1,6}$/.test(retries) ? String(Number(retries) + 1) : undefined

/** Owner and name of the repository that a URL of git names, as far as it has both. */
export const repositoryOf = (url: string | undefined): { readonly owner?: string; readonly repo?: string } => {
  // `git@host:owner/name.git`, `ssh://git@host:22/owner/name`, `https://host/owner/name.git`.
  const [, path = ""] = /^(?:[a-z+]+:\/\/[^/]+\/|[^/:]+:)(.+?)(?:\.git)?\/?$/i.exec(url ?? "") ?? []
  // Azure Repos has `_git` before the name, or by SSH `v3` before all.
  const parts = path
    .replace(/^v3\//, "")
    .split("/")
    .filter((part) => part !== "" && part !== "_git")
  const [repo] = parts.slice(-1)
  return repo === undefined || parts.length < 2 ? {} : { owner: parts.slice(0, -1).join("/"), repo }
}

/** The repository of a URL, or of `owner/name`, where the owner may be a group of groups. */
const repositoryIn = (text: string): { readonly owner?: string; readonly repo?: string } => {
  const [, owner, repo] = text.includes(":") ? [] : (/^(.+)\/([^/]+)$/.exec(text) ?? [])
  return owner === undefined || repo === undefined ? repositoryOf(text) : { owner, repo }
}

/** How the text of a variable is read. */
const readers: { readonly [A in Field]: (text: string) => Value<A> | undefined } = {
  owner: asIs,
  repo: asIs,
  branch: branchIn,
  commit: commitIn,
  pr: prIn,
  base: branchIn,
  commitMessage: asIs,
  author: authorIn,
  job: asIs
}

/** A field of a value, by its path. */
export const field = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value
  )

/** A file that a CI names; anything else there, such as a FIFO, would keep a read for ever. */
const readNamed = (path: string, encoding: "utf8" | "latin1"): string =>
  statSync(path).isFile() ? readFileSync(path, encoding) : ""

const readEvent = (path: string | undefined): unknown => {
  try {
    return path === undefined ? undefined : JSON.parse(readNamed(path, "utf8"))
  } catch {
    return undefined
  }
}

/** GitHub checks a merge commit out for a pull request, and GITHUB_SHA is that: the head is in the file of the event. */
const github = (env: Variables): Said => {
  const event = readEvent(env["GITHUB_EVENT_PATH"])
  const from = "GITHUB_EVENT_PATH"
  const text = (...path: ReadonlyArray<string | number>) => {
    const value = field(event, ...path)
    return typeof value === "string" ? { value, from } : undefined
  }
  const number = (...path: ReadonlyArray<string | number>) => {
    const value = field(event, ...path)
    return typeof value === "number" ? { value, from } : undefined
  }
  const commit = (...path: ReadonlyArray<string>) => (commitIn(text(...path)?.value) ? text(...path) : undefined)
  const common = { repository: "GITHUB_REPOSITORY", job: "GITHUB_JOB" }
  const isPull = field(event, "pull_request") !== undefined
  if (isPull || env["GITHUB_EVENT_NAME"]?.startsWith("pull_request") === true) {
    const inRef = (ref: string) => prIn(/^refs\/pull\/(\d+)\//.exec(ref)?.[1])
    const head = field(event, "pull_request", "head", "repo", "full_name")
    return {
      ...common,
      // The checkout of a pull request often lacks its head commit.
      commitMessage: text("pull_request", "title"),
      author: text("pull_request", "user", "login"),
      branch: text("pull_request", "head", "ref") ?? "GITHUB_HEAD_REF",
      commit: commit("pull_request", "head", "sha"),
      pr: number("pull_request", "number") ?? sourced(env, inRef, "GITHUB_REF"),
      base: text("pull_request", "base", "ref") ?? "GITHUB_BASE_REF",
      // The pull requests of Dependabot get no secrets either.
      isFork: (isPull && head !== env["GITHUB_REPOSITORY"]) || env["GITHUB_ACTOR"] === "dependabot[bot]"
    }
  }
  if (field(event, "workflow_run") !== undefined) {
    return {
      ...common,
      commitMessage: text("workflow_run", "head_commit", "message"),
      author: text("workflow_run", "head_commit", "author", "name"),
      branch: text("workflow_run", "head_branch"),
      commit: commit("workflow_run", "head_sha"),
      pr: number("workflow_run", "pull_requests", 0, "number"),
      base: text("workflow_run", "pull_requests", 0, "base", "ref")
    }
  }
  // A comment on a pull request. GITHUB_SHA is of the default branch, whatever the workflow checks out: git knows that.
  if (field(event, "issue", "pull_request") !== undefined) return { ...common, pr: number("issue", "number") }
  const of = field(event, "head_commit") === undefined ? ["merge_group", "head_commit"] : ["head_commit"]
  return {
    ...common,
    commitMessage: text(...of, "message"),
    author: text(...of, "author", "name"),
    branch: env["GITHUB_REF_TYPE"] === "tag" ? undefined : "GITHUB_REF",
    commit: "GITHUB_SHA"
  }
}

/** The parameters of a build of TeamCity: no variables, but in a file of Java properties that another one names. */
const teamCityParameters = (env: Variables): Variables => {
  const read = (path: string | undefined): Variables => {
    if (path === undefined) return {}
    try {
      const unescaped = (text = "") => text.trim().replace(/\\(.)/g, "$1")
      const pairs = readNamed(path, "latin1").matchAll(/^\s*((?:[^\\#!=:\s]|\\.)+)\s*[=:]?(.*)$/gm)
      return Object.fromEntries(Array.from(pairs, ([, name, value]) => [unescaped(name), unescaped(value)]))
    } catch {
      return {}
    }
  }
  return read(read(env["TEAMCITY_BUILD_PROPERTIES_FILE"])["teamcity.configuration.properties.file"])
}

/** Every CI that is detected. */
const ciVendors: ReadonlyArray<CiVendor> = [
  {
    // Before GitHub, whose variables it sets too.
    constant: "GITEA_ACTIONS",
    sets: ["GITEA_ACTIONS", "FORGEJO_ACTIONS"],
    name: "gitea",
    // https://docs.gitea.com/usage/actions/comparison and https://forgejo.org/docs/latest/user/actions/reference/
    run: "GITHUB_RUN_ID",
    attempt: "GITHUB_RUN_ATTEMPT",
    said: github
  },
  {
    constant: "GITHUB_ACTIONS",
    name: "github",
    // https://docs.github.com/en/actions/reference/workflows-and-actions/variables
    run: "GITHUB_RUN_ID",
    attempt: "GITHUB_RUN_ATTEMPT",
    said: github
  },
  {
    constant: "GITLAB",
    name: "gitlab",
    // https://docs.gitlab.com/ci/variables/predefined_variables/
    run: "CI_PIPELINE_ID",
    // Since GitLab 19.3.
    attempt: (env) => sourced(env, attemptAfter, "CI_JOB_RETRY_COUNT"),
    said: (env) => ({
      owner: "CI_PROJECT_NAMESPACE",
      repo: "CI_PROJECT_NAME",
      branch: "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME CI_COMMIT_BRANCH",
      // Only pipelines of merged results have the first; in them, CI_COMMIT_SHA is the merge commit.
      commit: "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA CI_COMMIT_SHA",
      // The `ID` counts across all projects of a server.
      pr: "CI_MERGE_REQUEST_IID CI_EXTERNAL_PULL_REQUEST_IID",
      base: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME",
      // A pipeline of merged results has the message and the author of the merge commit.
      ...(env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] === undefined
        ? { commitMessage: "CI_COMMIT_MESSAGE", author: "CI_COMMIT_AUTHOR" }
        : {}),
      job: "CI_JOB_NAME",
      isFork:
        env["CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"] !== undefined &&
        env["CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"] !== env["CI_MERGE_REQUEST_PROJECT_PATH"]
    })
  },
  {
    constant: "CIRCLE",
    name: "circleci",
    // https://circleci.com/docs/reference/variables/
    // A workflow that is run again has a new id, and the workspace of the first.
    run: "CIRCLE_WORKFLOW_WORKSPACE_ID CIRCLE_WORKFLOW_ID",
    attempt: (env) =>
      [env["CIRCLE_WORKFLOW_ID"], undefined].includes(env["CIRCLE_WORKFLOW_WORKSPACE_ID"])
        ? undefined
        : sourced(env, asIs, "CIRCLE_WORKFLOW_ID"),
    said: (env) => ({
      owner: "CIRCLE_PROJECT_USERNAME",
      repo: "CIRCLE_PROJECT_REPONAME",
      // Of a fork it says `pull/12`, and not the branch.
      branch: "CIRCLE_BRANCH",
      commit: "CIRCLE_SHA1",
      pr: "CIRCLE_PULL_REQUEST CIRCLE_PR_NUMBER",
      job: "CIRCLE_JOB",
      isFork: env["CIRCLE_PR_NUMBER"] !== undefined
    })
  },
  {
    constant: "BITRISE",
    name: "bitrise",
    // https://docs.bitrise.io/en/bitrise-ci/references/available-environment-variables.html
    // The builds of one pipeline are one run.
    run: "BITRISEIO_PIPELINE_ID BITRISE_BUILD_SLUG",
    said: (env) => ({
      owner: "BITRISEIO_GIT_REPOSITORY_OWNER",
      repo: "BITRISEIO_GIT_REPOSITORY_SLUG",
      branch: "BITRISE_GIT_BRANCH",
      commit: "BITRISE_GIT_COMMIT",
      pr: "BITRISE_PULL_REQUEST",
      base: "BITRISEIO_GIT_BRANCH_DEST",
      commitMessage: "BITRISE_GIT_MESSAGE",
      job: "BITRISE_TRIGGERED_WORKFLOW_ID",
      isFork: isOtherRepository(env["BITRISEIO_PULL_REQUEST_REPOSITORY_URL"], env["GIT_REPOSITORY_URL"])
    })
  },
  {
    constant: "BUILDKITE",
    name: "buildkite",
    // https://buildkite.com/docs/pipelines/configure/environment-variables
    run: "BUILDKITE_BUILD_ID",
    attempt: (env) => sourced(env, attemptAfter, "BUILDKITE_RETRY_COUNT"),
    said: (env) => ({
      repository: "BUILDKITE_REPO",
      branch: "BUILDKITE_BRANCH",
      commit: "BUILDKITE_COMMIT",
      pr: "BUILDKITE_PULL_REQUEST",
      base: "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
      commitMessage: "BUILDKITE_MESSAGE",
      author: "BUILDKITE_BUILD_AUTHOR",
      job: "BUILDKITE_LABEL",
      isFork: isOtherRepository(env["BUILDKITE_PULL_REQUEST_REPO"], env["BUILDKITE_REPO"])
    })
  },
  {
    constant: "AZURE_PIPELINES",
    name: "azure",
    // https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables
    run: "BUILD_BUILDID",
    attempt: "SYSTEM_JOBATTEMPT",
    said: (env) => {
      const isPull = env["BUILD_REASON"] === "PullRequest"
      return {
        repository: "BUILD_REPOSITORY_URI",
        branch: isPull ? "SYSTEM_PULLREQUEST_SOURCEBRANCH" : "BUILD_SOURCEBRANCH",
        // Of a pull request, the version of the source is the merge commit.
        commit: isPull ? "SYSTEM_PULLREQUEST_SOURCECOMMITID" : "BUILD_SOURCEVERSION",
        // The id of a pull request of GitHub is none that anybody sees; the number is there for GitHub alone.
        pr: "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER SYSTEM_PULLREQUEST_PULLREQUESTID",
        base: "SYSTEM_PULLREQUEST_TARGETBRANCH",
        commitMessage: isPull ? undefined : "BUILD_SOURCEVERSIONMESSAGE",
        author: "BUILD_REQUESTEDFOR",
        job: "SYSTEM_JOBDISPLAYNAME",
        isFork: env["SYSTEM_PULLREQUEST_ISFORK"]?.toLowerCase() === "true"
      }
    }
  },
  {
    constant: "JENKINS",
    name: "jenkins",
    // Git's own variables: https://plugins.jenkins.io/git/#plugin-content-environment-variables
    // https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables
    run: (env) => {
      const job = sourced(env, asIs, "JOB_NAME")
      return job && { value: `${job.value}#${env["BUILD_NUMBER"]}`, from: "JOB_NAME, BUILD_NUMBER" }
    },
    said: (env) => {
      const pr = sourced(env, prIn, "CHANGE_ID")
      const onPush =
        sourced(env, asIs, "BRANCH_NAME") ?? sourced(env, (name) => name.replace(/^origin\//, ""), "GIT_BRANCH")
      return {
        repository: "GIT_URL",
        branch: pr !== undefined ? "CHANGE_BRANCH" : env["TAG_NAME"] !== undefined ? undefined : onPush,
        // Of a pull request, GIT_COMMIT may be a merge that Jenkins made: git knows by its message.
        commit: pr === undefined ? "GIT_COMMIT" : undefined,
        pr,
        base: pr && "CHANGE_TARGET",
        commitMessage: "CHANGE_TITLE",
        author: "CHANGE_AUTHOR_DISPLAY_NAME CHANGE_AUTHOR",
        job: "STAGE_NAME",
        isFork: env["CHANGE_FORK"] !== undefined
      }
    }
  },
  {
    constant: "EAS",
    name: "eas",
    // Branch and pull request are available only in the expressions of a workflow: SLIPWAY_BRANCH: ${{ github.ref_name
    // }}. https://docs.expo.dev/eas/environment-variables/usage/#built-in-environment-variables
    run: "EAS_BUILD_ID",
    said: { commit: "EAS_BUILD_GIT_COMMIT_HASH" }
  },
  {
    constant: "CODEMAGIC",
    name: "codemagic",
    // https://docs.codemagic.io/yaml-basic-configuration/environment-variables/
    run: "CM_BUILD_ID",
    said: (env) => ({
      repository: "CM_REPO_SLUG",
      branch: "CM_BRANCH",
      commit: "CM_COMMIT",
      ...(env["CM_PULL_REQUEST"] === "true" ? { pr: "CM_PULL_REQUEST_NUMBER", base: "CM_PULL_REQUEST_DEST" } : {})
    })
  },
  {
    constant: "BITBUCKET",
    name: "bitbucket",
    // https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/
    run: (env) => sourced(env, (id) => id.replace(/[{}]/g, ""), "BITBUCKET_PIPELINE_UUID"),
    said: {
      owner: "BITBUCKET_WORKSPACE",
      repo: "BITBUCKET_REPO_SLUG",
      branch: "BITBUCKET_BRANCH",
      commit: "BITBUCKET_COMMIT",
      pr: "BITBUCKET_PR_ID",
      base: "BITBUCKET_PR_DESTINATION_BRANCH"
    }
  },
  {
    constant: "XCODE_CLOUD",
    sets: ["CI_XCODE_CLOUD", "CI_XCODE_PROJECT"],
    name: "xcodecloud",
    // https://developer.apple.com/documentation/xcode/environment-variable-reference
    run: "CI_BUILD_ID",
    said: (env) => ({
      // Outside of pull requests no variable names the repository: git does.
      repository: "CI_PULL_REQUEST_TARGET_REPO",
      branch: "CI_PULL_REQUEST_SOURCE_BRANCH CI_BRANCH",
      commit: "CI_PULL_REQUEST_SOURCE_COMMIT CI_COMMIT",
      pr: "CI_PULL_REQUEST_NUMBER",
      base: "CI_PULL_REQUEST_TARGET_BRANCH",
      job: "CI_WORKFLOW",
      isFork: env["CI_PULL_REQUEST_SOURCE_REPO"] !== env["CI_PULL_REQUEST_TARGET_REPO"]
    })
  },
  {
    constant: "SEMAPHORE",
    name: "semaphore",
    // https://docs.semaphore.io/reference/env-vars
    run: "SEMAPHORE_WORKFLOW_ID",
    attempt: (env) =>
      env["SEMAPHORE_PIPELINE_RERUN"] === "true" ? sourced(env, asIs, "SEMAPHORE_PIPELINE_ID") : undefined,
    said: (env) => {
      const isPull = env["SEMAPHORE_GIT_REF_TYPE"] === "pull-request"
      return {
        repository: "SEMAPHORE_GIT_REPO_SLUG",
        // Of a pull request, SEMAPHORE_GIT_BRANCH is what it is to be merged into, and of a tag its reference.
        branch: `${isPull ? "SEMAPHORE_GIT_PR_BRANCH " : ""}SEMAPHORE_GIT_WORKING_BRANCH${isPull ? "" : " SEMAPHORE_GIT_BRANCH"}`,
        // Of a pull request, SEMAPHORE_GIT_SHA is the merge commit.
        commit: isPull ? "SEMAPHORE_GIT_PR_SHA" : "SEMAPHORE_GIT_SHA",
        pr: "SEMAPHORE_GIT_PR_NUMBER",
        author: "SEMAPHORE_GIT_COMMIT_AUTHOR",
        job: "SEMAPHORE_JOB_NAME",
        base: isPull ? "SEMAPHORE_GIT_BRANCH" : undefined,
        isFork: isPull && env["SEMAPHORE_GIT_PR_SLUG"] !== env["SEMAPHORE_GIT_REPO_SLUG"]
      }
    }
  },
  {
    constant: "TRAVIS",
    name: "travis",
    // https://docs.travis-ci.com/user/environment-variables/#default-environment-variables
    run: "TRAVIS_BUILD_ID",
    said: (env) => {
      const pr = sourced(env, prIn, "TRAVIS_PULL_REQUEST")
      const isPull = pr !== undefined
      return {
        repository: "TRAVIS_REPO_SLUG",
        // Of a pull request, TRAVIS_BRANCH is what it is to be merged into, and of a tag its name.
        branch: env["TRAVIS_TAG"] !== undefined ? undefined : isPull ? "TRAVIS_PULL_REQUEST_BRANCH" : "TRAVIS_BRANCH",
        // Of a pull request, TRAVIS_COMMIT is the merge commit.
        commit: isPull ? "TRAVIS_PULL_REQUEST_SHA" : "TRAVIS_COMMIT",
        pr,
        base: isPull ? "TRAVIS_BRANCH" : undefined,
        commitMessage: isPull ? undefined : "TRAVIS_COMMIT_MESSAGE",
        job: "TRAVIS_JOB_NAME TRAVIS_JOB_NUMBER",
        isFork: isPull && env["TRAVIS_PULL_REQUEST_SLUG"] !== env["TRAVIS_REPO_SLUG"]
      }
    }
  },
  {
    constant: "WOODPECKER",
    name: "woodpecker",
    // https://woodpecker-ci.org/docs/usage/environment#built-in-environment-variables
    run: "CI_PIPELINE_NUMBER",
    said: (env) => ({
      owner: "CI_REPO_OWNER",
      repo: "CI_REPO_NAME",
      // Of a pull request, CI_COMMIT_BRANCH is what it is to be merged into.
      branch: env["CI_COMMIT_TAG"] === undefined ? "CI_COMMIT_SOURCE_BRANCH CI_COMMIT_BRANCH" : undefined,
      commit: "CI_COMMIT_SHA",
      pr: "CI_COMMIT_PULL_REQUEST",
      base: "CI_COMMIT_TARGET_BRANCH",
      commitMessage: "CI_COMMIT_MESSAGE",
      author: "CI_COMMIT_AUTHOR",
      job: "CI_WORKFLOW_NAME"
    })
  },
  {
    constant: "DRONE",
    name: "drone",
    // https://docs.drone.io/pipeline/environment/reference/
    run: "DRONE_BUILD_NUMBER",
    said: (env) => {
      const pr = sourced(env, prIn, "DRONE_PULL_REQUEST")
      return {
        owner: "DRONE_REPO_NAMESPACE DRONE_REPO_OWNER",
        repo: "DRONE_REPO_NAME",
        // Of a pull request, DRONE_BRANCH is what it is to be merged into.
        branch:
          env["DRONE_TAG"] !== undefined ? undefined : `DRONE_SOURCE_BRANCH${pr === undefined ? " DRONE_BRANCH" : ""}`,
        commit: "DRONE_COMMIT_SHA DRONE_COMMIT",
        pr,
        base: pr && "DRONE_TARGET_BRANCH",
        commitMessage: "DRONE_COMMIT_MESSAGE",
        author: "DRONE_COMMIT_AUTHOR_NAME DRONE_COMMIT_AUTHOR",
        job: "DRONE_STAGE_NAME"
      }
    }
  },
  {
    constant: "CODEBUILD",
    name: "codebuild",
    // https://docs.aws.amazon.com/codebuild/latest/userguide/build-env-ref-env-vars.html
    run: "CODEBUILD_BUILD_ID",
    said: (env) => {
      const trigger = (kind: string) => (text: string) =>
        text.startsWith(`${kind}/`) ? text.slice(kind.length + 1) : undefined
      const pr = sourced(env, (text) => prIn(trigger("pr")(text)), "CODEBUILD_WEBHOOK_TRIGGER")
      return {
        repository: "CODEBUILD_SOURCE_REPO_URL",
        branch:
          sourced(env, branchIn, "CODEBUILD_WEBHOOK_HEAD_REF") ??
          sourced(env, trigger("branch"), "CODEBUILD_WEBHOOK_TRIGGER"),
        commit: "CODEBUILD_RESOLVED_SOURCE_VERSION",
        pr,
        base: pr && "CODEBUILD_WEBHOOK_BASE_REF",
        job: "CODEBUILD_BATCH_BUILD_IDENTIFIER"
      }
    }
  },
  {
    constant: "TEAMCITY",
    name: "teamcity",
    // https://www.jetbrains.com/help/teamcity/predefined-build-parameters.html
    run: "teamcity.build.id",
    variables: (env) => ({ ...teamCityParameters(env), ...env }),
    said: (env) => {
      const branch = sourced(env, branchIn, "teamcity.pullRequest.source.branch", "teamcity.build.branch")
      return {
        repository: "vcsroot.url",
        branch: branch?.value === "<default>" ? "vcsroot.branch" : branch,
        commit: "BUILD_VCS_NUMBER build.vcs.number",
        pr: "teamcity.pullRequest.number",
        base: "teamcity.pullRequest.target.branch",
        job: "TEAMCITY_BUILDCONF_NAME"
      }
    }
  }
]

/** The CI that a process runs in, as `ci-info` distinguishes them: by the variables that each of them sets. */
const ciOf = (env: Variables): CiVendor | undefined =>
  env["CI"] === "false"
    ? undefined
    : ciVendors.find(({ constant, sets }) => {
        const isSet = (name: unknown) => typeof name === "string" && (env[name] ?? "") !== ""
        if (sets !== undefined) return sets.some(isSet)
        const names = vendors.find((one) => one.constant === constant)?.env
        if (typeof names === "object" && !Array.isArray(names))
          return Object.entries(names).every(([name, value]) => env[name] === value)
        return [names].flat().every(isSet)
      })

/** What the branch of a merge queue of GitHub says, on any CI: what is merged into, and the last pull request of the group. */
const queuedIn = (branch: SourcedValue<string> | undefined) => {
  const [, base, pr] = /^gh-readonly-queue\/(.+)\/pr-(\d+)-[0-9a-f]{40}$/.exec(branch?.value ?? "") ?? []
  if (branch === undefined || base === undefined) return {}
  return { base: { value: base, from: branch.from }, pr: { value: Number(pr), from: branch.from } }
}

/** What a CI says of the run. */
interface CiEnvironment {
  /** The name of the CI; `undefined` outside of one that is known. */
  readonly ci: string | undefined
  readonly provenance: Provenance
  /** The variables that say each field. */
  readonly from: { readonly [Field in keyof Provenance]?: string | undefined }
}

/** What the CI of this process says, which is nothing outside of one. An empty variable is one that isn't set. */
export const readCiEnvironment = (given: Variables): CiEnvironment => {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""))
  const ci = ciOf(set)
  if (ci === undefined) return { ci: undefined, provenance: {}, from: {} }
  const env = ci.variables?.(set) ?? set
  const said = typeof ci.said === "function" ? ci.said(env) : ci.said
  const named = (of: CiVendor["attempt"]) => (typeof of === "string" ? sourced(env, asIs, ...of.split(" ")) : of?.(env))
  const read = <A extends Field>(name: A): SourcedValue<Value<A>> | undefined => {
    const of = said[name]
    // The value is of its own field.
    if (typeof of === "object") return of as SourcedValue<Value<A>>
    return of === undefined ? undefined : sourced(env, readers[name], ...of.split(" "))
  }
  const ofRepository = (name: "owner" | "repo") =>
    read(name) ?? sourced(env, (text) => repositoryIn(text)[name], ...(said.repository?.split(" ") ?? []))
  const [run, attempt, branch] = [named(ci.run), named(ci.attempt), read("branch")]
  const all = {
    owner: ofRepository("owner"),
    repo: ofRepository("repo"),
    branch,
    commit: read("commit"),
    pr: read("pr"),
    base: read("base"),
    commitMessage: read("commitMessage"),
    author: read("author"),
    job: read("job"),
    source: run && {
      value: `${ci.name}:${run.value}${attempt === undefined ? "" : `/${attempt.value}`}`,
      from: [run, ...(attempt === undefined ? [] : [attempt])].map(({ from }) => from).join(", ")
    },
    ...queuedIn(branch)
  }
  const each = Object.entries(all)
  return {
    ci: vendors.find(({ constant }) => constant === ci.constant)?.name ?? ci.name,
    provenance: { ...Object.fromEntries(each.map(([name, one]) => [name, one?.value])), isFork: said.isFork },
    from: Object.fromEntries(each.map(([name, one]) => [name, one?.from]))
  }
}
