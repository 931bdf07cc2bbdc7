import type { Options } from "../command/Command.ts"
import { expectImportsOption, failOnOption } from "../history/failOn.ts"

/** The flags of `comment`. */
export const commentOptions = {
  format: {
    type: "string",
    multiple: true,
    value: "FORMAT",
    help: "markdown: print it\ncomment: write it to the pull request on GitHub, GitLab, Bitbucket, Azure Repos or Gitea\ncheck: write the result of the commit, with the failures: a check run on GitHub,\na commit status elsewhere\nsummary: add it to the summary of the step on GitHub\nerrors: print a line for each failure that GitHub shows beside the files\nslack, teams: send a message by SLACK_WEBHOOK_URL or TEAMS_WEBHOOK_URL\n(default: on GitHub and Gitea comment, summary and errors, on GitLab, Bitbucket and\nAzure Repos with a token comment, elsewhere markdown; may be given several times)"
  },
  share: {
    type: "string",
    value: "7d",
    help: "add links that open failed and flaky runs, builds and previews without a key, for so long"
  },
  name: {
    type: "string",
    value: "NAME",
    help: "distinguishes this comment and check from others of slipway-ci on the same pull request\n(default: the repository, on GitHub with the workflow); the app is added to it"
  },
  ...failOnOption,
  ...expectImportsOption,
  "if-empty": {
    type: "string",
    value: "WHAT",
    help: "failure, neutral or success: the check of a CI run without test runs, and whether --fail-on\nexits with 1 (SLIPWAY_IF_EMPTY; default: failure)"
  },
  "lenient-reporting": {
    type: "boolean",
    help: "only warn where the comment, the summary or a message can't be written: by default that\nis exit code 2 or 3, and for --format check always"
  }
} satisfies Options
