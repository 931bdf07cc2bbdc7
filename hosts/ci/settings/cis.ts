/**
 * What each CI says of a run. Every row is written from that CI's documentation, whose address it has; what a CI doesn't
 * tell, or tells only of the merge commit that it made, is left to git.
 */
import vendors from "ci-info/vendors.json" with { type: "json" }
import { readFile } from "node:fs/promises"
import type { Provenance } from "./Provenance.ts"
import { repositoryOf } from "./remote.ts"

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>

/** One CI. */
interface Ci {
  /** What `ci-info` calls it. */
  readonly constant: string
  /** What `source` begins with. */
  readonly name: string
  /** Which run it is: the same for all jobs of one. */
  readonly run: (env: Variables) => string | undefined
  readonly tell: (env: Variables) => Provenance | Promise<Provenance>
}

const sha = /^[0-9a-f]{40}$/i

/** A commit, where the text is one: Buildkite says `HEAD` of a build that was started by hand. */
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

const sameRepository = (a: string | undefined, b: string | undefined): boolean =>
  JSON.stringify(repositoryOf(a)) === JSON.stringify(repositoryOf(b))

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
const github = async (env: Variables): Promise<Provenance> => {
  const repository = slug(env["GITHUB_REPOSITORY"])
  const event = await readJson(env["GITHUB_EVENT_PATH"])
  const pull = field(event, "pull_request")
  if (pull !== undefined || env["GITHUB_EVENT_NAME"]?.startsWith("pull_request") === true) {
    const [, pr] = /^refs\/pull\/(\d+)\//.exec(env["GITHUB_REF"] ?? "") ?? []
    const head = text(field(pull, "head", "repo", "full_name"))
    return {
      ...repository,
      branch: text(field(pull, "head", "ref")) ?? env["GITHUB_HEAD_REF"],
      commit: commitIn(text(field(pull, "head", "sha"))),
      pr: number(field(pull, "number")) ?? prIn(pr),
      // The pull requests of Dependabot get no secrets either.
      isFork: (pull !== undefined && head !== env["GITHUB_REPOSITORY"]) || env["GITHUB_ACTOR"] === "dependabot[bot]"
    }
  }
  const before = field(event, "workflow_run")
  if (before !== undefined) {
    return {
      ...repository,
      branch: text(field(before, "head_branch")),
      commit: commitIn(text(field(before, "head_sha"))),
      pr: number(field(before, "pull_requests", 0, "number"))
    }
  }
  return {
    ...repository,
    branch: env["GITHUB_REF_TYPE"] === "tag" ? undefined : branchIn(env["GITHUB_REF"]),
    commit: commitIn(env["GITHUB_SHA"])
  }
}

