/** The settings from each CI's variables, as its documentation and logs show them, for a push and a pull request. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { readCiEnvironment } from "./ciEnvironment.ts"
import type { Variables } from "./variables.ts"
import type { Provenance } from "./Provenance.ts"

const head = "ab".repeat(20)
/** A merge commit that a CI made, which no answer may contain. */
const merge = "cd".repeat(20)

const eventFile = (event: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-event-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "event.json"), JSON.stringify(event))
  return join(folder, "event.json")
}

const pull = (repository: string) => ({
  action: "synchronize",
  number: 12,
  pull_request: {
    number: 12,
    head: { ref: "feature/pay", sha: head, repo: { full_name: repository } },
    base: { ref: "main" }
  }
})

/** The variables of a CI, and what is found in them. */
type Case = readonly [env: Variables | (() => Variables), expected: Provenance]

const app = { owner: "acme", repo: "app" }
const main = { ...app, branch: "main", commit: head }
const change = { ...app, branch: "feature/pay", commit: head, pr: 12, base: "main" }

const github = (more: Variables): Variables => ({
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/app",
  GITHUB_RUN_ID: "1658821493",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_ACTOR: "octocat",
  ...more
})
const githubPull = (event: unknown, more: Variables = {}): Variables =>
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

const gitlab = {
  CI: "true",
  GITLAB_CI: "true",
  CI_PIPELINE_ID: "998",
  CI_PROJECT_NAMESPACE: "acme/mobile",
  CI_PROJECT_NAME: "app"
}
const circle = {
  CI: "true",
  CIRCLECI: "true",
  CIRCLE_PROJECT_USERNAME: "acme",
  CIRCLE_PROJECT_REPONAME: "app",
  CIRCLE_SHA1: head,
  CIRCLE_WORKFLOW_ID: "5a-6b",
  CIRCLE_BUILD_NUM: "77"
}
const bitrise = {
  CI: "true",
  BITRISE_IO: "true",
  BITRISE_BUILD_SLUG: "b1",
  BITRISEIO_GIT_REPOSITORY_OWNER: "acme",
  BITRISEIO_GIT_REPOSITORY_SLUG: "app",
  GIT_REPOSITORY_URL: "git@github.com:acme/app.git",
  BITRISE_GIT_COMMIT: head
}
const buildkite = {
  CI: "true",
  BUILDKITE: "true",
  BUILDKITE_BUILD_ID: "b-1",
  BUILDKITE_BUILD_NUMBER: "7",
  BUILDKITE_REPO: "git@github.com:acme/app.git"
}
const azure = { TF_BUILD: "True", BUILD_BUILDID: "31", BUILD_REPOSITORY_URI: "https://github.com/acme/app" }
const jenkins = {
  JENKINS_URL: "https://ci.example/",
  BUILD_ID: "9",
  BUILD_NUMBER: "9",
  JOB_NAME: "app/main",
  GIT_URL: "https://github.com/acme/app.git"
}
const codemagic = { CI: "true", CM_BUILD_ID: "c1", CM_REPO_SLUG: "acme/app", CM_COMMIT: head }
const xcode = { CI: "TRUE", CI_XCODE_CLOUD: "TRUE", CI_BUILD_ID: "x1", CI_BUILD_NUMBER: "12", CI_COMMIT: head }
const semaphore = {
  CI: "true",
  SEMAPHORE: "true",
  SEMAPHORE_WORKFLOW_ID: "s1",
  SEMAPHORE_PIPELINE_ID: "s2",
  SEMAPHORE_PIPELINE_RERUN: "false",
  SEMAPHORE_GIT_REPO_SLUG: "acme/app"
}
const bitbucket = {
  CI: "true",
  BITBUCKET_WORKSPACE: "acme",
  BITBUCKET_REPO_SLUG: "app",
  BITBUCKET_REPO_FULL_NAME: "acme/app",
  BITBUCKET_COMMIT: head,
  BITBUCKET_PIPELINE_UUID: "{d0-1}",
  BITBUCKET_BUILD_NUMBER: "40"
}

