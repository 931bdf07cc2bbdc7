/** Detects the CI that a process runs in, and reads what it knows of the run. */
import vendors from "ci-info/vendors.json" with { type: "json" }
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import type { Provenance } from "./settings.ts"

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
export const readCiEnvironment = async (env: Variables): Promise<CiEnvironment> => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""))
  const ci = ciOf(set)
  if (ci === undefined) return { ci: undefined, provenance: {}, from: {} }
  const [run, attempt] = [ci.run(set), ci.attempt?.(set)]
  const found = await ci.provenance(set)
  const { author, branch, commit, commitMessage, isFork, job, owner, repo } = found
  const { base = found.base, pr = found.pr } = queuedIn(branch)
  return {
    ci: vendors.find(({ constant }) => constant === ci.constant)?.name ?? ci.name,
    provenance: {
      owner: owner?.value,
      repo: repo?.value,
      branch: branch?.value,
      commit: commit?.value,
      pr: pr?.value,
      base: base?.value,
      commitMessage: commitMessage?.value,
      author: author?.value,
      job: job?.value,
      source: run && `${ci.name}:${run.value}${attempt === undefined ? "" : `/${attempt.value}`}`,
      isFork
    },
    from: {
      owner: owner?.from,
      repo: repo?.from,
      branch: branch?.from,
      commit: commit?.from,
      pr: pr?.from,
      base: base?.from,
      source: run && [run, ...(attempt === undefined ? [] : [attempt])].map(({ from }) => from).join(", ")
    }
  }
}

/** Reads the fields of a run from the variables of a CI, with the variable that each comes from. */

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What a variable says. */
interface SourcedValue<A> {
  readonly value: A
  /** The variables that say it. */
  readonly from: string
}

type ProvenanceFields = Omit<Provenance, "source" | "isFork">

/** What the variables of a CI say of a run. */
type SourcedProvenance = {
  readonly [Field in keyof ProvenanceFields]: SourcedValue<NonNullable<ProvenanceFields[Field]>> | undefined
} & Pick<Provenance, "isFork">

const sha = /^[0-9a-f]{40}$/i

/** A commit, if the text is one: Buildkite has `HEAD` for a build that was started manually. */
const commitIn = (text: string | undefined): string | undefined =>
  text !== undefined && sha.test(text) ? text : undefined

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

/** `owner/name`; the owner may be a group of groups. */
const slug = (text: string | undefined) => {
  const [, owner, repo] = /^(.+)\/([^/]+)$/.exec(text ?? "") ?? []
  return owner === undefined ? {} : { owner, repo }
}

/** The name in `Name <address>`. */
const authorIn = (text: string): string | undefined => text.replace(/\s*<[^>]*>\s*$/, "") || undefined

const sameRepository = (a: string | undefined, b: string | undefined): boolean =>
  JSON.stringify(repositoryOf(a)) === JSON.stringify(repositoryOf(b))

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

/** The repository that a variable names. */
const repositoryIn = (
  env: Variables,
  read: (text: string) => Pick<ProvenanceFields, "owner" | "repo">,
  ...names: ReadonlyArray<string>
) => ({
  owner: sourced(env, (text) => read(text).owner, ...names),
  repo: sourced(env, (text) => read(text).repo, ...names)
})

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

/** The variables of GitHub Actions, and the file of the event that they name. */

/** A field of what was read as JSON, by its path. */
const field = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value
  )

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const readJson = async (path: string | undefined): Promise<unknown> => {
  if (path === undefined) return undefined
  try {
    return JSON.parse(await readFile(path, "utf8"))
  } catch {
    return undefined
  }
}