const cis: ReadonlyArray<Ci> = [
  {
    constant: "GITHUB_ACTIONS",
    name: "github",
    // https://docs.github.com/en/actions/reference/workflows-and-actions/variables
    run: (env) => env["GITHUB_RUN_ID"],
    tell: github
  },
  {
    constant: "GITLAB",
    name: "gitlab",
    // https://docs.gitlab.com/ci/variables/predefined_variables/
    run: (env) => env["CI_PIPELINE_ID"],
    tell: (env) => ({
      owner: env["CI_PROJECT_NAMESPACE"],
      repo: env["CI_PROJECT_NAME"],
      branch:
        env["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"] ??
        env["CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME"] ??
        env["CI_COMMIT_BRANCH"],
      // Only pipelines of merged results have the first; in them, CI_COMMIT_SHA is the merge commit.
      commit:
        commitIn(env["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"]) ??
        commitIn(env["CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA"]) ??
        commitIn(env["CI_COMMIT_SHA"]),
      // The `ID` counts across all projects of a server.
      pr: prIn(env["CI_MERGE_REQUEST_IID"] ?? env["CI_EXTERNAL_PULL_REQUEST_IID"]),
      isFork:
        env["CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"] !== undefined &&
        env["CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"] !== env["CI_MERGE_REQUEST_PROJECT_PATH"]
    })
  },
  {
    constant: "CIRCLE",
    name: "circleci",
    // https://circleci.com/docs/reference/variables/
    run: (env) => env["CIRCLE_WORKFLOW_ID"],
    tell: (env) => ({
      owner: env["CIRCLE_PROJECT_USERNAME"],
      repo: env["CIRCLE_PROJECT_REPONAME"],
      // Of a fork it says `pull/12`, and not the branch.
      branch: branchIn(env["CIRCLE_BRANCH"]),
      commit: commitIn(env["CIRCLE_SHA1"]),
      pr: prIn(env["CIRCLE_PULL_REQUEST"] ?? env["CIRCLE_PR_NUMBER"]),
      isFork: env["CIRCLE_PR_NUMBER"] !== undefined
    })
  },
  {
    constant: "BITRISE",
    name: "bitrise",
    // https://docs.bitrise.io/en/bitrise-ci/references/available-environment-variables.html
    // The builds of one pipeline are one run.
    run: (env) => env["BITRISEIO_PIPELINE_ID"] || env["BITRISE_BUILD_SLUG"],
    tell: (env) => ({
      owner: env["BITRISEIO_GIT_REPOSITORY_OWNER"],
      repo: env["BITRISEIO_GIT_REPOSITORY_SLUG"],
      branch: branchIn(env["BITRISE_GIT_BRANCH"]),
      commit: commitIn(env["BITRISE_GIT_COMMIT"]),
      pr: prIn(env["BITRISE_PULL_REQUEST"]),
      isFork:
        (env["BITRISEIO_PULL_REQUEST_REPOSITORY_URL"] ?? "") !== "" &&
        !sameRepository(env["BITRISEIO_PULL_REQUEST_REPOSITORY_URL"], env["GIT_REPOSITORY_URL"])
    })
  },
  {
    constant: "BUILDKITE",
    name: "buildkite",
    // https://buildkite.com/docs/pipelines/configure/environment-variables
    run: (env) => env["BUILDKITE_BUILD_ID"],
    tell: (env) => ({
      ...repositoryOf(env["BUILDKITE_REPO"]),
      branch: branchIn(env["BUILDKITE_BRANCH"]),
      commit: commitIn(env["BUILDKITE_COMMIT"]),
      pr: prIn(env["BUILDKITE_PULL_REQUEST"]),
      isFork:
        (env["BUILDKITE_PULL_REQUEST_REPO"] ?? "") !== "" &&
        !sameRepository(env["BUILDKITE_PULL_REQUEST_REPO"], env["BUILDKITE_REPO"])
    })
  },
  {
    constant: "AZURE_PIPELINES",
    name: "azure",
    // https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables
    run: (env) => env["BUILD_BUILDID"],
    tell: (env) => {
      const isPull = env["BUILD_REASON"] === "PullRequest"
      return {
        ...repositoryOf(env["BUILD_REPOSITORY_URI"]),
        branch: branchIn(isPull ? env["SYSTEM_PULLREQUEST_SOURCEBRANCH"] : env["BUILD_SOURCEBRANCH"]),
        // Of a pull request, the version of the source is the merge commit.
        commit: commitIn(isPull ? env["SYSTEM_PULLREQUEST_SOURCECOMMITID"] : env["BUILD_SOURCEVERSION"]),
        // The id of a pull request of GitHub is none that anybody sees; the number is there for GitHub alone.
        pr: prIn(env["SYSTEM_PULLREQUEST_PULLREQUESTNUMBER"] ?? env["SYSTEM_PULLREQUEST_PULLREQUESTID"]),
        isFork: env["SYSTEM_PULLREQUEST_ISFORK"]?.toLowerCase() === "true"
      }
    }
  },
  {
    constant: "JENKINS",
    name: "jenkins",
    // Git's own variables: https://plugins.jenkins.io/git/#plugin-content-environment-variables
    // https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables
    run: (env) => (env["JOB_NAME"] === undefined ? undefined : `${env["JOB_NAME"]}#${env["BUILD_NUMBER"]}`),
    tell: (env) => {
      const pr = prIn(env["CHANGE_ID"])
      return {
        ...repositoryOf(env["GIT_URL"]),
        branch:
          pr !== undefined
            ? env["CHANGE_BRANCH"]
            : env["TAG_NAME"] !== undefined
              ? undefined
              : (env["BRANCH_NAME"] ?? env["GIT_BRANCH"]?.replace(/^origin\//, "")),
        // Of a pull request, GIT_COMMIT may be a merge that Jenkins made: git knows by its message.
        commit: pr === undefined ? commitIn(env["GIT_COMMIT"]) : undefined,
        pr,
        isFork: env["CHANGE_FORK"] !== undefined
      }
    }
  },
  {
    constant: "EAS",
    name: "eas",
    // Branch and pull request are told only to the expressions of a workflow: SLIPWAY_BRANCH: ${{ github.ref_name }}.
    // https://docs.expo.dev/eas/environment-variables/usage/#built-in-environment-variables
    run: (env) => env["EAS_BUILD_ID"],
    tell: (env) => ({ commit: commitIn(env["EAS_BUILD_GIT_COMMIT_HASH"]) })
  },
  {
    constant: "CODEMAGIC",
    name: "codemagic",
    // https://docs.codemagic.io/yaml-basic-configuration/environment-variables/
    run: (env) => env["CM_BUILD_ID"],
    tell: (env) => ({
      ...slug(env["CM_REPO_SLUG"]),
      branch: branchIn(env["CM_BRANCH"]),
      commit: commitIn(env["CM_COMMIT"]),
      pr: env["CM_PULL_REQUEST"] === "true" ? prIn(env["CM_PULL_REQUEST_NUMBER"]) : undefined
    })
  },
  {
    constant: "BITBUCKET",
    name: "bitbucket",
    // https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/
    run: (env) => env["BITBUCKET_PIPELINE_UUID"]?.replace(/[{}]/g, ""),
    tell: (env) => ({
      owner: env["BITBUCKET_WORKSPACE"],
      repo: env["BITBUCKET_REPO_SLUG"],
      branch: env["BITBUCKET_BRANCH"],
      commit: commitIn(env["BITBUCKET_COMMIT"]),
      pr: prIn(env["BITBUCKET_PR_ID"])
    })
  }
]

/** The CI that a process runs in, as `ci-info` tells them apart: by the variables that each of them sets. */
const ciOf = (env: Variables): Ci | undefined =>
  env["CI"] === "false"
    ? undefined
    : cis.find(({ constant }) => {
        const names: ReadonlyArray<unknown> = [vendors.find((one) => one.constant === constant)?.env].flat()
        return names.every((name) => typeof name === "string" && (env[name] ?? "") !== "")
      })

/** What the CI of this process says, which is nothing outside of one. An empty variable is one that isn't set. */
export const toldByCi = async (env: Variables): Promise<Provenance> => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""))
  const ci = ciOf(set)
  if (ci === undefined) return {}
  const run = ci.run(set)
  return { ...(await ci.tell(set)), source: run === undefined ? undefined : `${ci.name}:${run}` }
}
