import { command } from "../command/Command.ts"
import { commentOptions } from "../comment/commentOptions.ts"
import { dryRunOption, settingOptions } from "../settings/settings.ts"

export const comment = command({
  name: "comment",
  summary: "Reports the test results of this CI run on the pull request",
  takes: "",
  about: `Asks the host for all test runs of this CI run (--source), from all its jobs, and reports what failed,
what was flaky, and how many passed, with links. Of tests that were run again, the latest attempt counts; the
earlier ones are linked.

On GitHub, GitLab, Bitbucket, Azure Repos and Gitea it writes one comment to the pull request, and later jobs and pushes
update that one.
Each job of a matrix may call it: the last one to write reports all of them. On GitHub, GITHUB_TOKEN must be set, and
the workflow needs permissions: pull-requests: write. On GitLab, GITLAB_TOKEN must be an access token of the project
with the scope api, on Bitbucket BITBUCKET_TOKEN one of the repository with pullrequest:write, and on Azure Repos
SYSTEM_ACCESSTOKEN must be set. The key needs the scope test_runs, and for the builds and previews of the commit the
scopes builds and preview_upload.
With --format check it writes the result of the commit: a check run on GitHub (permissions: checks: write), a commit
status elsewhere. A push to the branch of an open pull request counts as it.
A comment, check, message or summary that can't be written is an error: exit code 2 or 3.

With --app, only the runs of this app are reported, in a comment and check of their own.

Each failure is compared with the base branch (--base): new, or known there. With --fail-on new-failures, a failure
that the base branch has too is 0. If the host can't tell, the exit code is 3.

A CI run is not complete while an import of it is open, or registered fewer runs than it announced, or fewer imports
than --expect-imports are complete: its check is a failure, and --fail-on exits with 1. A source without runs is a
failure too, unless --if-empty says otherwise.`,
  options: { ...commentOptions, ...dryRunOption, ...settingOptions },
  run: async (input, context) => (await import("../comment/comment.ts")).comment(input, context)
})
