/**
 * What vitest's JSON report tells, for `run`:
 *   results.mjs counts REPORT   the numbers of tests that passed and that failed; a file that didn't load counts as one
 *   results.mjs names REPORT    what failed, each with the first line of what it said
 *   results.mjs skipped REPORT… what was skipped
 *   results.mjs slowest REPORT… the 30 tests and the 30 files that took longest, in seconds
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const [what, ...reports] = process.argv.slice(2)
const all = reports.map((report) => JSON.parse(readFileSync(report, "utf8")))
const testResults = all.flatMap((one) => one.testResults)
const numPassedTests = all.reduce((sum, one) => sum + one.numPassedTests, 0)

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
if (what === "names") for (const { file, said } of failures) console.log(`${file}: ${said}`)
if (what === "skipped") {
  for (const { assertionResults, name } of testResults)
    for (const { fullName, status } of assertionResults)
      if (status === "skipped" || status === "pending") console.log(`${relative(".", name)}: ${fullName}`)
}
if (what === "slowest") {
  const print = (rows) => {
    for (const [millis, name] of rows.toSorted(([a], [b]) => b - a).slice(0, 30))
      console.log(`${(millis / 1000).toFixed(1).padStart(7)}  ${name}`)
  }
  const files = testResults.map(({ assertionResults, endTime, name, startTime }) => ({
    file: relative(".", name),
    millis: endTime - startTime,
    tests: assertionResults
  }))
  print(
    files.flatMap(({ file, tests }) =>
      tests.map(({ duration = 0, fullName }) => [duration, `${file}: ${fullName.replaceAll(/\s+/g, " ")}`])
    )
  )
  console.log()
  print(files.map(({ file, millis }) => [millis, file]))
}
