/** What is read of JUnit reports that other tools wrote: see `fixtures/README.md`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { runCi } from "../../testing/runCi.ts"
import { isFlaky, isInterrupted, lastAttempt } from "../recordedRun.ts"
import {
  folderOf,
  junitFixtures,
  readDetox,
  readJUnitReports,
  readMaestro,
  type ReadResults
} from "../testing/reading.ts"

const report = (name: string): string => join(junitFixtures, name)

/** The tests of a report as lines: their status, tries, name, file and device. */
const linesOf = ({ runs, skippedTests }: ReadResults): ReadonlyArray<string> => [
  ...runs.map((run) => {
    const { status } = lastAttempt(run)
    const how = isInterrupted(lastAttempt(run)) ? "interrupted" : isFlaky(run) ? "flaky" : status
    return [how, run.name, run.file, run.device?.name].filter((one) => one !== undefined).join(" | ")
  }),
  ...skippedTests.map(({ name }) => `skipped | ${name}`)
]

/** A report in a suite, and what is read of it. */
type Row = readonly [what: string, xml: string, ...lines: ReadonlyArray<string>]

const suite = (attributes: string, ...inner: ReadonlyArray<string>): string =>
  `<testsuite ${attributes}>${inner.join("")}</testsuite>`

const test = (name: string, inner = "", more = ""): string => `<testcase name="${name}" ${more}>${inner}</testcase>`

const failed = '<failure message="no wind"/>'

const flank = (device: string, counts: string, ...inner: ReadonlyArray<string>): string =>
  suite(`name="${device}" ${counts} timestamp="2026-05-03T01:14:33" hostname="localhost"`, ...inner)

