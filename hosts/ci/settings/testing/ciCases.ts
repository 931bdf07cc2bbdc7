/** The variables of each CI, and what is found in those of GitHub and GitLab. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Variables, Provenance } from "../ciEnvironment.ts"

export const head = "ab".repeat(20)
/** A merge commit that a CI made, which no answer may contain. */
export const merge = "cd".repeat(20)

export const eventFile = (event: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-event-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "event.json"), JSON.stringify(event))
  return join(folder, "event.json")
}

export const pull = (repository: string) => ({
  action: "synchronize",
  number: 12,
  pull_request: {
    number: 12,
    head: { ref: "feature/pay", sha: head, repo: { full_name: repository } },
    base: { ref: "main" }
  }
})

/** The variables of a CI, and what is found in them. */
export type Case = readonly [env: Variables | (() => Variables), expected: Provenance]

export const app = { owner: "acme", repo: "app" }
export const main = { ...app, branch: "main", commit: head }
export const change = { ...app, branch: "feature/pay", commit: head, pr: 12, base: "main" }

export const github = (more: Variables): Variables => ({
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/app",
  GITHUB_RUN_ID: "1658821493",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_ACTOR: "octocat",
  ...more
})
export const githubPull = (event: unknown, more: Variables = {}): Variables =>
  github({
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_EVENT_PATH: eventFile(event),
    GITHUB_REF: "refs/pull/12/merge",
    GITHUB_REF_NAME: "12/merge",
    GITHUB_REF_TYPE: "branch",
    GITHUB_HEAD_REF: "feature/pay",
    GITHUB_BASE_REF: "main",
    GITHUB_SHA: merge,
    ...more
  })

export const gitlab = {
  CI: "true",
  GITLAB_CI: "true",
  CI_PIPELINE_ID: "998",
  CI_PROJECT_NAMESPACE: "acme/mobile",
  CI_PROJECT_NAME: "app"
}
export const circle = {
  CI: "true",
  CIRCLECI: "true",
  CIRCLE_PROJECT_USERNAME: "acme",
  CIRCLE_PROJECT_REPONAME: "app",
  CIRCLE_SHA1: head,
  CIRCLE_WORKFLOW_ID: "5a-6b",
  CIRCLE_BUILD_NUM: "77"
}
export const bitrise = {
  CI: "true",
  BITRISE_IO: "true",
  BITRISE_BUILD_SLUG: "b1",
  BITRISEIO_GIT_REPOSITORY_OWNER: "acme",
  BITRISEIO_GIT_REPOSITORY_SLUG: "app",
  GIT_REPOSITORY_URL: "git@github.com:acme/app.git",
  BITRISE_GIT_COMMIT: head
}
export const buildkite = {
  CI: "true",
  BUILDKITE: "true",
  BUILDKITE_BUILD_ID: "b-1",
  BUILDKITE_BUILD_NUMBER: "7",
  BUILDKITE_REPO: "git@github.com:acme/app.git"
}
export const azure = { TF_BUILD: "True", BUILD_BUILDID: "31", BUILD_REPOSITORY_URI: "https://github.com/acme/app" }
export const jenkins = {
  JENKINS_URL: "https://ci.example/",
  BUILD_ID: "9",
  BUILD_NUMBER: "9",
  JOB_NAME: "app/main",
  GIT_URL: "https://github.com/acme/app.git"
}
export const codemagic = { CI: "true", CM_BUILD_ID: "c1", CM_REPO_SLUG: "acme/app", CM_COMMIT: head }
export const xcode = { CI: "TRUE", CI_XCODE_CLOUD: "TRUE", CI_BUILD_ID: "x1", CI_BUILD_NUMBER: "12", CI_COMMIT: head }
export const semaphore = {
  CI: "true",
  SEMAPHORE: "true",
  SEMAPHORE_WORKFLOW_ID: "s1",
  SEMAPHORE_PIPELINE_ID: "s2",
  SEMAPHORE_PIPELINE_RERUN: "false",
  SEMAPHORE_GIT_REPO_SLUG: "acme/app"
}
export const bitbucket = {
  CI: "true",
  BITBUCKET_WORKSPACE: "acme",
  BITBUCKET_REPO_SLUG: "app",
  BITBUCKET_REPO_FULL_NAME: "acme/app",
  BITBUCKET_COMMIT: head,
  BITBUCKET_PIPELINE_UUID: "{d0-1}",
  BITBUCKET_BUILD_NUMBER: "40"
}

