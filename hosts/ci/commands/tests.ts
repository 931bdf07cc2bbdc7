import { command } from "../command/Command.ts"
import { testsOptions } from "../history/testsOptions.ts"

export const tests = command({
  name: "tests",
  summary: "Lists the tests of the repository that are broken or flaky",
  takes: "",
  about: `A test is broken if its last result is failed, and flaky if one of its last 100 results is. Without either
flag, all tests are listed. Without --branch, the results of all branches count.
The key needs the scope test_runs.`,
  options: testsOptions,
  run: async (input, context) => (await import("../history/tests.ts")).tests(input, context)
})