/** GitHub checks a merge commit out for a pull request, and GITHUB_SHA is that: the head is in the file of the event. */
const github = async (env: Variables): Promise<SourcedProvenance> => {
  const repository = repositoryIn(env, slug, "GITHUB_REPOSITORY")
  const event = await readJson(env["GITHUB_EVENT_PATH"])
  const inEvent = <A>(value: A | undefined): SourcedValue<A> | undefined =>
    value === undefined ? undefined : { value, from: "GITHUB_EVENT_PATH" }
  const pull = field(event, "pull_request")
  const job = sourced(env, asIs, "GITHUB_JOB")
  if (pull !== undefined || env["GITHUB_EVENT_NAME"]?.startsWith("pull_request") === true) {
    const inRef = (ref: string) => prIn(/^refs\/pull\/(\d+)\//.exec(ref)?.[1])
    const head = text(field(pull, "head", "repo", "full_name"))
    return {
      ...repository,
      job,
      // The checkout of a pull request often lacks its head commit.
      commitMessage: inEvent(text(field(pull, "title"))),
      author: inEvent(text(field(pull, "user", "login"))),
      branch: inEvent(text(field(pull, "head", "ref"))) ?? sourced(env, asIs, "GITHUB_HEAD_REF"),
      commit: inEvent(commitIn(text(field(pull, "head", "sha")))),
      pr: inEvent(number(field(pull, "number"))) ?? sourced(env, inRef, "GITHUB_REF"),
      base: inEvent(text(field(pull, "base", "ref"))) ?? sourced(env, asIs, "GITHUB_BASE_REF"),
      // The pull requests of Dependabot get no secrets either.
      isFork: (pull !== undefined && head !== env["GITHUB_REPOSITORY"]) || env["GITHUB_ACTOR"] === "dependabot[bot]"
    }
  }
  const before = field(event, "workflow_run")
  if (before !== undefined) {
    return {
      ...repository,
      job,
      commitMessage: inEvent(text(field(before, "head_commit", "message"))),
      author: inEvent(text(field(before, "head_commit", "author", "name"))),
      branch: inEvent(text(field(before, "head_branch"))),
      commit: inEvent(commitIn(text(field(before, "head_sha")))),
      pr: inEvent(number(field(before, "pull_requests", 0, "number"))),
      base: inEvent(text(field(before, "pull_requests", 0, "base", "ref")))
    }
  }
  // A comment on a pull request. GITHUB_SHA is of the default branch, whatever the workflow checks out: git knows that.
  if (field(event, "issue", "pull_request") !== undefined) {
    return { ...repository, job, pr: inEvent(number(field(event, "issue", "number"))) }
  }
  const headCommit = field(event, "head_commit") ?? field(event, "merge_group", "head_commit")
  return {
    ...repository,
    job,
    commitMessage: inEvent(text(field(headCommit, "message"))),
    author: inEvent(text(field(headCommit, "author", "name"))),
    branch: env["GITHUB_REF_TYPE"] === "tag" ? undefined : sourced(env, branchIn, "GITHUB_REF"),
    commit: sourced(env, commitIn, "GITHUB_SHA")
  }
}

/**
 * The variables of each CI. Every row follows that CI's documentation, whose address it has. Values that a CI lacks, or
 * has only for its merge commit, come from git.
 */

/** One CI. */
interface CiVendor {
  /** What `ci-info` calls it. */
  readonly constant: string
  /** Variables that it sets, where `ci-info` names too few: one of them is enough. */
  readonly sets?: ReadonlyArray<string>
  /** What `source` begins with. */
  readonly name: string
  /** Which run it is: the same for all jobs of one, and for all attempts at it. */
  readonly run: (env: Variables) => SourcedValue<string> | undefined
  /** Which attempt at the run, or at this job of it: failed jobs may be run again. Of a CI without it, each run is a new one. */
  readonly attempt?: (env: Variables) => SourcedValue<string> | undefined
  readonly provenance: (env: Variables) => SourcedProvenance | Promise<SourcedProvenance>
}

/** The parameters of a build of TeamCity: no variables, but in a file of Java properties that another one names. */
const teamCityParameters = (env: Variables): Variables => {
  const read = (path: string | undefined): Variables => {
    if (path === undefined) return {}
    try {
      const unescaped = (text = "") => text.trim().replace(/\\(.)/g, "$1")
      const pairs = readFileSync(path, "latin1").matchAll(/^\s*((?:[^\\#!=:\s]|\\.)+)\s*[=:]?(.*)$/gm)
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
    run: (env) => sourced(env, asIs, "GITHUB_RUN_ID"),
    attempt: (env) => sourced(env, asIs, "GITHUB_RUN_ATTEMPT"),
    provenance: github
  },
  {
    constant: "GITHUB_ACTIONS",
    name: "github",
    // https://docs.github.com/en/actions/reference/workflows-and-actions/variables
    run: (env) => sourced(env, asIs, "GITHUB_RUN_ID"),
    attempt: (env) => sourced(env, asIs, "GITHUB_RUN_ATTEMPT"),
    provenance: github
  },
  {
    constant: "GITLAB",
    name: "gitlab",
    // https://docs.gitlab.com/ci/variables/predefined_variables/
    run: (env) => sourced(env, asIs, "CI_PIPELINE_ID"),
    // Since GitLab 19.3.
    attempt: (env) => sourced(env, attemptAfter, "CI_JOB_RETRY_COUNT"),
    provenance: (env) => ({
      owner: sourced(env, asIs, "CI_PROJECT_NAMESPACE"),
      repo: sourced(env, asIs, "CI_PROJECT_NAME"),
      branch: sourced(
        env,
        asIs,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
        "CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME",
        "CI_COMMIT_BRANCH"
      ),
      // Only pipelines of merged results have the first; in them, CI_COMMIT_SHA is the merge commit.
      commit: sourced(
        env,
        commitIn,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
        "CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA",
        "CI_COMMIT_SHA"
      ),
      // The `ID` counts across all projects of a server.
      pr: sourced(env, prIn, "CI_MERGE_REQUEST_IID", "CI_EXTERNAL_PULL_REQUEST_IID"),
      base: sourced(env, asIs, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"),
      // A pipeline of merged results has the message and the author of the merge commit.
      ...(env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] === undefined
        ? {
            commitMessage: sourced(env, asIs, "CI_COMMIT_MESSAGE"),
            author: sourced(env, authorIn, "CI_COMMIT_AUTHOR")
          }
        : {}),
      job: sourced(env, asIs, "CI_JOB_NAME"),
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
    run: (env) => sourced(env, asIs, "CIRCLE_WORKFLOW_WORKSPACE_ID", "CIRCLE_WORKFLOW_ID"),
    attempt: (env) =>
      env["CIRCLE_WORKFLOW_WORKSPACE_ID"] === undefined ||
      env["CIRCLE_WORKFLOW_WORKSPACE_ID"] === env["CIRCLE_WORKFLOW_ID"]
        ? undefined
        : sourced(env, asIs, "CIRCLE_WORKFLOW_ID"),
    provenance: (env) => ({
      owner: sourced(env, asIs, "CIRCLE_PROJECT_USERNAME"),
      repo: sourced(env, asIs, "CIRCLE_PROJECT_REPONAME"),
      // Of a fork it says `pull/12`, and not the branch.
      branch: sourced(env, branchIn, "CIRCLE_BRANCH"),
      commit: sourced(env, commitIn, "CIRCLE_SHA1"),
      pr: sourced(env, prIn, "CIRCLE_PULL_REQUEST", "CIRCLE_PR_NUMBER"),
      job: sourced(env, asIs, "CIRCLE_JOB"),
      isFork: env["CIRCLE_PR_NUMBER"] !== undefined
    })
  },
  {
    constant: "BITRISE",
    name: "bitrise",
    // https://docs.bitrise.io/en/bitrise-ci/references/available-environment-variables.html
    // The builds of one pipeline are one run.
    run: (env) => sourced(env, asIs, "BITRISEIO_PIPELINE_ID", "BITRISE_BUILD_SLUG"),
    provenance: (env) => ({
      owner: sourced(env, asIs, "BITRISEIO_GIT_REPOSITORY_OWNER"),
      repo: sourced(env, asIs, "BITRISEIO_GIT_REPOSITORY_SLUG"),
      branch: sourced(env, branchIn, "BITRISE_GIT_BRANCH"),
      commit: sourced(env, commitIn, "BITRISE_GIT_COMMIT"),
      pr: sourced(env, prIn, "BITRISE_PULL_REQUEST"),
      base: sourced(env, branchIn, "BITRISEIO_GIT_BRANCH_DEST"),
      commitMessage: sourced(env, asIs, "BITRISE_GIT_MESSAGE"),
      job: sourced(env, asIs, "BITRISE_TRIGGERED_WORKFLOW_ID"),
      isFork:
        (env["BITRISEIO_PULL_REQUEST_REPOSITORY_URL"] ?? "") !== "" &&
        !sameRepository(env["BITRISEIO_PULL_REQUEST_REPOSITORY_URL"], env["GIT_REPOSITORY_URL"])
    })
  },
  {
    constant: "BUILDKITE",
    name: "buildkite",
    // https://buildkite.com/docs/pipelines/configure/environment-variables
    run: (env) => sourced(env, asIs, "BUILDKITE_BUILD_ID"),
    attempt: (env) => sourced(env, attemptAfter, "BUILDKITE_RETRY_COUNT"),
    provenance: (env) => ({
      ...repositoryIn(env, repositoryOf, "BUILDKITE_REPO"),
      branch: sourced(env, branchIn, "BUILDKITE_BRANCH"),
      commit: sourced(env, commitIn, "BUILDKITE_COMMIT"),
      pr: sourced(env, prIn, "BUILDKITE_PULL_REQUEST"),
      base: sourced(env, branchIn, "BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
      commitMessage: sourced(env, asIs, "BUILDKITE_MESSAGE"),
      author: sourced(env, asIs, "BUILDKITE_BUILD_AUTHOR"),
      job: sourced(env, asIs, "BUILDKITE_LABEL"),
      isFork:
        (env["BUILDKITE_PULL_REQUEST_REPO"] ?? "") !== "" &&
        !sameRepository(env["BUILDKITE_PULL_REQUEST_REPO"], env["BUILDKITE_REPO"])
    })
  },
  {
    constant: "AZURE_PIPELINES",
    name: "azure",
    // https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables
    run: (env) => sourced(env, asIs, "BUILD_BUILDID"),
    attempt: (env) => sourced(env, asIs, "SYSTEM_JOBATTEMPT"),
    provenance: (env) => {
      const isPull = env["BUILD_REASON"] === "PullRequest"
      return {
        ...repositoryIn(env, repositoryOf, "BUILD_REPOSITORY_URI"),
        branch: sourced(env, branchIn, isPull ? "SYSTEM_PULLREQUEST_SOURCEBRANCH" : "BUILD_SOURCEBRANCH"),
        // Of a pull request, the version of the source is the merge commit.
        commit: sourced(env, commitIn, isPull ? "SYSTEM_PULLREQUEST_SOURCECOMMITID" : "BUILD_SOURCEVERSION"),
        // The id of a pull request of GitHub is none that anybody sees; the number is there for GitHub alone.
        pr: sourced(env, prIn, "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"),
        base: sourced(env, branchIn, "SYSTEM_PULLREQUEST_TARGETBRANCH"),
        commitMessage: isPull ? undefined : sourced(env, asIs, "BUILD_SOURCEVERSIONMESSAGE"),
        author: sourced(env, asIs, "BUILD_REQUESTEDFOR"),
        job: sourced(env, asIs, "SYSTEM_JOBDISPLAYNAME"),
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
    provenance: (env) => {
      const pr = sourced(env, prIn, "CHANGE_ID")
      return {
        ...repositoryIn(env, repositoryOf, "GIT_URL"),
        branch:
          pr !== undefined
            ? sourced(env, asIs, "CHANGE_BRANCH")
            : env["TAG_NAME"] !== undefined
              ? undefined
              : (sourced(env, asIs, "BRANCH_NAME") ??
                sourced(env, (name) => name.replace(/^origin\//, ""), "GIT_BRANCH")),
        // Of a pull request, GIT_COMMIT may be a merge that Jenkins made: git knows by its message.
        commit: pr === undefined ? sourced(env, commitIn, "GIT_COMMIT") : undefined,
        pr,
        base: pr && sourced(env, asIs, "CHANGE_TARGET"),
        commitMessage: sourced(env, asIs, "CHANGE_TITLE"),
        author: sourced(env, asIs, "CHANGE_AUTHOR_DISPLAY_NAME", "CHANGE_AUTHOR"),
        job: sourced(env, asIs, "STAGE_NAME"),
        isFork: env["CHANGE_FORK"] !== undefined
      }
    }
  },
  {
    constant: "EAS",
    name: "eas",
    // Branch and pull request are available only in the expressions of a workflow: SLIPWAY_BRANCH: ${{ github.ref_name
    // }}. https://docs.expo.dev/eas/environment-variables/usage/#built-in-environment-variables
    run: (env) => sourced(env, asIs, "EAS_BUILD_ID"),
    provenance: (env) => ({ commit: sourced(env, commitIn, "EAS_BUILD_GIT_COMMIT_HASH") })
  },
  {
    constant: "CODEMAGIC",
    name: "codemagic",
    // https://docs.codemagic.io/yaml-basic-configuration/environment-variables/
    run: (env) => sourced(env, asIs, "CM_BUILD_ID"),
    provenance: (env) => ({
      ...repositoryIn(env, slug, "CM_REPO_SLUG"),
      branch: sourced(env, branchIn, "CM_BRANCH"),
      commit: sourced(env, commitIn, "CM_COMMIT"),
      pr: env["CM_PULL_REQUEST"] === "true" ? sourced(env, prIn, "CM_PULL_REQUEST_NUMBER") : undefined,
      base: env["CM_PULL_REQUEST"] === "true" ? sourced(env, branchIn, "CM_PULL_REQUEST_DEST") : undefined
    })
  },
  {
    constant: "BITBUCKET",
    name: "bitbucket",
    // https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/
    run: (env) => sourced(env, (id) => id.replace(/[{}]/g, ""), "BITBUCKET_PIPELINE_UUID"),
    provenance: (env) => ({
      owner: sourced(env, asIs, "BITBUCKET_WORKSPACE"),
      repo: sourced(env, asIs, "BITBUCKET_REPO_SLUG"),
      branch: sourced(env, asIs, "BITBUCKET_BRANCH"),
      commit: sourced(env, commitIn, "BITBUCKET_COMMIT"),
      pr: sourced(env, prIn, "BITBUCKET_PR_ID"),
      base: sourced(env, asIs, "BITBUCKET_PR_DESTINATION_BRANCH")
    })
  },
  {
    constant: "XCODE_CLOUD",
    sets: ["CI_XCODE_CLOUD", "CI_XCODE_PROJECT"],
    name: "xcodecloud",
    // https://developer.apple.com/documentation/xcode/environment-variable-reference
    run: (env) => sourced(env, asIs, "CI_BUILD_ID"),
    provenance: (env) => ({
      // Outside of pull requests no variable names the repository: git does.
      ...repositoryIn(env, slug, "CI_PULL_REQUEST_TARGET_REPO"),
      branch: sourced(env, branchIn, "CI_PULL_REQUEST_SOURCE_BRANCH", "CI_BRANCH"),
      commit: sourced(env, commitIn, "CI_PULL_REQUEST_SOURCE_COMMIT", "CI_COMMIT"),
      pr: sourced(env, prIn, "CI_PULL_REQUEST_NUMBER"),
      base: sourced(env, branchIn, "CI_PULL_REQUEST_TARGET_BRANCH"),
      job: sourced(env, asIs, "CI_WORKFLOW"),
      isFork: env["CI_PULL_REQUEST_SOURCE_REPO"] !== env["CI_PULL_REQUEST_TARGET_REPO"]
    })
  },
  {
    constant: "SEMAPHORE",
    name: "semaphore",
    // https://docs.semaphore.io/reference/env-vars
    run: (env) => sourced(env, asIs, "SEMAPHORE_WORKFLOW_ID"),
    attempt: (env) =>
      env["SEMAPHORE_PIPELINE_RERUN"] === "true" ? sourced(env, asIs, "SEMAPHORE_PIPELINE_ID") : undefined,
    provenance: (env) => {
      const isPull = env["SEMAPHORE_GIT_REF_TYPE"] === "pull-request"
      return {
        ...repositoryIn(env, slug, "SEMAPHORE_GIT_REPO_SLUG"),
        // Of a pull request, SEMAPHORE_GIT_BRANCH is what it is to be merged into, and of a tag its reference.
        branch: isPull
          ? sourced(env, branchIn, "SEMAPHORE_GIT_PR_BRANCH", "SEMAPHORE_GIT_WORKING_BRANCH")
          : sourced(env, branchIn, "SEMAPHORE_GIT_WORKING_BRANCH", "SEMAPHORE_GIT_BRANCH"),
        // Of a pull request, SEMAPHORE_GIT_SHA is the merge commit.
        commit: sourced(env, commitIn, isPull ? "SEMAPHORE_GIT_PR_SHA" : "SEMAPHORE_GIT_SHA"),
        pr: sourced(env, prIn, "SEMAPHORE_GIT_PR_NUMBER"),
        author: sourced(env, asIs, "SEMAPHORE_GIT_COMMIT_AUTHOR"),
        job: sourced(env, asIs, "SEMAPHORE_JOB_NAME"),
        base: isPull ? sourced(env, branchIn, "SEMAPHORE_GIT_BRANCH") : undefined,
        isFork: isPull && env["SEMAPHORE_GIT_PR_SLUG"] !== env["SEMAPHORE_GIT_REPO_SLUG"]
      }
    }
  },
  {
    constant: "TRAVIS",
    name: "travis",
    // https://docs.travis-ci.com/user/environment-variables/#default-environment-variables
    run: (env) => sourced(env, asIs, "TRAVIS_BUILD_ID"),
    provenance: (env) => {
      const pr = sourced(env, prIn, "TRAVIS_PULL_REQUEST")
      const isPull = pr !== undefined
      return {
        ...repositoryIn(env, slug, "TRAVIS_REPO_SLUG"),
        // Of a pull request, TRAVIS_BRANCH is what it is to be merged into, and of a tag its name.
        branch:
          env["TRAVIS_TAG"] === undefined
            ? sourced(env, branchIn, isPull ? "TRAVIS_PULL_REQUEST_BRANCH" : "TRAVIS_BRANCH")
            : undefined,
        // Of a pull request, TRAVIS_COMMIT is the merge commit.
        commit: sourced(env, commitIn, isPull ? "TRAVIS_PULL_REQUEST_SHA" : "TRAVIS_COMMIT"),
        pr,
        base: isPull ? sourced(env, branchIn, "TRAVIS_BRANCH") : undefined,
        commitMessage: isPull ? undefined : sourced(env, asIs, "TRAVIS_COMMIT_MESSAGE"),
        job: sourced(env, asIs, "TRAVIS_JOB_NAME", "TRAVIS_JOB_NUMBER"),
        isFork: isPull && env["TRAVIS_PULL_REQUEST_SLUG"] !== env["TRAVIS_REPO_SLUG"]
      }
    }
  },
  {
    constant: "WOODPECKER",
    name: "woodpecker",
    // https://woodpecker-ci.org/docs/usage/environment#built-in-environment-variables
    run: (env) => sourced(env, asIs, "CI_PIPELINE_NUMBER"),
    provenance: (env) => ({
      owner: sourced(env, asIs, "CI_REPO_OWNER"),
      repo: sourced(env, asIs, "CI_REPO_NAME"),
      // Of a pull request, CI_COMMIT_BRANCH is what it is to be merged into.
      branch:
        env["CI_COMMIT_TAG"] === undefined
          ? sourced(env, branchIn, "CI_COMMIT_SOURCE_BRANCH", "CI_COMMIT_BRANCH")
          : undefined,
      commit: sourced(env, commitIn, "CI_COMMIT_SHA"),
      pr: sourced(env, prIn, "CI_COMMIT_PULL_REQUEST"),
      base: sourced(env, branchIn, "CI_COMMIT_TARGET_BRANCH"),
      commitMessage: sourced(env, asIs, "CI_COMMIT_MESSAGE"),
      author: sourced(env, asIs, "CI_COMMIT_AUTHOR"),
      job: sourced(env, asIs, "CI_WORKFLOW_NAME")
    })
  },
  {
    constant: "DRONE",
    name: "drone",
    // https://docs.drone.io/pipeline/environment/reference/
    run: (env) => sourced(env, asIs, "DRONE_BUILD_NUMBER"),
    provenance: (env) => {
      const pr = sourced(env, prIn, "DRONE_PULL_REQUEST")
      return {
        owner: sourced(env, asIs, "DRONE_REPO_NAMESPACE", "DRONE_REPO_OWNER"),
        repo: sourced(env, asIs, "DRONE_REPO_NAME"),
        // Of a pull request, DRONE_BRANCH is what it is to be merged into.
        branch:
          env["DRONE_TAG"] === undefined
            ? sourced(env, branchIn, "DRONE_SOURCE_BRANCH", ...(pr === undefined ? ["DRONE_BRANCH"] : []))
            : undefined,
        commit: sourced(env, commitIn, "DRONE_COMMIT_SHA", "DRONE_COMMIT"),
        pr,
        base: pr && sourced(env, branchIn, "DRONE_TARGET_BRANCH"),
        commitMessage: sourced(env, asIs, "DRONE_COMMIT_MESSAGE"),
        author: sourced(env, asIs, "DRONE_COMMIT_AUTHOR_NAME", "DRONE_COMMIT_AUTHOR"),
        job: sourced(env, asIs, "DRONE_STAGE_NAME")
      }
    }
  },
  {
    constant: "CODEBUILD",
    name: "codebuild",
    // https://docs.aws.amazon.com/codebuild/latest/userguide/build-env-ref-env-vars.html
    run: (env) => sourced(env, asIs, "CODEBUILD_BUILD_ID"),
    provenance: (env) => {
      const trigger = (kind: string) => (text: string) =>
        text.startsWith(`${kind}/`) ? text.slice(kind.length + 1) : undefined
      const pr = sourced(env, (text) => prIn(trigger("pr")(text)), "CODEBUILD_WEBHOOK_TRIGGER")
      return {
        ...repositoryIn(env, repositoryOf, "CODEBUILD_SOURCE_REPO_URL"),
        branch:
          sourced(env, branchIn, "CODEBUILD_WEBHOOK_HEAD_REF") ??
          sourced(env, trigger("branch"), "CODEBUILD_WEBHOOK_TRIGGER"),
        commit: sourced(env, commitIn, "CODEBUILD_RESOLVED_SOURCE_VERSION"),
        pr,
        base: pr && sourced(env, branchIn, "CODEBUILD_WEBHOOK_BASE_REF"),
        job: sourced(env, asIs, "CODEBUILD_BATCH_BUILD_IDENTIFIER")
      }
    }
  },
  {
    constant: "TEAMCITY",
    name: "teamcity",
    // https://www.jetbrains.com/help/teamcity/predefined-build-parameters.html
    run: (env) => sourced(teamCityParameters(env), asIs, "teamcity.build.id"),
    provenance: (env) => {
      const parameters = teamCityParameters(env)
      const branch = sourced(parameters, branchIn, "teamcity.pullRequest.source.branch", "teamcity.build.branch")
      return {
        ...repositoryIn(parameters, repositoryOf, "vcsroot.url"),
        branch: branch?.value === "<default>" ? sourced(parameters, branchIn, "vcsroot.branch") : branch,
        commit: sourced({ ...parameters, ...env }, commitIn, "BUILD_VCS_NUMBER", "build.vcs.number"),
        pr: sourced(parameters, prIn, "teamcity.pullRequest.number"),
        base: sourced(parameters, branchIn, "teamcity.pullRequest.target.branch"),
        job: sourced(env, asIs, "TEAMCITY_BUILDCONF_NAME")
      }
    }
  }
]