export const travis = { CI: "true", TRAVIS: "true", TRAVIS_BUILD_ID: "468", TRAVIS_REPO_SLUG: "acme/app" }
export const woodpecker = {
  CI: "woodpecker",
  CI_PIPELINE_NUMBER: "17",
  CI_REPO_OWNER: "acme",
  CI_REPO_NAME: "app",
  CI_COMMIT_SHA: head
}
export const drone = {
  CI: "true",
  DRONE: "true",
  DRONE_BUILD_NUMBER: "42",
  DRONE_REPO_NAMESPACE: "acme",
  DRONE_REPO_NAME: "app",
  DRONE_COMMIT_SHA: head
}
export const codebuild = {
  CODEBUILD_BUILD_ARN: "arn:aws:codebuild:eu-west-1:123:build/app:b1e6661e",
  CODEBUILD_BUILD_ID: "app:b1e6661e",
  CODEBUILD_SOURCE_REPO_URL: "https://github.com/acme/app.git",
  CODEBUILD_RESOLVED_SOURCE_VERSION: head
}

/** A build of TeamCity with these parameters, as it writes them. */
export const teamCity = (parameters: Readonly<Record<string, string>>): Variables => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-teamcity-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const written = (name: string, all: Readonly<Record<string, string>>) => {
    const lines = Object.entries(all).map(([key, value]) => `${key}=${value.replace(/[:=#\\]/g, String.raw`\$&`)}`)
    writeFileSync(join(folder, name), ["#TeamCity build properties", ...lines, ""].join("\n"))
    return join(folder, name)
  }
  const all = { "teamcity.build.id": "9001", "vcsroot.url": "https://github.com/acme/app.git", ...parameters }
  const configuration = written("config.properties", all)
  return {
    TEAMCITY_VERSION: "2025.07",
    TEAMCITY_BUILDCONF_NAME: "Test",
    BUILD_VCS_NUMBER: head,
    TEAMCITY_BUILD_PROPERTIES_FILE: written("build.properties", {
      "teamcity.configuration.properties.file": configuration
    })
  }
}

