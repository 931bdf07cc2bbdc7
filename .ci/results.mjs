/**
 * What vitest's JSON report tells, for `run`:
 *   results.mjs counts REPORT   the numbers of tests that passed and that failed; a file that didn't load counts as one
 *   results.mjs files REPORT    the files in which something failed
 *   results.mjs names REPORT    what failed, each with the first line of what it said
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const [what, report] = process.argv.slice(2)
const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8"))

const firstLine = (text) => (text ?? "").split("\n")[0]
const failures = testResults
  .filter(({ status }) => status === "failed")
  .flatMap(({ assertionResults, message, name }) => {
    const file = relative(".", name)
    const tests = assertionResults.filter(({ status }) => status === "failed")
    return tests.length === 0
      ? [{ file, said: firstLine(message) }]
      : tests.map(({ failureMessages, fullName }) => ({ file, said: `${fullName}: ${firstLine(failureMessages[0])}` }))
  })

if (what === "counts") console.log(numPassedTests, failures.length)
if (what === "files") for (const file of new Set(failures.map(({ file }) => file))) console.log(file)
if (what === "names") for (const { file, said } of failures) console.log(`${file}: ${said}`)
