/** The variables of GitHub Actions, and the file of the event that they name. */
import { readFile } from "node:fs/promises"
import {
  asIs,
  branchIn,
  commitIn,
  prIn,
  repositoryIn,
  slug,
  sourced,
  type SourcedProvenance,
  type SourcedValue,
  type Variables
} from "./variables.ts"

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
export const github = async (env: Variables): Promise<SourcedProvenance> => {
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