export const codeHostCases: Readonly<Record<string, Case>> = {
  "GitHub: a push": [
    () =>
      github({ GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/heads/main", GITHUB_REF_TYPE: "branch", GITHUB_SHA: head }),
    { ...main, source: "github:1658821493/2" }
  ],
  "GitHub: a tag, which is no branch": [
    () => github({ GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/tags/v1", GITHUB_REF_TYPE: "tag", GITHUB_SHA: head }),
    { ...app, commit: head, source: "github:1658821493/2" }
  ],
  "GitHub: a pull request": [
    () => githubPull(pull("acme/app")),
    { ...change, source: "github:1658821493/2", isFork: false }
  ],
  "GitHub: the title and the author of a pull request, and the job": [
    () => {
      const event = pull("acme/app")
      const pull_request = { ...event.pull_request, title: "Pay by card", user: { login: "zoe" } }
      return githubPull({ ...event, pull_request }, { GITHUB_JOB: "e2e" })
    },
    {
      ...change,
      commitMessage: "Pay by card",
      author: "zoe",
      job: "e2e",
      source: "github:1658821493/2",
      isFork: false
    }
  ],
  "GitHub: the message and the author of a pushed commit": [
    () =>
      github({
        GITHUB_REF: "refs/heads/main",
        GITHUB_SHA: head,
        GITHUB_EVENT_PATH: eventFile({ head_commit: { message: "Pay\n\nby card", author: { name: "Zoë" } } })
      }),
    { ...main, commitMessage: "Pay\n\nby card", author: "Zoë", source: "github:1658821493/2" }
  ],
  "GitHub: a pull request from a fork": [
    () => githubPull(pull("stranger/app")),
    { ...change, source: "github:1658821493/2", isFork: true }
  ],
  "GitHub: a pull request of Dependabot, which gets no secrets": [
    () => githubPull(pull("acme/app"), { GITHUB_ACTOR: "dependabot[bot]" }),
    { ...change, source: "github:1658821493/2", isFork: true }
  ],
  "GitHub: a pull request whose event can't be read: no commit rather than the merge": [
    () => githubPull({}, { GITHUB_EVENT_PATH: "/nowhere/event.json" }),
    { ...app, branch: "feature/pay", pr: 12, base: "main", source: "github:1658821493/2", isFork: false }
  ],
  "GitHub: a workflow that follows another": [
    () =>
      github({
        GITHUB_EVENT_NAME: "workflow_run",
        GITHUB_SHA: merge,
        GITHUB_REF: "refs/heads/main",
        GITHUB_EVENT_PATH: eventFile({
          workflow_run: {
            head_branch: "feature/pay",
            head_sha: head,
            pull_requests: [{ number: 12, base: { ref: "main" } }]
          }
        })
      }),
    { ...change, source: "github:1658821493/2" }
  ],
  "GitHub: a comment on a pull request, whose commit git knows": [
    () =>
      github({
        GITHUB_EVENT_NAME: "issue_comment",
        GITHUB_SHA: merge,
        GITHUB_REF: "refs/heads/main",
        GITHUB_EVENT_PATH: eventFile({
          action: "created",
          issue: { number: 12, pull_request: { url: "https://…/12" } }
        })
      }),
    { ...app, pr: 12, source: "github:1658821493/2" }
  ],
  "GitHub: a comment on an issue": [
    () =>
      github({
        GITHUB_EVENT_NAME: "issue_comment",
        GITHUB_SHA: head,
        GITHUB_REF: "refs/heads/main",
        GITHUB_EVENT_PATH: eventFile({ action: "created", issue: { number: 12 } })
      }),
    { ...main, source: "github:1658821493/2" }
  ],
  "GitHub: a server without an attempt": [
    () => github({ GITHUB_RUN_ATTEMPT: "", GITHUB_REF: "refs/heads/main", GITHUB_SHA: head }),
    { ...main, source: "github:1658821493" }
  ],
  "GitLab: a job that is retried": [
    { ...gitlab, CI_COMMIT_SHA: head, CI_COMMIT_BRANCH: "main", CI_JOB_RETRY_COUNT: "1" },
    { ...main, owner: "acme/mobile", source: "gitlab:998/2", isFork: false }
  ],
  "GitLab: a commit's message and author, and the job": [
    {
      ...gitlab,
      CI_COMMIT_SHA: head,
      CI_COMMIT_BRANCH: "main",
      CI_COMMIT_MESSAGE: "Pay",
      CI_COMMIT_AUTHOR: "Zoë <zoe@acme.example>",
      CI_JOB_NAME: "e2e 1/2"
    },
    {
      ...main,
      owner: "acme/mobile",
      commitMessage: "Pay",
      author: "Zoë",
      job: "e2e 1/2",
      source: "gitlab:998",
      isFork: false
    }
  ],
  "GitLab: a push, in a group of a group": [
    { ...gitlab, CI_COMMIT_SHA: head, CI_COMMIT_BRANCH: "main", CI_COMMIT_REF_NAME: "main" },
    { ...main, owner: "acme/mobile", source: "gitlab:998", isFork: false }
  ],
  "GitLab: a merge request": [
    {
      ...gitlab,
      CI_COMMIT_SHA: head,
      CI_MERGE_REQUEST_ID: "36004",
      CI_MERGE_REQUEST_IID: "12",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/pay",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "",
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "acme/mobile/app",
      CI_MERGE_REQUEST_PROJECT_PATH: "acme/mobile/app"
    },
    { ...change, owner: "acme/mobile", source: "gitlab:998", isFork: false }
  ],
  "GitLab: a merged result, from a fork": [
    {
      ...gitlab,
      CI_COMMIT_SHA: merge,
      CI_COMMIT_MESSAGE: "Merge",
      CI_COMMIT_AUTHOR: "GitLab <>",
      CI_MERGE_REQUEST_IID: "12",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/pay",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "stranger/app",
      CI_MERGE_REQUEST_PROJECT_PATH: "acme/mobile/app"
    },
    { ...change, owner: "acme/mobile", source: "gitlab:998", isFork: true }
  ]
}
