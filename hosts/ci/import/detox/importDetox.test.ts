/** What is read of results that Detox itself made: see `fixtures/README.md`. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isFlaky, lastAttempt } from "../recordedRun.ts"
import { detoxFixtures, folderOf, readDetox } from "../testing/reading.ts"
import { stepsOfRun } from "../toSend.ts"
import { folderName, screenshotName } from "./importDetox.ts"

const artifacts = join(detoxFixtures, "artifacts")
const results = join(detoxFixtures, "results.json")
const file = (name: string) => join(detoxFixtures, name)

const traced = () => readDetox([artifacts, results])

const long = `Login has a name of more bytes than a folder may have, ${"séance après séance, ".repeat(11)}and costs $5: "yes"?`

describe("a trace with the results of Jest", () => {
  it("has a run for each test, and for each file that failed without a test that did", async () => {
    const { problems, runs } = await traced()
    assert.deepStrictEqual(
      runs.map(({ name }) => name),
      [
        "Login types a password",
        long,
        "Login compares without Detox",
        "Cart adds a fish on the second try",
        "Cart never finds the till",
        "After passes before its hook fails",
        "Hook is failed by its hook",
        "e2e/after.test.js",
        "e2e/broken.test.js"
      ]
    )
    assert.deepStrictEqual(problems, [])
  })

  it.for([
    // `detox test --retries 1` runs the files that failed again; Jest's results keep the second round only.
    ["Login types a password", ["failed", "failed"]],
    [long, ["passed", "passed"]],
    ["Hook is failed by its hook", ["failed", "failed"]],
    ["e2e/broken.test.js", ["failed", "failed"]],
    ["e2e/after.test.js", ["failed", "failed"]],
    // `jest.retryTimes(2)`.
    ["Cart adds a fish on the second try", ["failed", "passed"]],
    ["Cart never finds the till", ["failed", "failed", "failed"]]
  ] as const)("has every attempt of %s", async ([name, statuses]) => {
    const { run } = await traced()
    assert.deepStrictEqual(
      run(name).attempts.map(({ status }) => status),
      [...statuses]
    )
  })

  it("calls a test flaky that passed at its second try", async () => {
    const { runs } = await traced()
    assert.deepStrictEqual(
      runs.filter(isFlaky).map(({ name }) => name),
      ["Cart adds a fish on the second try"]
    )
  })

  it("has the steps of each attempt, a hook around its own", async () => {
    const [first] = (await traced()).run("Login types a password").attempts
    assert.deepStrictEqual(
      first.steps.map(({ depth, name, status }) => `${"- ".repeat(depth)}${name}: ${status}`),
      [
        "beforeEach: passed",
        "- tap at null on by.id(tab): passed",
        'type input text: "•••" on by.id(password): passed',
        "takeScreenshot after typed-secret-2: passed",
        "to be visible with timeout (2000 ms) on by.id(missing-home): failed"
      ]
    )
    assert.strictEqual(first.failingStep, 4)
  })

  it("has the exact times of a trace", async () => {
    const [first] = (await traced()).run("Login types a password").attempts
    assert.deepStrictEqual([first.startedAt, first.durationMs], [1_795_364_932_263, 481])
    assert.deepStrictEqual(
      first.steps.map(({ durationMs, startedAt }) => [startedAt - 1_795_364_932_263, durationMs]),
      [
        [20, 105],
        [21, 102],
        [126, 136],
        [263, 10],
        [273, 204]
      ]
    )
  })

  it("takes the hook before all tests as the failing step of a test that it failed", async () => {
    const [first] = (await traced()).run("Hook is failed by its hook").attempts
    assert.deepStrictEqual(
      first.steps.map(({ name }) => name),
      ["beforeAll", "tap at null on by.id(missing-hook)"]
    )
    assert.strictEqual(first.failingStep, 1)
    assert.include(first.failureMessage, "missing-hook")
  })

  it("shows the function of a test as the failing step where none of Detox's failed", async () => {
    const last = lastAttempt((await traced()).run("Login compares without Detox"))
    assert.strictEqual(last.steps[last.failingStep ?? -1]?.name, "test_fn")
    assert.include(last.failureMessage, "Expected value to strictly be equal to")
  })

  it("says why a file didn't load", async () => {
    const { run } = await traced()
    assert.include(lastAttempt(run("e2e/broken.test.js")).failureMessage, "Cannot find module './not-there'")
  })

  it("reports skipped and todo tests, and registers none of them", async () => {
    const { runs, skippedTests } = await traced()
    assert.deepStrictEqual(skippedTests, [
      { name: "Cart weighs the fish", status: "todo" },
      { name: "Cart sails away", status: "skipped" }
    ])
    assert.notInclude(runs.map(({ name }) => name).join(), "sails away")
  })

  it("has the file and the device of a test", async () => {
    const cart = (await traced()).run("Cart never finds the till")
    assert.deepStrictEqual([cart.file, cart.device], ["e2e/cart.test.js", { name: "custom dev-2" }])
  })

  it("finds the recordings of each attempt by the name that Detox gives to its folder", async () => {
    const { attempts } = (await traced()).run("Login types a password")
    assert.deepStrictEqual(
      attempts.map(({ recordings, startedAt = 0 }) =>
        recordings.map((one) => [one.name, one.kind, (one.startedAt ?? 0) - startedAt, one.ofFailure])
      ),
      [
        [
          ["after typed-secret-2.png", "screenshot", 273, false],
          ["device.log", "log", 12, false],
          ["testFnFailure.png", "screenshot", 479, true]
        ],
        [
          ["after typed-secret-2.png", "screenshot", 224, false],
          ["device.log", "log", 2, false],
          ["testFnFailure.png", "screenshot", 459, true]
        ]
      ]
    )
  })

  it("puts attempts into one list of steps, the failing one of the last attempt among them", async () => {
    const { failingStep = -1, steps } = stepsOfRun((await traced()).run("Cart never finds the till"))
    assert.deepStrictEqual(
      steps.map(({ depth, name }) => `${"- ".repeat(depth)}${name}`),
      [1, 2, 3].flatMap((attempt) => [`Attempt ${attempt}`, "- tap at null on by.id(missing-till)"])
    )
    assert.strictEqual(failingStep, 5)
  })

  it("hides what was typed, and drops the source code of hooks and tests", async () => {
    const { mask, runs } = await traced()
    assert.strictEqual(mask.text("typed-secret-1 typed-secret-2 typed-secret-3"), "••• ••• •••")
    assert.notInclude(JSON.stringify(runs.map(stepsOfRun)), "functionCode")
    assert.notInclude(JSON.stringify(runs), "typeText('typed")
  })

  it("needs no results beside the trace", async () => {
    const { run, runs } = await readDetox([artifacts])
    assert.lengthOf(runs, 9)
    assert.include(lastAttempt(run("Login types a password")).failureMessage, "missing-home")
    assert.include(lastAttempt(run("e2e/broken.test.js")).failureMessage, "jest --json")
  })

  it("distinguishes two tests of one name in one file", async () => {
    const trace = readFileSync(join(artifacts, "ios.sim.release.2026-11-22 16-28-49Z", "detox.trace.json"), "utf8")
    const same = trace.replaceAll("Login compares without Detox", "Login types a password")
    const { runs } = await readDetox([folderOf({ "detox.trace.json": same })])
    const found = runs.filter(({ name }) => name === "Login types a password")
    assert.deepStrictEqual(
      found.map(({ attempts }) => attempts.length),
      [2, 2]
    )
  })
})

describe("the results of Jest alone", () => {
  const expected = [
    ["Login types a password", ["failed"]],
    [long, ["passed"]],
    ["Login compares without Detox", ["failed"]],
    ["Cart adds a fish on the second try", ["failed", "passed"]],
    ["Cart never finds the till", ["failed", "failed", "failed"]],
    ["Hook is failed by its hook", ["failed"]],
    ["After passes before its hook fails", ["passed"]],
    ["after.test.js", ["failed"]],
    ["broken.test.js", ["failed"]]
  ] as const

  it.for([
    ["jest --json of Jest 30", "results-jest30.json"],
    ["the form that jest-stare writes", "own-form.json"]
  ] as const)("are read of %s", async ([, name]) => {
    const { run, runs } = await readDetox([file(name)])
    const found = runs.map((one) => [one.name.replace(/^\/.*\//, ""), one.attempts.map(({ status }) => status)])
    assert.deepStrictEqual(found.toSorted(), expected.map(([title, statuses]) => [title, [...statuses]]).toSorted())
    assert.include(lastAttempt(run("Cart never finds the till")).failureMessage, "missing-till")
    const broken = runs.find((one) => one.name.endsWith("broken.test.js"))!
    assert.include(lastAttempt(broken).failureMessage, "Cannot find module './not-there'")
  })

  it("are read of jest --json of Jest 29, whose colours are left out", async () => {
    const { run, runs } = await readDetox([results])
    assert.lengthOf(runs, 7)
    assert.deepStrictEqual(
      [lastAttempt(run("Login types a password")).durationMs, lastAttempt(run("Login types a password")).startedAt],
      [459, 1_795_364_937_368]
    )
    assert.notInclude(JSON.stringify(runs), String.raw`\u001b`)
  })

  it("have the start of a test where Jest 30 has it", async () => {
    const { run } = await readDetox([file("results-jest30.json")])
    assert.strictEqual(run("Login types a password").attempts[0].startedAt, 1_795_365_006_625)
  })

  it("find the recordings below --artifacts", async () => {
    const { run } = await readDetox([results], [artifacts])
    // The only attempt in the results would be the first: Jest counts from there.
    assert.include(
      run("Login compares without Detox").attempts.flatMap(({ recordings }) => recordings.map(({ name }) => name)),
      "testFnFailure.png"
    )
  })

  it("join what failed outside of the tests to the messages of those that failed", async () => {
    const test = { fullName: "Sails", status: "failed", failureMessages: ["no wind"], duration: 3.4 }
    const file = {
      testFilePath: "/e2e/a.js",
      testResults: [test],
      testExecError: { message: "", stack: "afterAll failed" }
    }
    const { runs } = await readDetox([folderOf({ "own.json": JSON.stringify({ testResults: [file] }) })])
    assert.lengthOf(runs, 1)
    assert.strictEqual(lastAttempt(runs[0]!).failureMessage, "no wind\n\nafterAll failed")
    assert.strictEqual(lastAttempt(runs[0]!).durationMs, 3)
  })
})

describe("a report of jest-junit", () => {
  it("is read with a warning when there is nothing else", async () => {
    const { notes, runs } = await readDetox([file("junit.xml")])
    assert.deepStrictEqual(
      runs.map((run) => [run.name, lastAttempt(run).status, lastAttempt(run).durationMs]),
      [
        ["Login types a password", "failed", 459],
        [long, "passed", 234],
        ["Login compares without Detox", "failed", 75],
        ["Hook is failed by its hook", "failed", 0],
        ["After passes before its hook fails", "passed", 68],
        ["After", "failed", undefined]
      ]
    )
    assert.match(notes.join("\n"), /was written by jest-junit, which passes todos/)
  })

  it("takes no failed hook for a test, and its message for the JSON that it is", async () => {
    const { run } = await readDetox([file("junit.xml")])
    assert.match(lastAttempt(run("After")).failureMessage ?? "", /^DetoxRuntimeError: Test Failed: .*missing-after/)
  })

  it("is ignored where a trace or Jest's results have the same tests", async () => {
    assert.lengthOf((await readDetox([artifacts, results, file("junit.xml")])).runs, 9)
    assert.lengthOf((await readDetox([results, file("junit.xml")])).runs, 7)
  })
})

describe("broken results of Detox", () => {
  const traceFile = join(artifacts, "ios.sim.release.2026-11-22 16-28-49Z", "detox.trace.json")
  const trace = readFileSync(traceFile, "utf8")

  it("imports the whole tests of a trace that was cut, and reports the line", async () => {
    const cut = trace.slice(0, trace.indexOf('"Cart never finds the till"') + 20)
    const folder = folderOf({ "detox.trace.json": cut })
    const { problems, runs } = await readDetox([folder])
    assert.deepStrictEqual(
      runs.map(({ attempts, name }) => [name, attempts.length]),
      [
        ["Login types a password", 1],
        [long, 1],
        ["Login compares without Detox", 1],
        ["Cart adds a fish on the second try", 1],
        ["e2e/cart.test.js", 1]
      ]
    )
    assert.match(lastAttempt(runs.at(-1)!).failureMessage ?? "", /^Interrupted: the file began and never ended/)
    assert.deepStrictEqual(problems[0], {
      file: join(folder, "detox.trace.json"),
      line: cut.split("\n").length,
      reason: "It is broken here; the whole lines before it were read."
    })
  })

  it("reads a trace that isn't written line by line", async () => {
    const folder = folderOf({ "detox.trace.json": JSON.stringify(JSON.parse(trace)) })
    assert.lengthOf((await readDetox([folder])).runs, 9)
    const wide = folderOf({ "detox.trace.json": JSON.stringify(JSON.parse(trace), null, 2) })
    assert.lengthOf((await readDetox([wide])).runs, 9)
  })

  it("imports the whole files of results that were cut", async () => {
    const text = readFileSync(results, "utf8")
    const cut = text.slice(
      0,
      text.indexOf('"missing-after') === -1 ? text.indexOf("After passes") : text.indexOf("missing-after")
    )
    const { problems, runs } = await readDetox([folderOf({ "results.json": cut })])
    assert.deepStrictEqual(
      runs.map(({ name }) => name),
      ["Login types a password", long, "Login compares without Detox", "Hook is failed by its hook", "results.json"]
    )
    assert.match(problems[0]!.reason, /2 whole entries/)
  })

  it("survives a cut at any place, and values of any other kind", async () => {
    const text = readFileSync(results, "utf8")
    for (let end = 0; end < text.length; end += 997) await readDetox([folderOf({ "results.json": text.slice(0, end) })])
    for (let end = 0; end < trace.length; end += 2999)
      await readDetox([folderOf({ "detox.trace.json": trace.slice(0, end) })])
    for (const value of [null, 0, "", [], {}, [null], true]) {
      for (const name of [
        "name",
        "args",
        "ts",
        "cat",
        "ph",
        "status",
        "fullName",
        "invocations",
        "assertionResults",
        "failureMessages",
        "message"
      ]) {
        const changed = (json: string) =>
          JSON.stringify(JSON.parse(json), (key, old: unknown) => (key === name ? value : old))
        await readDetox([folderOf({ "results.json": changed(text), "detox.trace.json": changed(trace) })])
      }
    }
  })
})

const longName = `Login has a name of more bytes than a folder may have, ${"séance après séance, ".repeat(11)}and costs $5: "yes"?`

/** Each name as Detox 20.51.4 made it. */
describe("the name of a test's folder", () => {
  it.for([
    ["Login types a password", "failed", 1, "✗ Login types a password"],
    ["Login types a password", "failed", 2, "✗ Login types a password (2)"],
    ["After passes before its hook fails", "passed", 1, "✓ After passes before its hook fails"],
    ['Login costs $5 / "quoted" <tags>? yes: | a\\b', "passed", 1, "✓ Login costs _5 _ _quoted_ _tags__ yes_ _ a_b"],
    [
      'Login costs $5 / "quoted" <tags>? yes: | a\\b',
      "passed",
      2,
      "✓ Login costs _5 _ _quoted_ _tags__ yes_ _ a_b (2)"
    ],
    [longName, "passed", 1, `✓ ${", séance après séance".repeat(10)}, séance a`],
    // The number of the attempt was cut away with the end of the name.
    [longName, "passed", 2, `✓ ance après séance${", séance après séance".repeat(9)}, séance après`]
  ] as const)("of %s, %s at try %d", ([fullName, status, invocation, expected]) => {
    assert.strictEqual(folderName(fullName, status, invocation), expected)
  })

  it("is as sanitized for a screenshot that a test named", () => {
    assert.strictEqual(screenshotName("cart: $5"), "cart_ _5.png")
  })
})