const cases: Readonly<Record<string, Case>> = {
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
  ],
  "CircleCI: a push": [
    { ...circle, CIRCLE_BRANCH: "main" },
    { ...main, source: "circleci:5a-6b", isFork: false }
  ],
  "CircleCI: a pull request": [
    {
      ...circle,
      CIRCLE_BRANCH: "feature/pay",
      CIRCLE_PULL_REQUEST: "https://github.com/acme/app/pull/12"
    },
    // No variable of CircleCI names the branch to merge into.
    { ...app, branch: "feature/pay", commit: head, pr: 12, source: "circleci:5a-6b", isFork: false }
  ],
  "CircleCI: a pull request from a fork, whose branch it doesn't name": [
    {
      ...circle,
      CIRCLE_BRANCH: "pull/12",
      CIRCLE_PR_NUMBER: "12",
      CIRCLE_PULL_REQUEST: "https://github.com/acme/app/pull/12"
    },
    { ...app, commit: head, pr: 12, source: "circleci:5a-6b", isFork: true }
  ],
  "CircleCI: a workflow that is run again": [
    {
      ...circle,
      CIRCLE_BRANCH: "main",
      CIRCLE_WORKFLOW_ID: "0c3f7c2e-94f0-4a55-8f6c-6f0b4f4d9a11",
      CIRCLE_WORKFLOW_WORKSPACE_ID: "5a-6b"
    },
    { ...main, source: "circleci:5a-6b/0c3f7c2e-94f0-4a55-8f6c-6f0b4f4d9a11", isFork: false }
  ],
  "CircleCI: the first workflow of a workspace": [
    { ...circle, CIRCLE_BRANCH: "main", CIRCLE_WORKFLOW_WORKSPACE_ID: "5a-6b" },
    { ...main, source: "circleci:5a-6b", isFork: false }
  ],
  "Bitrise: a push": [
    { ...bitrise, BITRISE_GIT_BRANCH: "main", BITRISE_PULL_REQUEST: "" },
    { ...main, source: "bitrise:b1", isFork: false }
  ],
  "Bitrise: a pull request, in a pipeline": [
    {
      ...bitrise,
      BITRISEIO_PIPELINE_ID: "p1",
      BITRISE_GIT_BRANCH: "feature/pay",
      BITRISE_PULL_REQUEST: "12",
      BITRISEIO_GIT_BRANCH_DEST: "main",
      GIT_CLONE_COMMIT_HASH: merge,
      BITRISEIO_PULL_REQUEST_REPOSITORY_URL: "https://github.com/acme/app.git"
    },
    { ...change, source: "bitrise:p1", isFork: false }
  ],
  "Buildkite: a push": [
    { ...buildkite, BUILDKITE_BRANCH: "main", BUILDKITE_COMMIT: head, BUILDKITE_PULL_REQUEST: "false" },
    { ...main, source: "buildkite:b-1", isFork: false }
  ],
  "Buildkite: a pull request": [
    {
      ...buildkite,
      BUILDKITE_BRANCH: "feature/pay",
      BUILDKITE_COMMIT: head,
      BUILDKITE_PULL_REQUEST: "12",
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main",
      BUILDKITE_PULL_REQUEST_REPO: "git://github.com/stranger/app.git"
    },
    { ...change, source: "buildkite:b-1", isFork: true }
  ],
  "Buildkite: a job that is retried": [
    { ...buildkite, BUILDKITE_BRANCH: "main", BUILDKITE_COMMIT: head, BUILDKITE_RETRY_COUNT: "2" },
    { ...main, source: "buildkite:b-1/3", isFork: false }
  ],
  "Buildkite: a manual build, whose commit git knows": [
    { ...buildkite, BUILDKITE_BRANCH: "main", BUILDKITE_COMMIT: "HEAD", BUILDKITE_PULL_REQUEST: "false" },
    { ...app, branch: "main", source: "buildkite:b-1", isFork: false }
  ],
  "Azure: a push": [
    {
      ...azure,
      BUILD_REASON: "IndividualCI",
      BUILD_SOURCEBRANCH: "refs/heads/main",
      BUILD_SOURCEVERSION: head
    },
    { ...main, source: "azure:31", isFork: false }
  ],
  "Azure: a job that is run again": [
    { ...azure, BUILD_SOURCEBRANCH: "refs/heads/main", BUILD_SOURCEVERSION: head, SYSTEM_JOBATTEMPT: "2" },
    { ...main, source: "azure:31/2", isFork: false }
  ],
  "Azure: a pull request of GitHub": [
    {
      ...azure,
      BUILD_REASON: "PullRequest",
      BUILD_SOURCEBRANCH: "refs/pull/12/merge",
      BUILD_SOURCEVERSION: merge,
      SYSTEM_PULLREQUEST_SOURCEBRANCH: "feature/pay",
      SYSTEM_PULLREQUEST_TARGETBRANCH: "main",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: head,
      SYSTEM_PULLREQUEST_PULLREQUESTID: "558812345",
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: "12",
      SYSTEM_PULLREQUEST_ISFORK: "True"
    },
    { ...change, source: "azure:31", isFork: true }
  ],
  "Azure: a pull request of Azure Repos": [
    {
      ...azure,
      BUILD_REPOSITORY_URI: "https://acme@dev.azure.com/acme/mobile/_git/app",
      BUILD_REASON: "PullRequest",
      BUILD_SOURCEVERSION: merge,
      SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/feature/pay",
      SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: head,
      SYSTEM_PULLREQUEST_PULLREQUESTID: "12",
      SYSTEM_PULLREQUEST_ISFORK: "False"
    },
    { ...change, owner: "acme/mobile", source: "azure:31", isFork: false }
  ],
  "Jenkins: a branch of a multibranch pipeline": [
    { ...jenkins, BRANCH_NAME: "main", GIT_BRANCH: "main", GIT_COMMIT: head },
    { ...main, source: "jenkins:app/main#9", isFork: false }
  ],
  "Jenkins: a plain job": [
    { ...jenkins, GIT_BRANCH: "origin/main", GIT_COMMIT: head },
    { ...main, source: "jenkins:app/main#9", isFork: false }
  ],
  "Jenkins: a pull request, whose commit git knows": [
    {
      ...jenkins,
      BRANCH_NAME: "PR-12",
      CHANGE_ID: "12",
      CHANGE_BRANCH: "feature/pay",
      CHANGE_TARGET: "main",
      GIT_BRANCH: "PR-12",
      GIT_COMMIT: merge
    },
    { ...app, branch: "feature/pay", pr: 12, base: "main", source: "jenkins:app/main#9", isFork: false }
  ],
  "EAS, which has only the commit": [
    { CI: "1", EAS_BUILD: "true", EAS_BUILD_ID: "e1", EAS_BUILD_GIT_COMMIT_HASH: head },
    { commit: head, source: "eas:e1" }
  ],
  "Codemagic: a push": [
    { ...codemagic, CM_BRANCH: "main", CM_PULL_REQUEST: "false", CM_PULL_REQUEST_NUMBER: "" },
    { ...main, source: "codemagic:c1" }
  ],
  "Codemagic: a pull request": [
    {
      ...codemagic,
      CM_BRANCH: "feature/pay",
      CM_PULL_REQUEST: "true",
      CM_PULL_REQUEST_NUMBER: "12",
      CM_PULL_REQUEST_DEST: "main"
    },
    { ...change, source: "codemagic:c1" }
  ],
  "Bitbucket: a push": [
    { ...bitbucket, BITBUCKET_BRANCH: "main" },
    { ...main, source: "bitbucket:d0-1" }
  ],
  "Bitbucket: a pull request": [
    {
      ...bitbucket,
      BITBUCKET_BRANCH: "feature/pay",
      BITBUCKET_PR_ID: "12",
      BITBUCKET_PR_DESTINATION_BRANCH: "main"
    },
    { ...change, source: "bitbucket:d0-1" }
  ],
  "Xcode Cloud: a push, whose repository git knows": [
    { ...xcode, CI_BRANCH: "main", CI_GIT_REF: "refs/heads/main" },
    { branch: "main", commit: head, source: "xcodecloud:x1", isFork: false }
  ],
  "Xcode Cloud: a pull request": [
    {
      ...xcode,
      CI_PULL_REQUEST_NUMBER: "12",
      CI_PULL_REQUEST_SOURCE_BRANCH: "feature/pay",
      CI_PULL_REQUEST_SOURCE_COMMIT: head,
      CI_PULL_REQUEST_SOURCE_REPO: "stranger/app",
      CI_PULL_REQUEST_TARGET_BRANCH: "main",
      CI_PULL_REQUEST_TARGET_REPO: "acme/app"
    },
    { ...change, source: "xcodecloud:x1", isFork: true }
  ],
  "Semaphore: a push": [
    {
      ...semaphore,
      SEMAPHORE_GIT_REF_TYPE: "branch",
      SEMAPHORE_GIT_BRANCH: "main",
      SEMAPHORE_GIT_WORKING_BRANCH: "main",
      SEMAPHORE_GIT_SHA: head
    },
    { ...main, source: "semaphore:s1", isFork: false }
  ],
  "Semaphore: a tag, which is no branch": [
    {
      ...semaphore,
      SEMAPHORE_GIT_REF_TYPE: "tag",
      SEMAPHORE_GIT_BRANCH: "refs/tags/v1",
      SEMAPHORE_GIT_SHA: head
    },
    { ...app, commit: head, source: "semaphore:s1", isFork: false }
  ],
  "Semaphore: a pull request from a fork, in a pipeline that is run again": [
    {
      ...semaphore,
      SEMAPHORE_PIPELINE_RERUN: "true",
      SEMAPHORE_GIT_REF_TYPE: "pull-request",
      SEMAPHORE_GIT_BRANCH: "main",
      SEMAPHORE_GIT_SHA: merge,
      SEMAPHORE_GIT_PR_BRANCH: "feature/pay",
      SEMAPHORE_GIT_PR_NUMBER: "12",
      SEMAPHORE_GIT_PR_SHA: head,
      SEMAPHORE_GIT_PR_SLUG: "stranger/app"
    },
    { ...change, source: "semaphore:s1/s2", isFork: true }
  ],
  "no CI": [{ HOME: "/root" }, {}],
  "another CI, of which nothing is known here": [{ CI: "true", TRAVIS: "true" }, {}],
  "a CI that says it is none": [{ ...circle, CI: "false", CIRCLE_BRANCH: "main" }, {}]
}

describe("the settings of a CI", () => {
  it.for(Object.entries(cases))("%s", async ([, [env, expected]]) => {
    const found = await readCiEnvironment(typeof env === "function" ? env() : env)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(found.provenance)), expected)
  })

  it("are shown with their variables", async () => {
    const { ci, from } = await readCiEnvironment(githubPull(pull("acme/app")))
    assert.strictEqual(ci, "GitHub Actions")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(from)), {
      owner: "GITHUB_REPOSITORY",
      repo: "GITHUB_REPOSITORY",
      branch: "GITHUB_EVENT_PATH",
      commit: "GITHUB_EVENT_PATH",
      pr: "GITHUB_EVENT_PATH",
      base: "GITHUB_EVENT_PATH",
      source: "GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT"
    })
  })
})
