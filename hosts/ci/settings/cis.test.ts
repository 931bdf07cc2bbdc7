/** The settings from each CI's variables, as its documentation and logs show them, for a push and a pull request. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { readCiEnvironment, type Variables } from "./cis.ts"
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

interface Case {
  readonly name: string
  readonly env: () => Variables
  readonly expected: Provenance
}

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

const cases: ReadonlyArray<Case> = [
  {
    name: "GitHub: a push",
    env: () =>
      github({ GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/heads/main", GITHUB_REF_TYPE: "branch", GITHUB_SHA: head }),
    expected: { ...main, source: "github:1658821493/2" }
  },
  {
    name: "GitHub: a tag, which is no branch",
    env: () =>
      github({ GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/tags/v1", GITHUB_REF_TYPE: "tag", GITHUB_SHA: head }),
    expected: { ...app, commit: head, source: "github:1658821493/2" }
  },
  {
    name: "GitHub: a pull request",
    env: () => githubPull(pull("acme/app")),
    expected: { ...change, source: "github:1658821493/2", isFork: false }
  },
  {
    name: "GitHub: a pull request from a fork",
    env: () => githubPull(pull("stranger/app")),
    expected: { ...change, source: "github:1658821493/2", isFork: true }
  },
  {
    name: "GitHub: a pull request of Dependabot, which gets no secrets",
    env: () => githubPull(pull("acme/app"), { GITHUB_ACTOR: "dependabot[bot]" }),
    expected: { ...change, source: "github:1658821493/2", isFork: true }
  },
  {
    name: "GitHub: a pull request whose event can't be read: no commit rather than the merge",
    env: () => githubPull({}, { GITHUB_EVENT_PATH: "/nowhere/event.json" }),
    expected: { ...app, branch: "feature/pay", pr: 12, base: "main", source: "github:1658821493/2", isFork: false }
  },
  {
    name: "GitHub: a workflow that follows another",
    env: () =>
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
    expected: { ...change, source: "github:1658821493/2" }
  },
  {
    name: "GitHub: a comment on a pull request, whose commit git knows",
    env: () =>
      github({
        GITHUB_EVENT_NAME: "issue_comment",
        GITHUB_SHA: merge,
        GITHUB_REF: "refs/heads/main",
        GITHUB_EVENT_PATH: eventFile({
          action: "created",
          issue: { number: 12, pull_request: { url: "https://…/12" } }
        })
      }),
    expected: { ...app, pr: 12, source: "github:1658821493/2" }
  },
  {
    name: "GitHub: a comment on an issue",
    env: () =>
      github({
        GITHUB_EVENT_NAME: "issue_comment",
        GITHUB_SHA: head,
        GITHUB_REF: "refs/heads/main",
        GITHUB_EVENT_PATH: eventFile({ action: "created", issue: { number: 12 } })
      }),
    expected: { ...main, source: "github:1658821493/2" }
  },
  {
    name: "GitHub: a server without an attempt",
    env: () => github({ GITHUB_RUN_ATTEMPT: "", GITHUB_REF: "refs/heads/main", GITHUB_SHA: head }),
    expected: { ...main, source: "github:1658821493" }
  },
  {
    name: "GitLab: a job that is retried",
    env: () => ({ ...gitlab, CI_COMMIT_SHA: head, CI_COMMIT_BRANCH: "main", CI_JOB_RETRY_COUNT: "1" }),
    expected: { ...main, owner: "acme/mobile", source: "gitlab:998/2", isFork: false }
  },
  {
    name: "GitLab: a push, in a group of a group",
    env: () => ({ ...gitlab, CI_COMMIT_SHA: head, CI_COMMIT_BRANCH: "main", CI_COMMIT_REF_NAME: "main" }),
    expected: { ...main, owner: "acme/mobile", source: "gitlab:998", isFork: false }
  },
  {
    name: "GitLab: a merge request",
    env: () => ({
      ...gitlab,
      CI_COMMIT_SHA: head,
      CI_MERGE_REQUEST_ID: "36004",
      CI_MERGE_REQUEST_IID: "12",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/pay",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "",
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "acme/mobile/app",
      CI_MERGE_REQUEST_PROJECT_PATH: "acme/mobile/app"
    }),
    expected: { ...change, owner: "acme/mobile", source: "gitlab:998", isFork: false }
  },
  {
    name: "GitLab: a merged result, from a fork",
    env: () => ({
      ...gitlab,
      CI_COMMIT_SHA: merge,
      CI_MERGE_REQUEST_IID: "12",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/pay",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "stranger/app",
      CI_MERGE_REQUEST_PROJECT_PATH: "acme/mobile/app"
    }),
    expected: { ...change, owner: "acme/mobile", source: "gitlab:998", isFork: true }
  },
  {
    name: "CircleCI: a push",
    env: () => ({ ...circle, CIRCLE_BRANCH: "main" }),
    expected: { ...main, source: "circleci:5a-6b", isFork: false }
  },
  {
    name: "CircleCI: a pull request",
    env: () => ({
      ...circle,
      CIRCLE_BRANCH: "feature/pay",
      CIRCLE_PULL_REQUEST: "https://github.com/acme/app/pull/12"
    }),
    // No variable of CircleCI names the branch to merge into.
    expected: { ...app, branch: "feature/pay", commit: head, pr: 12, source: "circleci:5a-6b", isFork: false }
  },
  {
    name: "CircleCI: a pull request from a fork, whose branch it doesn't name",
    env: () => ({
      ...circle,
      CIRCLE_BRANCH: "pull/12",
      CIRCLE_PR_NUMBER: "12",
      CIRCLE_PULL_REQUEST: "https://github.com/acme/app/pull/12"
    }),
    expected: { ...app, commit: head, pr: 12, source: "circleci:5a-6b", isFork: true }
  },
  {
    name: "CircleCI: a workflow that is run again",
    env: () => ({
      ...circle,
      CIRCLE_BRANCH: "main",
      CIRCLE_WORKFLOW_ID: "0c3f7c2e-94f0-4a55-8f6c-6f0b4f4d9a11",
      CIRCLE_WORKFLOW_WORKSPACE_ID: "5a-6b"
    }),
    expected: { ...main, source: "circleci:5a-6b/0c3f7c2e-94f0-4a55-8f6c-6f0b4f4d9a11", isFork: false }
  },
  {
    name: "CircleCI: the first workflow of a workspace",
    env: () => ({ ...circle, CIRCLE_BRANCH: "main", CIRCLE_WORKFLOW_WORKSPACE_ID: "5a-6b" }),
    expected: { ...main, source: "circleci:5a-6b", isFork: false }
  },
  {
    name: "Bitrise: a push",
    env: () => ({ ...bitrise, BITRISE_GIT_BRANCH: "main", BITRISE_PULL_REQUEST: "" }),
    expected: { ...main, source: "bitrise:b1", isFork: false }
  },
  {
    name: "Bitrise: a pull request, in a pipeline",
    env: () => ({
      ...bitrise,
      BITRISEIO_PIPELINE_ID: "p1",
      BITRISE_GIT_BRANCH: "feature/pay",
      BITRISE_PULL_REQUEST: "12",
      BITRISEIO_GIT_BRANCH_DEST: "main",
      GIT_CLONE_COMMIT_HASH: merge,
      BITRISEIO_PULL_REQUEST_REPOSITORY_URL: "https://github.com/acme/app.git"
    }),
    expected: { ...change, source: "bitrise:p1", isFork: false }
  },
  {
    name: "Buildkite: a push",
    env: () => ({ ...buildkite, BUILDKITE_BRANCH: "main", BUILDKITE_COMMIT: head, BUILDKITE_PULL_REQUEST: "false" }),
    expected: { ...main, source: "buildkite:b-1", isFork: false }
  },
  {
    name: "Buildkite: a pull request",
    env: () => ({
      ...buildkite,
      BUILDKITE_BRANCH: "feature/pay",
      BUILDKITE_COMMIT: head,
      BUILDKITE_PULL_REQUEST: "12",
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main",
      BUILDKITE_PULL_REQUEST_REPO: "git://github.com/stranger/app.git"
    }),
    expected: { ...change, source: "buildkite:b-1", isFork: true }
  },
  {
    name: "Buildkite: a job that is retried",
    env: () => ({ ...buildkite, BUILDKITE_BRANCH: "main", BUILDKITE_COMMIT: head, BUILDKITE_RETRY_COUNT: "2" }),
    expected: { ...main, source: "buildkite:b-1/3", isFork: false }
  },
  {
    name: "Buildkite: a manual build, whose commit git knows",
    env: () => ({ ...buildkite, BUILDKITE_BRANCH: "main", BUILDKITE_COMMIT: "HEAD", BUILDKITE_PULL_REQUEST: "false" }),
    expected: { ...app, branch: "main", source: "buildkite:b-1", isFork: false }
  },
  {
    name: "Azure: a push",
    env: () => ({
      ...azure,
      BUILD_REASON: "IndividualCI",
      BUILD_SOURCEBRANCH: "refs/heads/main",
      BUILD_SOURCEVERSION: head
    }),
    expected: { ...main, source: "azure:31", isFork: false }
  },
  {
    name: "Azure: a job that is run again",
    env: () => ({ ...azure, BUILD_SOURCEBRANCH: "refs/heads/main", BUILD_SOURCEVERSION: head, SYSTEM_JOBATTEMPT: "2" }),
    expected: { ...main, source: "azure:31/2", isFork: false }
  },
  {
    name: "Azure: a pull request of GitHub",
    env: () => ({
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
    }),
    expected: { ...change, source: "azure:31", isFork: true }
  },
  {
    name: "Azure: a pull request of Azure Repos",
    env: () => ({
      ...azure,
      BUILD_REPOSITORY_URI: "https://acme@dev.azure.com/acme/mobile/_git/app",
      BUILD_REASON: "PullRequest",
      BUILD_SOURCEVERSION: merge,
      SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/feature/pay",
      SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: head,
      SYSTEM_PULLREQUEST_PULLREQUESTID: "12",
      SYSTEM_PULLREQUEST_ISFORK: "False"
    }),
    expected: { ...change, owner: "acme/mobile", source: "azure:31", isFork: false }
  },
  {
    name: "Jenkins: a branch of a multibranch pipeline",
    env: () => ({ ...jenkins, BRANCH_NAME: "main", GIT_BRANCH: "main", GIT_COMMIT: head }),
    expected: { ...main, source: "jenkins:app/main#9", isFork: false }
  },
  {
    name: "Jenkins: a plain job",
    env: () => ({ ...jenkins, GIT_BRANCH: "origin/main", GIT_COMMIT: head }),
    expected: { ...main, source: "jenkins:app/main#9", isFork: false }
  },
  {
    name: "Jenkins: a pull request, whose commit git knows",
    env: () => ({
      ...jenkins,
      BRANCH_NAME: "PR-12",
      CHANGE_ID: "12",
      CHANGE_BRANCH: "feature/pay",
      CHANGE_TARGET: "main",
      GIT_BRANCH: "PR-12",
      GIT_COMMIT: merge
    }),
    expected: { ...app, branch: "feature/pay", pr: 12, base: "main", source: "jenkins:app/main#9", isFork: false }
  },
  {
    name: "EAS, which has only the commit",
    env: () => ({ CI: "1", EAS_BUILD: "true", EAS_BUILD_ID: "e1", EAS_BUILD_GIT_COMMIT_HASH: head }),
    expected: { commit: head, source: "eas:e1" }
  },
  {
    name: "Codemagic: a push",
    env: () => ({ ...codemagic, CM_BRANCH: "main", CM_PULL_REQUEST: "false", CM_PULL_REQUEST_NUMBER: "" }),
    expected: { ...main, source: "codemagic:c1" }
  },
  {
    name: "Codemagic: a pull request",
    env: () => ({
      ...codemagic,
      CM_BRANCH: "feature/pay",
      CM_PULL_REQUEST: "true",
      CM_PULL_REQUEST_NUMBER: "12",
      CM_PULL_REQUEST_DEST: "main"
    }),
    expected: { ...change, source: "codemagic:c1" }
  },
  {
    name: "Bitbucket: a push",
    env: () => ({ ...bitbucket, BITBUCKET_BRANCH: "main" }),
    expected: { ...main, source: "bitbucket:d0-1" }
  },
  {
    name: "Bitbucket: a pull request",
    env: () => ({
      ...bitbucket,
      BITBUCKET_BRANCH: "feature/pay",
      BITBUCKET_PR_ID: "12",
      BITBUCKET_PR_DESTINATION_BRANCH: "main"
    }),
    expected: { ...change, source: "bitbucket:d0-1" }
  },
  {
    name: "Xcode Cloud: a push, whose repository git knows",
    env: () => ({ ...xcode, CI_BRANCH: "main", CI_GIT_REF: "refs/heads/main" }),
    expected: { branch: "main", commit: head, source: "xcodecloud:x1", isFork: false }
  },
  {
    name: "Xcode Cloud: a pull request",
    env: () => ({
      ...xcode,
      CI_PULL_REQUEST_NUMBER: "12",
      CI_PULL_REQUEST_SOURCE_BRANCH: "feature/pay",
      CI_PULL_REQUEST_SOURCE_COMMIT: head,
      CI_PULL_REQUEST_SOURCE_REPO: "stranger/app",
      CI_PULL_REQUEST_TARGET_BRANCH: "main",
      CI_PULL_REQUEST_TARGET_REPO: "acme/app"
    }),
    expected: { ...change, source: "xcodecloud:x1", isFork: true }
  },
  {
    name: "Semaphore: a push",
    env: () => ({
      ...semaphore,
      SEMAPHORE_GIT_REF_TYPE: "branch",
      SEMAPHORE_GIT_BRANCH: "main",
      SEMAPHORE_GIT_WORKING_BRANCH: "main",
      SEMAPHORE_GIT_SHA: head
    }),
    expected: { ...main, source: "semaphore:s1", isFork: false }
  },
  {
    name: "Semaphore: a tag, which is no branch",
    env: () => ({
      ...semaphore,
      SEMAPHORE_GIT_REF_TYPE: "tag",
      SEMAPHORE_GIT_BRANCH: "refs/tags/v1",
      SEMAPHORE_GIT_SHA: head
    }),
    expected: { ...app, commit: head, source: "semaphore:s1", isFork: false }
  },
  {
    name: "Semaphore: a pull request from a fork, in a pipeline that is run again",
    env: () => ({
      ...semaphore,
      SEMAPHORE_PIPELINE_RERUN: "true",
      SEMAPHORE_GIT_REF_TYPE: "pull-request",
      SEMAPHORE_GIT_BRANCH: "main",
      SEMAPHORE_GIT_SHA: merge,
      SEMAPHORE_GIT_PR_BRANCH: "feature/pay",
      SEMAPHORE_GIT_PR_NUMBER: "12",
      SEMAPHORE_GIT_PR_SHA: head,
      SEMAPHORE_GIT_PR_SLUG: "stranger/app"
    }),
    expected: { ...change, source: "semaphore:s1/s2", isFork: true }
  },
  { name: "no CI", env: () => ({ HOME: "/root" }), expected: {} },
  { name: "another CI, of which nothing is known here", env: () => ({ CI: "true", TRAVIS: "true" }), expected: {} },
  {
    name: "a CI that says it is none",
    env: () => ({ ...circle, CI: "false", CIRCLE_BRANCH: "main" }),
    expected: {}
  }
]

describe("the settings of a CI", () => {
  it.for(cases)("$name", async ({ env, expected }) => {
    const found = await readCiEnvironment(env())
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