const dialects: ReadonlyArray<Row> = [
  [
    "Flank: the suite is the device",
    flank("Pixel9-35-de-landscape", 'tests="1"', test("a", "", 'classname="T"')),
    "passed | T a | Pixel9-35-de-landscape"
  ],
  [
    "Flank: a try that passed later",
    flank(
      "Pixel2.arm-30-en_US-portrait",
      'tests="1" failures="0" flakes="1"',
      test("a", failed, 'classname="T" flaky="true"')
    ),
    "flaky | T a | Pixel2.arm-30-en_US-portrait"
  ],
  [
    "Flank: a try that passed later, and is counted as a failure all the same",
    flank(
      "Pixel2.arm-30-en_US-portrait",
      'tests="1" failures="1" flakes="1"',
      test("a", failed, 'classname="T" flaky="true"')
    ),
    "failed | T a | Pixel2.arm-30-en_US-portrait"
  ],
  [
    "Flank: a failure without counts",
    flank("Pixel2.arm-30-en_US-portrait", "", test("a", failed, 'classname="T" flaky="true"')),
    "failed | T a | Pixel2.arm-30-en_US-portrait"
  ],
  ["Flank: no tests", "<testsuites><testcase/></testsuites>"],
  [
    "xcresultparser: flaky, and failed all the same",
    suite(
      'name="AppTests.xctest" tests="2" failures="1"',
      test("testA()", failed, 'classname="L" flaky="true"'),
      test("testB()", "", 'classname="L" flaky="true"')
    ),
    "failed | L testA()",
    "flaky | L testB()"
  ],
  [
    "fastlane: retries are not counted",
    suite(
      'name="UITests" tests="2" failures="1"',
      test("testA()", failed, 'classname="U.L"'),
      test("testA()", "", 'classname="U.L"'),
      test("testB()", failed, 'classname="U.L"'),
      test("testB()", failed, 'classname="U.L"')
    ),
    "flaky | U.L testA()",
    "failed | U.L testB()"
  ],
  [
    "fastlane: parameters are counted",
    suite(
      'name="UITests" tests="2" failures="1"',
      test("a(b:)", failed, 'classname="L"'),
      test("a(b:)", "", 'classname="L"')
    ),
    "failed | L a(b:)",
    "passed | L a(b:)"
  ],
  [
    "trainer: retries have a name, and a skipped one proves nothing",
    suite(
      'name="L" tests="9" failures="9"',
      ...["First Run", "Retry 1"].map((repetition, index) =>
        test(
          "a()",
          `${index === 0 ? failed : ""}<properties><property name="repetition" value="${repetition}"/></properties>`,
          'classname="L"'
        )
      ),
      ...["First Run", "Retry 1"].map((repetition, index) =>
        test(
          "b()",
          `${index === 0 ? failed : "<skipped/>"}<properties><property name="repetition" value="${repetition}"/></properties>`,
          'classname="L"'
        )
      )
    ),
    "flaky | L a()",
    "failed | L b()",
    "skipped | L b()"
  ],
  [
    "Xcode: counts of assertions and parameters",
    suite('name="A.xctest" tests="7" failures="3"', test("testA", failed, 'classname="L"')),
    "failed | L testA"
  ],
  [
    "Xcode: a counted failure that is nowhere",
    suite('name="A.xctest" tests="1" failures="1"', test("testA", "", 'classname="L"')),
    "passed | L testA",
    "interrupted | a.xml"
  ],
  [
    "Node: a todo that fails",
    `<testsuites>${test("a", `<skipped type="todo"/>${failed}`, 'classname="test" failure="no wind"')}</testsuites>`,
    "skipped | test a"
  ],
  ["skipped and failed", suite('name="S"', test("a", `<skipped/>${failed}`, 'classname="T"')), "failed | T a"],
  [
    "Surefire: all tries failed",
    suite('name="S"', test("a", '<rerunFailure message="x"/>', 'classname="T"')),
    "failed | T a"
  ],
  ["Ant: an error of a suite", suite('name="S" tests="0" errors="1"', '<error message="no class"/>'), "failed | S"],
  [
    "an error beside the suites",
    `<testsuites>${suite('name="S"', test("a"))}<error/></testsuites>`,
    "passed | S a",
    "failed | a.xml"
  ],
  ["a suite that says that it failed", suite('name="S" status="failed"', test("a")), "passed | S a", "failed | S"],
  [
    "a suite whose status is failed, without a failed test",
    suite('name="S" status="failed"', test("a", failed)),
    "failed | S a"
  ],
  [
    "words",
    suite(
      'name="S"',
      ...["passed", "OK", "failed", "Error", "notrun", "disabled", "aborted", "untested"].map((word) =>
        test(word, "", `status="${word}"`)
      )
    ),
    "passed | S passed",
    "passed | S OK",
    "failed | S failed",
    "failed | S Error",
    "interrupted | S aborted",
    "interrupted | S untested",
    "skipped | S notrun",
    "skipped | S disabled"
  ],
  [
    "words of a result",
    suite(
      'name="S"',
      test("a", "", 'status="run" result="suppressed"'),
      test("b", "", 'result="failed"'),
      test("c", "", 'success="False"'),
      test("d", "", 'executed="false"')
    ),
    "failed | S b",
    "failed | S c",
    "skipped | S a",
    "skipped | S d"
  ],
  ["a failure that is only an attribute", suite('name="S"', test("a", "", 'failure="no wind"')), "failed | S a"],
  ["what it printed alone", suite('name="S"', test("a", "<system-out>&lt;failure/></system-out>")), "passed | S a"],
  [
    "suites that lend the name",
    `<testsuites>${suite('name="Login"', test("opens"))}${suite('name="Pay"', suite('name="by card"', test("opens")))}</testsuites>`,
    "passed | Login opens",
    "passed | Pay by card opens"
  ],
  [
    "a class that begins the name",
    suite(
      'name="S"',
      test("test_pay", "", 'classname="test"'),
      test("test_pay", "", 'classname="test_pay"'),
      test("Login opens", "", 'classname="Login"')
    ),
    "passed | test test_pay",
    "passed | test_pay",
    "passed | Login Login opens"
  ],
  [
    "words of elements, attributes in other capitals",
    suite(
      'name="S"',
      test("a", "<Failure/>"),
      test("b", "<timeout/>"),
      test("c", "<inconclusive/>"),
      test("d", "", 'Status="FAILED"'),
      test("e", "", 'success="0"'),
      test("f", "", 'failed="1"'),
      test("g", "", 'failure="false" error="0"'),
      test("h", "<notrun/>"),
      test("i", "", 'status="Not Executed"')
    ),
    "failed | S a",
    "failed | S b",
    "interrupted | S c",
    "failed | S d",
    "failed | S e",
    "failed | S f",
    "passed | S g",
    "skipped | S h",
    "skipped | S i"
  ],
  [
    "elements in other capitals",
    `<TestSuites><TestSuite name="S"><TestCase name="a"><Failure/></TestCase></TestSuite></TestSuites>`,
    "failed | S a"
  ],
  ["a suite with an unknown status", suite('name="S" status="aborted"', test("a")), "passed | S a", "interrupted | S"],
  [
    "a report that says that it failed",
    `<testsuites success="false">${suite('name="S"', test("a"))}</testsuites>`,
    "passed | S a",
    "failed | a.xml"
  ],
  [
    "a report with an unknown result",
    `<testsuites result="Inconclusive">${suite('name="S"', test("a"))}</testsuites>`,
    "passed | S a",
    "interrupted | a.xml"
  ],
  [
    "counts of failures by other names",
    `<testsuites>${suite('name="S" failed="0" failure="0" passed="0"', test("a"))}${suite('name="T" failed="1"', test("b"))}</testsuites>`,
    "passed | S a",
    "passed | T b",
    "interrupted | a.xml"
  ],
  [
    "a failure that only an inner suite counts",
    suite('name="S" tests="1"', suite('name="T" failures="1"', test("a"))),
    "passed | S T a",
    "interrupted | a.xml"
  ],
  [
    "test cases in others",
    suite(
      'name="S"',
      `<testcase name="a">${failed}${test("b")}${suite('name="T"', test("c"))}</testcase>`,
      `<testcase name="d">${test("e", failed)}</testcase>`
    ),
    "passed | S b",
    "passed | S c",
    "failed | S a",
    "failed | S e",
    "passed | S d"
  ],
  [
    "CTest: a test whose program is missing",
    '<Site><Testing><Test Status="notrun"><Name>a</Name><Results><NamedMeasurement name="Completion Status"><Value>Unable to find executable</Value></NamedMeasurement></Results></Test></Testing></Site>',
    "interrupted | a"
  ],
  [
    "CTest: skipped tests that it fails, in JUnit's XML",
    suite(
      'tests="3" skipped="3"',
      test("a", '<skipped message="Unable to find executable"/>', 'status="notrun"'),
      test("b", '<skipped message="Fixture dependency failed"/>', 'status="notrun"'),
      test("c", '<skipped message="SKIP_RETURN_CODE=77"/>', 'status="notrun"')
    ),
    "interrupted | a",
    "interrupted | b",
    "skipped | c"
  ],
  [
    "nose2: a test that passes unexpectedly",
    suite('name="S"', test("a", '<skipped message="test passes unexpectedly"/>')),
    "failed | S a"
  ],
  [
    "Catch2: assertions are counted, and a test may fail",
    suite(
      'name="S" hostname="tbd" tests="7" failures="1"',
      test("a", failed, 'status="run"'),
      test("b", `<skipped message="TEST_CASE tagged with !mayfail"/>${failed}`, 'status="run"')
    ),
    "failed | S a",
    "skipped | S b"
  ],
  [
    "doctest: assertions are counted",
    suite('name="S" doctest_version="2.4.11" tests="7" failures="0"', test("a", "", 'status="run"')),
    "passed | S a"
  ],
  ["a count of thousands", suite('name="S" tests="1,000"', test("a")), "passed | S a", "interrupted | a.xml"],
  [
    "QtTest: XML of its own",
    '<TestCase name="t"><TestFunction name="a"><Incident type="fail"/></TestFunction></TestCase>',
    "interrupted | t"
  ],
  ["a test case alone", test("a", failed), "failed | a"],
  [
    "words that are elements",
    suite(
      'name="S"',
      test("a", "<status>failed</status>"),
      test("b", "<result><![CDATA[ Error ]]></result>", 'result="ok"'),
      test("c", "<outcome>skipped</outcome>"),
      test("d", "<verdict>strange</verdict>"),
      test("e", "<system-out><status>failed</status></system-out>")
    ),
    "failed | S a",
    "failed | S b",
    "interrupted | S d",
    "passed | S e",
    "skipped | S c"
  ],
  [
    "a word of a suite that is an element",
    suite('name="S"', "<result>failed</result>", test("a")),
    "passed | S a",
    "failed | S"
  ],
  [
    "a failure in an entity of its own",
    `<!DOCTYPE testsuite [<!ENTITY f "&#60;failure/>">]>${suite('name="S"', test("a", "&f;"))}`,
    "interrupted | S a"
  ],
  [
    "test cases that are text",
    `<testsuites><![CDATA[${suite('name="S"', test("a", failed))}]]></testsuites>`,
    "interrupted | a.xml"
  ],
  [
    "the end of another report before it",
    `wind"/></testcase></testsuite>${suite('name="S"', test("a"))}`,
    "passed | S a",
    "interrupted | a.xml"
  ],
  ["a suite of a file", suite('name="src/a.test.ts"', test("a")), "passed | a | src/a.test.ts"],
  [
    "a device in a property",
    suite('name="S"', '<properties><property name="device" value="Pixel 9"/></properties>', test("a")),
    "passed | S a | Pixel 9"
  ],
  ["more tests than it has", suite('name="S" tests="2"', test("a")), "passed | S a", "interrupted | a.xml"],
  ["skipped tests that it leaves out", suite('name="S" tests="2" skipped="1"', test("a")), "passed | S a"],
  [
    "skipped tests of one name",
    `<testsuites>${suite('name="A"', test("a", "<skipped/>", 'classname="T"').repeat(2))}</testsuites>`,
    "skipped | T a",
    "skipped | T a"
  ],
  [
    "a cut in a skipped test",
    '<testsuite name="S"><testcase name="a"/><testcase name="b"><skipped message="on iO',
    "passed | S a",
    "interrupted | S b"
  ],
  [
    "a cut in an error of a suite",
    '<testsuite name="S"><testcase name="a"/><error message="no cl">at',
    "passed | S a",
    "failed | S",
    "interrupted | a.xml"
  ],
  [
    "references that XML refuses",
    suite('name="S"', test("a", '<failure message="&#27;[31mred&#x1b;[0m"/>')),
    "failed | S a"
  ],
  [
    "two reports in a row",
    `<?xml version="1.0"?>${suite('name="S"', test("a"))}\n<?xml version="1.0"?>${suite('name="T"', test("b", failed))}done`,
    "passed | S a",
    "failed | T b"
  ]
]

