/** The settings from each CI's variables, as its documentation and logs show them, for a push and a pull request. */
import {
  app,
  codebuild,
  drone,
  eventFile,
  github,
  gitlab,
  teamCity,
  travis,
  woodpecker,
  azure,
  bitbucket,
  bitrise,
  buildkite,
  type Case,
  change,
  circle,
  codeHostCases,
  codemagic,
  githubPull,
  head,
  jenkins,
  main,
  merge,
  pull,
  semaphore,
  xcode
} from "./testing/ciCases.ts"
import { assert, describe, it } from "vitest"
import { readCiEnvironment } from "./ciEnvironment.ts"

const cases: Readonly<Record<string, Case>> = {
  ...codeHostCases,
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
  "GitHub: a merge queue": [
    () =>
      github({
        GITHUB_EVENT_NAME: "merge_group",
        GITHUB_REF: `refs/heads/gh-readonly-queue/release/2.0/pr-12-${merge}`,
        GITHUB_SHA: head,
        GITHUB_EVENT_PATH: eventFile({ merge_group: { head_commit: { message: "Merge", author: { name: "Zoë" } } } })
      }),
    {
      ...app,
      branch: `gh-readonly-queue/release/2.0/pr-12-${merge}`,
      commit: head,
      pr: 12,
      base: "release/2.0",
      commitMessage: "Merge",
      author: "Zoë",
      source: "github:1658821493/2"
    }
  ],
  "a merge queue of GitHub on another CI": [
    { ...buildkite, BUILDKITE_BRANCH: `gh-readonly-queue/main/pr-12-${merge}`, BUILDKITE_COMMIT: head },
    {
      ...app,
      branch: `gh-readonly-queue/main/pr-12-${merge}`,
      commit: head,
      pr: 12,
      base: "main",
      source: "buildkite:b-1",
      isFork: false
    }
  ],
  "GitLab: a merge train": [
    {
      ...gitlab,
      CI_COMMIT_SHA: merge,
      CI_MERGE_REQUEST_EVENT_TYPE: "merge_train",
      CI_MERGE_REQUEST_IID: "12",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/pay",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head
    },
    { ...change, owner: "acme/mobile", source: "gitlab:998", isFork: false }
  ],
  "Gitea: a pull request": [
    () => githubPull(pull("acme/app"), { GITEA_ACTIONS: "true" }),
    { ...change, source: "gitea:1658821493/2", isFork: false }
  ],
  "Travis: a push": [
    { ...travis, TRAVIS_BRANCH: "main", TRAVIS_COMMIT: head, TRAVIS_PULL_REQUEST: "false", TRAVIS_JOB_NUMBER: "60.1" },
    { ...main, job: "60.1", source: "travis:468", isFork: false }
  ],
  "Travis: a pull request from a fork": [
    {
      ...travis,
      TRAVIS_BRANCH: "main",
      TRAVIS_COMMIT: merge,
      TRAVIS_PULL_REQUEST: "12",
      TRAVIS_PULL_REQUEST_BRANCH: "feature/pay",
      TRAVIS_PULL_REQUEST_SHA: head,
      TRAVIS_PULL_REQUEST_SLUG: "stranger/app"
    },
    { ...change, source: "travis:468", isFork: true }
  ],
  "Travis: a tag, which is no branch": [
    { ...travis, TRAVIS_BRANCH: "v1", TRAVIS_TAG: "v1", TRAVIS_COMMIT: head, TRAVIS_PULL_REQUEST: "false" },
    { ...app, commit: head, source: "travis:468", isFork: false }
  ],
  "Woodpecker: a push": [
    { ...woodpecker, CI_COMMIT_BRANCH: "main", CI_WORKFLOW_NAME: "test" },
    { ...main, job: "test", source: "woodpecker:17" }
  ],
  "Woodpecker: a pull request": [
    {
      ...woodpecker,
      CI_COMMIT_BRANCH: "main",
      CI_COMMIT_SOURCE_BRANCH: "feature/pay",
      CI_COMMIT_TARGET_BRANCH: "main",
      CI_COMMIT_PULL_REQUEST: "12"
    },
    { ...change, source: "woodpecker:17" }
  ],
  "Drone: a push": [
    { ...drone, DRONE_BRANCH: "main", DRONE_SOURCE_BRANCH: "main", DRONE_TARGET_BRANCH: "main" },
    { ...main, source: "drone:42" }
  ],
  "Drone: a pull request, whose branch it doesn't name": [
    { ...drone, DRONE_BRANCH: "main", DRONE_TARGET_BRANCH: "main", DRONE_PULL_REQUEST: "12", DRONE_STAGE_NAME: "e2e" },
    { ...app, commit: head, pr: 12, base: "main", job: "e2e", source: "drone:42" }
  ],
  "CodeBuild: a push": [
    { ...codebuild, CODEBUILD_WEBHOOK_TRIGGER: "branch/main" },
    { ...main, source: "codebuild:app:b1e6661e" }
  ],
  "CodeBuild: a pull request, in a batch": [
    {
      ...codebuild,
      CODEBUILD_WEBHOOK_TRIGGER: "pr/12",
      CODEBUILD_WEBHOOK_HEAD_REF: "refs/heads/feature/pay",
      CODEBUILD_WEBHOOK_BASE_REF: "refs/heads/main",
      CODEBUILD_BATCH_BUILD_IDENTIFIER: "android"
    },
    { ...change, job: "android", source: "codebuild:app:b1e6661e" }
  ],
  "TeamCity: a push to the default branch": [
    () => teamCity({ "teamcity.build.branch": "<default>", "vcsroot.branch": "refs/heads/main" }),
    { ...main, job: "Test", source: "teamcity:9001" }
  ],
  "TeamCity: a pull request": [
    () =>
      teamCity({
        "teamcity.build.branch": "pull/12",
        "teamcity.pullRequest.number": "12",
        "teamcity.pullRequest.source.branch": "feature/pay",
        "teamcity.pullRequest.target.branch": "refs/heads/main"
      }),
    { ...change, job: "Test", source: "teamcity:9001" }
  ],
  "TeamCity: a build whose parameters can't be read, which git knows": [
    { TEAMCITY_VERSION: "2025.07", TEAMCITY_BUILD_PROPERTIES_FILE: "/nowhere", BUILD_VCS_NUMBER: head },
    { commit: head }
  ],
  "another CI, of which nothing is known here": [{ CI: "true", APPVEYOR: "true" }, {}],
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
