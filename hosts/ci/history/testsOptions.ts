import type { Options } from "../command/Command.ts"
import { settingOptions } from "../settings/settings.ts"

const { app, key, owner, repo, url } = settingOptions

/** The flags of `tests`. */
export const testsOptions = {
  broken: { type: "boolean", help: "only tests whose last result is failed" },
  flaky: { type: "boolean", help: "only tests with a flaky result among the last 100" },
  branch: { type: "string", value: "BRANCH", help: "the branch whose results count; all by default" },
  json: { type: "boolean", help: "print one JSON object: the tests, as GET /api/v1/tests answers them" },
  url,
  key,
  owner,
  repo,
  app
} satisfies Options