const message = "no wind"

/** Results of other tools than JUnit, each with a test that passed, one that failed, and one that was skipped. */
const otherForms: Readonly<Record<string, readonly [file: string, text: string, ...lines: ReadonlyArray<string>]>> = {
  "NUnit 3": [
    "TestResult.xml",
    `<test-run result="Failed" failed="1"><test-suite name="S" result="Failed"><failure><message>One or more child tests had errors</message></failure>
${[
  ["Opens", "Passed", ""],
  ["Pays", "Failed", `<failure><message>${message}</message></failure>`],
  ["Ships", "Skipped", "<reason><message>later</message></reason>"]
]
  .map(
    ([name, result, inner]) =>
      `<test-case name="${name}" fullname="Home.${name}" classname="Home" result="${result}" duration="0.2">${inner}</test-case>`
  )
  .join("")}</test-suite></test-run>`,
    "passed | Home.Opens",
    "failed | Home.Pays",
    "skipped | Home.Ships"
  ],
  "NUnit 2": [
    "TestResult.xml",
    `<test-results failures="1"><test-suite name="S" success="False"><results><test-case name="Home.Opens" executed="True" success="True"/>
<test-case name="Home.Pays" executed="True" success="False"><failure><message>${message}</message></failure></test-case><test-case name="Home.Ships" executed="False"/></results></test-suite></test-results>`,
    "passed | Home.Opens",
    "failed | Home.Pays",
    "skipped | Home.Ships"
  ],
  "xUnit.net": [
    "xunit.xml",
    `<assemblies><assembly failed="1"><collection><test name="Home.Opens" time="0.2" result="Pass"/><test name="Home.Pays" result="Fail"><failure><message>${message}</message></failure></test>
<test name="Home.Ships" result="Skip"><reason>later</reason></test></collection></assembly></assemblies>`,
    "passed | Home.Opens",
    "failed | Home.Pays",
    "skipped | Home.Ships"
  ],
  TestNG: [
    "testng-results.xml",
    `<testng-results failed="1"><suite name="S"><test name="T"><class name="Home"><test-method is-config="true" status="PASS" name="before"/>
<test-method status="PASS" name="opens" duration-ms="200"><exception><message>expected</message></exception></test-method>
<test-method status="FAIL" name="pays"><exception><message>${message}</message></exception></test-method><test-method status="SKIP" name="ships"><exception/></test-method></class></test></suite></testng-results>`,
    "passed | Home opens",
    "failed | Home pays",
    "skipped | Home ships"
  ],
  "Visual Studio": [
    "r.trx",
    `<TestRun><Results><UnitTestResult testName="Opens" outcome="Passed" duration="00:00:00.2"/><UnitTestResult testName="Pays" outcome="Failed"><Output><ErrorInfo><Message>${message}</Message></ErrorInfo></Output></UnitTestResult>
<UnitTestResult testName="Ships" outcome="NotExecuted"/></Results><ResultSummary outcome="Failed"><Counters failed="1"/></ResultSummary></TestRun>`,
    "passed | Opens",
    "failed | Pays",
    "skipped | Ships"
  ],
  CTest: [
    "Test.xml",
    `<Site><Testing><TestList><Test>opens</Test></TestList><Test Status="passed"><Name>opens</Name></Test><Test Status="failed"><Name>pays</Name><Results><Measurement><Value>${message}</Value></Measurement></Results></Test>
<Test Status="notrun"><Name>ships</Name><Results><NamedMeasurement name="Completion Status"><Value>Disabled</Value></NamedMeasurement></Results></Test></Testing></Site>`,
    "passed | opens",
    "failed | pays",
    "skipped | ships"
  ],
  Cucumber: [
    "cucumber.json",
    JSON.stringify([
      {
        keyword: "Feature",
        name: "Home",
        uri: "home.feature",
        elements: [
          { type: "background", name: "", steps: [{ result: { status: "passed" } }] },
          ...["passed", "failed", "skipped"].map((status) => ({
            type: "scenario",
            name: { passed: "opens", failed: "pays", skipped: "ships" }[status],
            steps: [{ result: { status, duration: 2e8, ...(status === "failed" ? { error_message: message } : {}) } }]
          }))
        ]
      }
    ]),
    "passed | Home opens | home.feature",
    "failed | Home pays | home.feature",
    "skipped | Home ships"
  ],
  Mocha: [
    "mocha.json",
    JSON.stringify({
      stats: { failures: 2 },
      tests: [
        { fullTitle: "Home opens", duration: 200, err: {} },
        { fullTitle: "Home pays", err: { message } },
        { fullTitle: "Home ships", err: {} }
      ],
      failures: ["Home pays", 'Home "after all" hook'].map((fullTitle) => ({ fullTitle, err: { message } })),
      pending: [{ fullTitle: "Home ships" }]
    }),
    "passed | Home opens",
    "failed | Home pays",
    'failed | Home "after all" hook',
    "skipped | Home ships"
  ],
  Mochawesome: [
    "mochawesome.json",
    JSON.stringify({
      stats: { failures: 1 },
      results: [
        {
          suites: [
            {
              title: "Home",
              beforeHooks: [{ fullTitle: 'Home "before each" hook', fail: false, err: {} }],
              afterHooks: [{ fullTitle: 'Home "after all" hook', fail: true, err: { message } }],
              tests: [
                { fullTitle: "Home opens", err: {} },
                { fullTitle: "Home pays", err: { message } },
                { fullTitle: "Home ships", pending: true, err: {} }
              ]
            }
          ]
        }
      ]
    }),
    "passed | Home opens",
    "failed | Home pays",
    'failed | Home "after all" hook',
    "skipped | Home ships"
  ],
  Playwright: [
    "results.json",
    JSON.stringify({
      config: { configFile: "", version: "1" },
      suites: [
        {
          title: "home.spec.ts",
          file: "home.spec.ts",
          specs: [],
          suites: [
            {
              title: "Home",
              file: "home.spec.ts",
              specs: ["expected", "unexpected", "skipped"].map((status) => ({
                title: { expected: "opens", unexpected: "pays", skipped: "ships" }[status],
                tests: [{ status, results: [{ duration: 200, errors: status === "unexpected" ? [{ message }] : [] }] }]
              }))
            }
          ]
        }
      ],
      errors: [],
      stats: { unexpected: 1 }
    }),
    "passed | Home opens",
    "failed | Home pays",
    "skipped | Home ships"
  ],
  CTRF: [
    "ctrf.json",
    JSON.stringify({
      results: {
        tool: { name: "t" },
        summary: { failed: 1 },
        tests: [
          { name: "Home opens", status: "passed", duration: 200 },
          { name: "Home pays", status: "failed", message },
          { name: "Home ships", status: "pending" }
        ]
      }
    }),
    "passed | Home opens",
    "failed | Home pays",
    "skipped | Home ships"
  ],
  Jest: [
    "jest.json",
    JSON.stringify({
      numFailedTests: 1,
      success: false,
      testResults: [
        {
          name: "home.test.js",
          assertionResults: [
            { fullName: "Home opens", status: "passed", duration: 200 },
            { fullName: "Home pays", status: "failed", failureMessages: [message] },
            { fullName: "Home ships", status: "pending" }
          ]
        }
      ]
    }),
    "passed | Home opens | home.test.js",
    "failed | Home pays | home.test.js",
    "skipped | Home ships"
  ],
  TAP: [
    "out.tap",
    `TAP version 13\n1..3\n    ok 1 - part\nok 1 - opens # time=1.2ms {\nnot ok 2 - pays\n  ---\n  message: ${message}\n  ...\nok 3 - ships # SKIP later\n`,
    "passed | opens",
    "failed | pays",
    "skipped | ships"
  ],
  Go: [
    "test-report.json",
    [
      ["run", "Opens"],
      ["pass", "Opens"],
      ["run", "Pays"],
      ["fail", "Pays"],
      ["run", "Ships"],
      ["skip", "Ships"],
      ["fail", undefined]
    ]
      .map(([Action, Test]) => `${JSON.stringify({ Time: "2026-11-20T10:00:00Z", Action, Package: "home", Test })}\n`)
      .join(""),
    "passed | home Opens",
    "failed | home Pays",
    "skipped | home Ships"
  ],
  GoogleTest: [
    "gtest.json",
    JSON.stringify({
      tests: 3,
      failures: 1,
      disabled: 1,
      testsuites: [
        {
          name: "Home",
          testsuite: [
            { name: "opens", classname: "Home", file: "h.cc", time: "0.2s", result: "COMPLETED" },
            { name: "pays", classname: "Home", file: "h.cc", result: "COMPLETED", failures: [{ failure: message }] },
            { name: "ships", classname: "Home", status: "NOTRUN", result: "SUPPRESSED" }
          ]
        }
      ]
    }),
    "passed | Home opens | h.cc",
    "failed | Home pays | h.cc",
    "skipped | Home ships"
  ],
  "Cucumber's messages": [
    "out.ndjson",
    '{"meta":{"protocolVersion":"24"}}\n{"testRunFinished":{"success":false}}',
    "interrupted | out.ndjson"
  ]
}

