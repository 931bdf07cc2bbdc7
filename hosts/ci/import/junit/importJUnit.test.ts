/** What is read of JUnit reports that other tools wrote: see `fixtures/README.md`. */
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runCi } from "../../testing/runCi.ts"
import { lastAttempt } from "../recordedRun.ts"
import { folderOf, junitFixtures, readDetox, readJUnitReports, readMaestro } from "../testing/reading.ts"

const report = (name: string): string => join(junitFixtures, name)

describe("import junit", () => {
  it.for([
    ["playwright", "Login \u203a", "login.spec.ts", "Login \u203a signs out"],
    ["vitest.xml", "Login >", "login.test.ts", "Login > signs out"],
    ["jest.xml", "Login", undefined, "Login signs out"],
    ["espresso.xml", "com.acme.shop.LoginTest", undefined, "com.acme.shop.LoginTest signsOut"],
    ["xcuitest.xml", "ShopUITests.LoginTests", undefined, undefined],
    ["webdriverio.xml", "android.pixel_7.Login", undefined, "android.pixel_7.Login signs out"],
    ["cypress.xml", "Login", "cypress/e2e/login.cy.ts", undefined],
    ["pytest.xml", "tests.test_login.TestLogin", undefined, "tests.test_login.TestLogin test_signs_out"]
  ] as const)("has the tests of %s with their classes and files", async ([name, prefix, file, skipped]) => {
    const { problems, runs, skippedTests } = await readJUnitReports(report(name))
    assert.deepStrictEqual(
      runs.map((run) => [lastAttempt(run).status, run.name.startsWith(`${prefix} `), run.file]),
      [
        ["passed", true, file],
        ["failed", true, file]
      ]
    )
    assert.deepStrictEqual(
      skippedTests.map((test) => test.name),
      skipped === undefined ? [] : [skipped]
    )
    assert.deepStrictEqual(problems, [])
  })

  it("has durations, failures, output and attachments", async () => {
    const { runs } = await readJUnitReports(report("playwright"))
    const [passed, failed] = runs.map(lastAttempt)
    assert.isAbove(passed?.durationMs ?? 0, 0)
    assert.deepStrictEqual(
      passed?.recordings.map(({ kind, name, text }) => [kind, name, text]),
      [["log", "output.log", "opened as password hunter2\n"]]
    )
    assert.include(failed?.failureMessage, "expect(received).toBe(expected)")
    assert.deepStrictEqual(
      failed?.recordings.map(({ kind, name }) => `${kind} ${name.replace(/-\w{40}/, "")}`),
      [
        "log output.log",
        "screenshot home.png",
        "other error-context.md",
        "screenshot home.png",
        "other error-context.md"
      ]
    )
    assert.notInclude(failed?.recordings[0]?.text, "ATTACHMENT")
  })

  it("sends no file from outside of the folder of the report", async () => {
    const output = "[[ATTACHMENT|/etc/passwd]] [[ATTACHMENT|../secret.txt]] [[ATTACHMENT|gone.png]]"
    const test = `<testcase name="A"><system-out>${output}</system-out></testcase>`
    const folder = folderOf({ "secret.txt": "x", "out/a.xml": `<testsuite name="A">${test}</testsuite>` })
    const { problems, run } = await readJUnitReports(join(folder, "out"))
    assert.deepStrictEqual(lastAttempt(run("A")).recordings, [])
    assert.lengthOf(problems, 3)
  })

  it("registers the test in which a report was cut as interrupted", async () => {
    const folder = folderOf({ "a.xml": '<testsuite name="A"><testcase name="A"/><testcase name="B"><system-out>abc' })
    const { runs } = await readJUnitReports(folder)
    assert.deepStrictEqual(
      runs.map((run) => [run.name, lastAttempt(run).status]),
      [
        ["A", "passed"],
        ["A B", "failed"]
      ]
    )
    assert.match(lastAttempt(runs[1]!).failureMessage ?? "", /^Interrupted/)
  })

  it.for([
    [
      '<testsuites failures="1"><testsuite tests="1"><testcase name="A"/></testsuite></testsuites>',
      "1 failures, and has 0"
    ],
    [
      '<testsuites><testsuite tests="2"><testcase name="A"/></testsuite><testsuite tests="1"/></testsuites>',
      "3 tests, and has 1"
    ],
    ['<testsuite errors="1" tests="0"><system-err>no module</system-err></testsuite>', "1 failures, and has 0"]
  ] as const)("registers %s, which counts more than it has, as interrupted", async ([text, reason]) => {
    const { run } = await readJUnitReports(folderOf({ "a.xml": text }))
    assert.strictEqual(lastAttempt(run("a.xml")).failureMessage, `Interrupted: the report a.xml counts ${reason}`)
  })

  it("has the tries that Surefire lists as attempts", async () => {
    const tried = (name: string, inner: string) => `<testcase name="${name}">${inner}</testcase>`
    const text = `<testsuite tests="2" failures="1">${tried("A", '<flakyFailure message="slow"/>')}${tried("B", '<failure message="broken"/><rerunFailure message="slow"/>')}</testsuite>`
    const { runs } = await readJUnitReports(folderOf({ "a.xml": text }))
    assert.deepStrictEqual(
      runs.map(({ attempts, name }) => [
        name,
        ...attempts.map(({ failureMessage, status }) => failureMessage ?? status)
      ]),
      [
        ["A", "slow", "passed"],
        ["B", "slow", "broken"]
      ]
    )
  })

  it("needs a kind that the host knows", async () => {
    for (const flags of [[], ["--kind", "playwright"]]) {
      const { code, err } = await runCi(["import", "junit", report("vitest.xml"), ...flags], {})
      assert.strictEqual(code, 2)
      assert.include(err, "--kind maestro or --kind detox")
    }
  })
})

describe("import maestro and import detox", () => {
  it.for(["playwright", "vitest.xml", "espresso.xml", "xcuitest.xml", "webdriverio.xml", "cypress.xml", "pytest.xml"])(
    "refuse %s, and name import junit",
    async (name) => {
      for (const [kind, { problems, runs }] of [
        ["maestro", await readMaestro(report(name))],
        ["detox", await readDetox([report(name)])]
      ] as const) {
        assert.deepStrictEqual(runs, [])
        assert.include(problems[0]?.reason, `slipway-ci import junit --kind ${kind}`)
      }
    }
  )

  it("know jest-junit's", async () => {
    assert.lengthOf((await readDetox([report("jest.xml")])).runs, 2)
    assert.include((await readMaestro(report("jest.xml"))).problems[0]?.reason, "slipway-ci import detox")
  })
})