const allure = (status: string, start: number): string =>
  JSON.stringify({
    name: "pays",
    fullName: "Home.pays",
    historyId: "1",
    status,
    start,
    stop: start + 200,
    statusDetails: { message }
  })

describe("import junit", () => {
  it.for([
    [
      "playwright",
      "passed | Login › opens | login.spec.ts",
      "failed | Login › types a password | login.spec.ts",
      "skipped | Login › signs out"
    ],
    [
      "vitest.xml",
      "passed | Login > opens | login.test.ts",
      "failed | Login > types a password | login.test.ts",
      "skipped | Login > signs out"
    ],
    ["jest.xml", "passed | Login opens", "failed | Login types a password", "skipped | Login signs out"],
    [
      "espresso.xml",
      "passed | com.acme.shop.LoginTest opens | Pixel_7(AVD) - 14",
      "failed | com.acme.shop.LoginTest typesPassword | Pixel_7(AVD) - 14",
      "skipped | com.acme.shop.LoginTest signsOut"
    ],
    ["xcuitest.xml", "passed | ShopUITests.LoginTests testOpens", "failed | ShopUITests.LoginTests testTypesPassword"],
    [
      "webdriverio.xml",
      "passed | android.pixel_7.Login opens",
      "failed | android.pixel_7.Login types a password",
      "skipped | android.pixel_7.Login signs out"
    ],
    [
      "mocha.xml",
      "passed | Login opens | /home/ci/shop/test/mocha.cjs",
      "failed | Login types a password | /home/ci/shop/test/mocha.cjs",
      "passed | Login with network works | /home/ci/shop/test/mocha.cjs",
      'failed | Cart "before all" hook for "pays" | /home/ci/shop/test/mocha.cjs'
    ],
    [
      "node.xml",
      "passed | Login opens | /home/ci/shop/test/login.test.mjs",
      "failed | Login types a password | /home/ci/shop/test/login.test.mjs",
      "passed | Login.with network works | /home/ci/shop/test/login.test.mjs",
      "failed | broken pays | /home/ci/shop/test/login.test.mjs",
      "skipped | Login signs out",
      "skipped | Login signs up",
      "skipped | test known"
    ],
    [
      "googletest.xml",
      "passed | Login Opens | l.cc",
      "failed | Login TypesAPassword | l.cc",
      "skipped | Login SignsOut",
      "skipped | Login DISABLED_SignsUp",
      "skipped | Db Reads"
    ],
    [
      "ant.xml",
      "passed | com.acme.LoginTest opens()",
      "failed | com.acme.LoginTest typesAPassword()",
      "failed | com.acme.LoginTest flaky()",
      "skipped | com.acme.LoginTest signsOut()",
      "skipped | com.acme.LoginTest signsUp()"
    ],
    ["ant-class.xml", "failed | com.acme.CartTest"],
    [
      "surefire.xml",
      "failed | com.acme.LoginTest typesAPassword",
      "flaky | com.acme.LoginTest flaky",
      "passed | com.acme.LoginTest opens",
      "skipped | com.acme.LoginTest signsOut",
      "skipped | com.acme.LoginTest signsUp"
    ],
    ["surefire-class.xml", "failed | com.acme.CartTest"],
    [
      "pytest8.xml",
      "passed | tests.test_login.TestLogin test_opens",
      "failed | tests.test_login.TestLogin test_types_a_password",
      "failed | tests.test_login test_pays",
      "failed | tests.test_login test_ships",
      "skipped | tests.test_login.TestLogin test_signs_out",
      "skipped | tests.test_login.TestLogin test_known"
    ],
    [
      "pytest.xml",
      "passed | tests.test_login.TestLogin test_opens",
      "failed | tests.test_login.TestLogin test_types_a_password",
      "failed | tests.test_login test_pays",
      "failed | tests.test_login test_ships",
      "failed | tests.test_sub test_all",
      "passed | tests.test_sub test_none",
      "skipped | tests.test_login.TestLogin test_signs_out",
      "skipped | tests.test_login.TestLogin test_known"
    ]
  ] as const)("has the tests of %s", async ([name, ...lines]) => {
    const read = await readJUnitReports(report(name))
    assert.deepStrictEqual(linesOf(read), lines)
    assert.deepStrictEqual(read.problems, [])
  })

  it.for(dialects)("reads %s", async ([, xml, ...lines]) => {
    assert.deepStrictEqual(linesOf(await readJUnitReports(folderOf({ "a.xml": xml }))), lines)
  })

  it.for(Object.entries(otherForms))(
    "reads the results of %s, beside a report and cut",
    async ([, [name, text, ...lines]]) => {
      const whole = await readJUnitReports(folderOf({ [name]: text }))
      assert.deepStrictEqual(linesOf(whole), lines)
      if (lines.length > 1) {
        const failure = whole.runs.find(
          (run) => !isInterrupted(lastAttempt(run)) && lastAttempt(run).status === "failed"
        )
        // CTest and Go have no message, but what the test printed.
        if (!/^(?:Test\.xml|test-report\.json)$/.test(name))
          assert.include(failure && lastAttempt(failure).failureMessage, message)
      }
      const good = suite('name="G"', test("a"))
      const folder = folderOf({ "good.xml": good, [name]: text })
      assert.deepStrictEqual(linesOf(await readJUnitReports(folder)).toSorted(), ["passed | G a", ...lines].toSorted())
      for (let end = 0; end < text.length - 1; end += 16) {
        writeFileSync(join(folder, name), text.slice(0, end))
        const { runs } = await readJUnitReports(folder)
        assert.isTrue(runs.some((run) => lastAttempt(run).status !== "passed") || end === 0, `${name} cut at ${end}`)
      }
    }
  )

  const tried = (status: string) => ({ status, errors: status === "passed" ? [] : [{ message }] })

  it.for([
    [
      "Playwright",
      {
        config: { rootDir: "/" },
        suites: [
          {
            title: "",
            specs: [{ title: "a", tests: [{ status: "flaky", results: [tried("failed"), tried("passed")] }] }]
          }
        ]
      }
    ],
    ["CTRF", { results: { tool: {}, tests: [{ name: "a", status: "passed", flaky: true }] } }],
    ["Jest", { testResults: [{ assertionResults: [{ fullName: "a", status: "passed", invocations: 2 }] }] }]
  ] as const)("has the earlier tries in results of %s", async ([, results]) => {
    const read = await readJUnitReports(folderOf({ "a.json": JSON.stringify(results) }))
    assert.deepStrictEqual(linesOf(read), ["flaky | a"])
  })

  it.for([
    ["robot.xml", '<robot><test name="a"><status status="FAIL"/></test></robot>', '<robot><test name="a"/></robot>'],
    ["sonar.xml", "<testExecutions><failure/></testExecutions>", "<testExecutions></testExecutions>"],
    ["results.json", '{"failed":2}', '{"failed":0}']
  ] as const)(
    "has an interrupted run of %s, whose form is not read, if only it has a failure",
    async ([name, text, passed]) => {
      const read = async (inner: string, other: string = text) =>
        linesOf(await readJUnitReports(folderOf({ "a.xml": suite('name="S"', test("a", inner)), [name]: other })))
      assert.deepStrictEqual(await read(""), ["passed | S a", `interrupted | ${name}`])
      assert.deepStrictEqual(await read(failed), ["failed | S a"])
      assert.deepStrictEqual(await read("", passed), ["passed | S a"])
      assert.deepStrictEqual(await read("", text.slice(0, 12)), ["passed | S a", `interrupted | ${name}`])
    }
  )

  it("reads a test once that several forms of results have, and its failure where they differ", async () => {
    const [, testng] = otherForms["TestNG"] ?? ["", ""]
    const junit = suite('name="S"', test("opens", "", 'classname="Home"'), test("pays", failed, 'classname="Home"'))
    const both = await readJUnitReports(folderOf({ "a.xml": junit, "testng-results.xml": testng }))
    assert.deepStrictEqual(linesOf(both), ["passed | Home opens", "failed | Home pays", "skipped | Home ships"])
    const passed = suite('name="S"', test("opens", "", 'classname="Home"'), test("pays", "", 'classname="Home"'))
    const differing = await readJUnitReports(folderOf({ "a.xml": passed, "testng-results.xml": testng }))
    assert.include(linesOf(differing), "failed | Home pays")
  })

  it("reads the tries of a test in the files of Allure as one", async () => {
    const files = {
      "1-result.json": allure("broken", 1),
      "2-result.json": allure("passed", 2),
      "3-container.json": "{}"
    }
    assert.deepStrictEqual(linesOf(await readJUnitReports(folderOf(files))), ["flaky | Home.pays"])
    const unordered = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, text.replace(/"start":\d+/, '"x":0')])
    )
    assert.sameMembers(
      [...linesOf(await readJUnitReports(folderOf(unordered)))],
      ["failed | Home.pays", "passed | Home.pays"]
    )
    const last = { ...files, "4-result.json": allure("failed", 3) }
    assert.deepStrictEqual(linesOf(await readJUnitReports(folderOf(last))), ["failed | Home.pays"])
  })

  it("reads times with marks of thousands", async () => {
    const times = {
      "1,234.567": 1234567,
      "1.234,5": 1234500,
      "0,25": 250,
      "1 234.5": 1234500,
      "1,234,567": 1234567000,
      "": undefined
    }
    const cases = Object.keys(times).map((time) => test("a", "", `time="${time}"`))
    const { runs } = await readJUnitReports(folderOf({ "a.xml": suite('name="S"', ...cases) }))
    assert.deepStrictEqual(
      runs.map((run) => lastAttempt(run).durationMs),
      Object.values(times)
    )
  })

  it.for([
    "/home/runner/work/Shop/Shop/flows/a.yaml",
    "/builds/acme/shop/flows/a.yaml",
    "/Users/builder/clone/flows/a.yaml",
    "/home/expo/workingdir/build/flows/a.yaml",
    "D:\\a\\Shop\\Shop\\flows\\a.yaml",
    "/home/vsts/work/1/s/flows/a.yaml",
    "file:///bitrise/src/flows/a.yaml",
    join(import.meta.dirname, "../../../..", "flows/a.yaml")
  ])("has the file %s from the root of the repository", async (file) => {
    const { runs } = await readJUnitReports(folderOf({ "a.xml": suite('name="S"', test("a", "", `file="${file}"`)) }))
    assert.strictEqual(runs[0]?.file, "flows/a.yaml")
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

  const passing =
    '{"name":"/a.js","status":"passed","message":"","assertionResults":[{"fullName":"a","status":"passed"}]}'
  const playwright = (stats: string, status = "passed") =>
    `{"config":{"rootDir":"/"},"suites":[{"title":"a.ts","specs":[{"title":"a","tests":[{"status":"expected","results":[{"status":"${status}"}]}]}]}],"stats":{${stats}}}`
  const step = (status: string) => `"steps":[{"result":{"status":"${status}"}}]`

  it.for([
    ["Jest's failures", "r.json", `{"numFailedTests":1,"testResults":[${passing}]}`],
    ["Jest's files", "r.json", `{"numFailedTestSuites":1,"testResults":[${passing}]}`],
    ["Jest's tests", "r.json", `{"numTotalTests":2,"testResults":[${passing}]}`],
    ["CTRF", "r.json", '{"results":{"tool":{},"summary":{"tests":2},"tests":[{"name":"a","status":"passed"}]}}'],
    ["Mocha", "r.json", '{"stats":{"tests":2},"tests":[{"fullTitle":"a","err":{}}]}'],
    ["Playwright", "r.json", playwright('"expected":2')],
    ["Playwright, interrupted", "r.json", playwright('"expected":1', "interrupted")],
    [
      "Cucumber, whose background failed",
      "r.json",
      `[{"keyword":"Feature","elements":[{"type":"background",${step("failed")}},{"type":"scenario","name":"a",${step("skipped")}}]}]`
    ],
    [
      "Visual Studio, which aborted",
      "r.trx",
      '<TestRun><UnitTestResult testName="a" outcome="Passed"/><ResultSummary outcome="Aborted"/></TestRun>'
    ],
    ["TAP, cut in its last line", "r.tap", "1..1\nok 1 - a"],
    ["TAP, with more than planned", "r.tap", "1..1\nok 1 - a\nok 2 - b\n"],
    ["Go, after a line of the compiler", "r.json", '# a\n{"Action":"fail","Package":"a","Test":"A"}\n'],
    [
      "Jest 30.4",
      "r.json",
      '{"testResults":[{"status":"failed","assertionResults":[{"status":"error","title":null}]}]}'
    ]
  ] as const)("has a failure where the results of %s have fewer tests or failures than ran", async ([, name, text]) => {
    const { runs } = await readJUnitReports(folderOf({ [name]: text }))
    assert.isTrue(runs.some((run) => lastAttempt(run).status !== "passed"))
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

/** A report that each of the commands imports, with a test that failed. */
const reportOf: Readonly<Record<string, string>> = {
  junit: suite('name="S"', test("Größe", failed)),
  maestro: suite('name="Test Suite" device="A"', test("Größe", failed, 'id="S" status="ERROR"')),
  detox: `<testsuites name="jest tests">${suite('name="S" skipped="0" timestamp="2026-11-20T10:00:00"', test("Größe", failed))}</testsuites>`
}

const reading = (tool: string, ...paths: ReadonlyArray<string>): Promise<ReadResults> =>
  tool === "junit" ? readJUnitReports(...paths) : tool === "maestro" ? readMaestro(...paths) : readDetox(paths)

const declaring = (encoding: string, text: string): string => `<?xml version="1.0" encoding="${encoding}"?>${text}`

/** How the bytes of a report may be written, and whether they can be read. */
const written: ReadonlyArray<
  readonly [how: string, name: string, bytes: (text: string) => Uint8Array, isRead: boolean]
> = [
  ["in UTF-8 with a byte order mark", "a.xml", (text) => Buffer.from(`\uFEFF${text}`), true],
  ["in UTF-16", "a.xml", (text) => Buffer.from(`\uFEFF${text}`, "utf16le"), true],
  ["in UTF-16, big-endian, without a mark", "a.xml", (text) => Buffer.from(text, "utf16le").swap16(), true],
  ["in ISO-8859-1", "a.xml", (text) => Buffer.from(declaring("ISO-8859-1", text), "latin1"), true],
  ["in Windows' bytes without a declaration", "a.xml", (text) => Buffer.from(text, "latin1"), true],
  ["in UTF-8 that is declared as UTF-16", "a.xml", (text) => Buffer.from(declaring("utf-16", text)), true],
  ["gzipped", "a.xml", (text) => gzipSync(text), true],
  ["gzipped, by its name", "a.xml.gz", (text) => gzipSync(text), true],
  [
    "after a line of another program",
    "a.xml",
    (text) => Buffer.from(`Picked up JAVA_TOOL_OPTIONS\n${declaring("utf-8", text)}`),
    true
  ],
  ["before a line of another program", "a.xml", (text) => Buffer.from(`${text}\nDone in 3 s`), true],
  ["with another extension", "a.JUnit", (text) => Buffer.from(text), true],
  ["with an unexpected extension", "a.out", (text) => Buffer.from(declaring("utf-8", text)), true],
  ["as zeros", "a.xml", (text) => Buffer.alloc(text.length), false],
  [
    "with zeros at its end",
    "a.xml",
    (text) => Buffer.concat([Buffer.from(text.slice(0, -30)), Buffer.alloc(4096)]),
    false
  ],
  ["with zeros after its end", "a.xml", (text) => Buffer.concat([Buffer.from(text), Buffer.alloc(4096)]), false],
  ["gzipped, and cut", "a.xml", (text) => gzipSync(text).subarray(0, -30), false],
  ["gzipped, and damaged", "a.xml", (text) => gzipSync(text).fill(255, 12, 20), false],
  ["in an unknown encoding", "a.xml", (text) => Buffer.from(declaring("x-strange", text)), false],
  ["empty", "a.xml", () => Buffer.alloc(0), false],
  ["compressed otherwise", "a.xml.zip", () => Buffer.from("PK\x03\x04"), false],
  ["the error page of a server", "a.xml", () => Buffer.from("<!DOCTYPE html><HTML><br>502</HTML>"), false],
  ["cut at its beginning", "a.xml", (text) => Buffer.from(text.slice(text.indexOf("<failure"))), false],
  ["the refusal of a bucket", "a.xml", () => Buffer.from("<Error><Code>AccessDenied</Code></Error>"), false],
  ["as no XML", "a.xml", () => Buffer.from("404 not found"), false]
]

describe.for(["junit", "maestro", "detox"])("import %s", (tool) => {
  const good = (reportOf[tool] ?? "").replace("Größe", "Good").replace(failed, "").replace("ERROR", "SUCCESS")

  it.for(written)("has the failure of a report that is %s", async ([, name, bytes, isRead]) => {
    const folder = folderOf({ "good.xml": good, [name]: bytes(reportOf[tool] ?? "") })
    for (const paths of [[folder], [join(folder, "good.xml"), join(folder, name)]]) {
      const { problems, runs } = await reading(tool, ...paths)
      const unread = runs.filter((run) => isInterrupted(lastAttempt(run)))
      if (isRead) {
        assert.deepStrictEqual(runs.map((run) => [run.name.replace(/^S /, ""), lastAttempt(run).status]).toSorted(), [
          ["Good", "passed"],
          ["Größe", "failed"]
        ])
      } else {
        assert.isNotEmpty(unread)
        assert.include(lastAttempt(unread[0]!).failureMessage, name)
        assert.isNotEmpty(problems)
      }
    }
  })

  it("says of a named file that is no report that it is interrupted, but for one alone", async () => {
    const folder = folderOf({ "good.xml": good, "a.xml": "<project/>" })
    assert.lengthOf((await reading(tool, folder)).runs, 1)
    const { runs } = await reading(tool, join(folder, "good.xml"), join(folder, "a.xml"))
    assert.match(lastAttempt(runs[1]!).failureMessage ?? "", /^Interrupted: a\.xml: It is no JUnit report/)
    assert.deepStrictEqual((await reading(tool, join(folder, "a.xml"))).runs, [])
  })

  it("imports what a report that was copied, merged or repeated has once, and equal tests of one report each", async () => {
    const timed = (name: string, time: number, inner = "") =>
      (reportOf[tool] ?? "")
        .replace("Größe", name)
        .replace(failed, inner)
        .replace("ERROR", inner === "" ? "SUCCESS" : "ERROR")
        .replace("<testcase ", `<testcase timestamp="2026-11-20T10:00:0${time}" time="${time}" `)
    const [first, second] = [timed("A", 1, failed), timed("B", 2)]
    const [, testOf = ""] = /(<testcase .*<\/testcase>)/.exec(second) ?? []
    const merged = first.replace("</testcase>", `</testcase>${testOf}${testOf}`)
    const { runs } = await reading(
      tool,
      folderOf({ "1.xml": first, "2/2.xml": second, "3.xml": second, "merged.xml": merged })
    )
    assert.deepStrictEqual(
      runs.map((run) => run.name.replace(/^S /, "")),
      ["A", "B", "B"]
    )
  })
})

describe("import maestro and import detox", () => {
  it.for(["playwright", "vitest.xml", "espresso.xml", "xcuitest.xml", "webdriverio.xml", "mocha.xml", "pytest.xml"])(
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
