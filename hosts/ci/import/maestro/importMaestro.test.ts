/** What is read of Maestro's folders and reports, each fact as the file states it. */
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { makeMask } from "../mask.ts"
import { lastAttempt, type RecordedFile } from "../recordedRun.ts"
import { folderOf, maestroFixtures, readMaestro } from "../testing/reading.ts"
import { commands, flowCase, report, suite } from "../testing/results.ts"
import { eventLines, stepsOfRun } from "../toSend.ts"
import { deviceOf } from "./importMaestro.ts"
import { failingStepOf, flowCommand, optional } from "./readFlow.ts"

const out = join(maestroFixtures, "out")
const flat = join(maestroFixtures, "flat")

/** When the first flow of the fixtures began. */
const start = 1_795_000_000_000

const payRead = async () => {
  const { run } = await readMaestro(out)
  const pay = run("Pay")
  return { pay, attempt: lastAttempt(pay) }
}

describe("a folder of Maestro 2.7 and newer, with a report", () => {
  it("has one run for each flow and device", async () => {
    const { problems, runs } = await readMaestro(out)
    assert.deepStrictEqual(runs.map(({ device, name }) => `${name} on ${device?.name}`).toSorted(), [
      "Browse on Pixel 7",
      "Browse on Pixel 8",
      "Never ran on Pixel 7",
      "Pay on Pixel 7",
      "Weigh on Pixel 7"
    ])
    assert.deepStrictEqual(problems, [])
  })

  it("has the steps without Maestro's bookkeeping, in their order and depth", async () => {
    const { attempt } = await payRead()
    assert.deepStrictEqual(
      attempt.steps.map(({ depth, name, status }) => `${"- ".repeat(depth)}${name}: ${status}`),
      [
        "launchApp com.acme.shop: passed",
        "retry 1 times: passed",
        '- tapOnElement "Basket": failed',
        '- tapOnElement "Basket": passed',
        "takeScreenshot basket: passed",
        "startRecording paying: passed",
        "runFlow login.yaml: failed",
        "- inputText •••: passed",
        '- assertCondition "Paid" is visible: failed',
        "stopRecording: passed"
      ]
    )
  })

  it("finds the failing step: the deepest one that no retry recovered", async () => {
    const { attempt } = await payRead()
    assert.strictEqual(attempt.steps[attempt.failingStep ?? -1]?.name, 'assertCondition "Paid" is visible')
  })

  it.for([
    ["a step, then two hooks after it", ["passed 0", "failed 0", "failed 0", "failed 0"], 1],
    ["a hook alone", ["passed 0", "passed 0", "failed 0"], 2],
    ["a hook before the flow, then one after it", ["failed 0", "failed 0"], 0],
    ["a step within another one, then a hook", ["failed 0", "passed 1", "failed 1", "failed 0"], 2],
    ["the last try of a retry, then a hook", ["failed 0", "failed 1", "failed 1", "failed 0"], 2],
    ["what a retry recovered, then a hook", ["passed 0", "failed 1", "passed 1", "failed 0"], 3],
    ["a step within another one without depths, then a hook", ["failed 0 2500", "passed 0", "failed 0", "failed 0"], 2]
  ] as const)("finds the failing step where these fail: %s", ([, of, failing]) => {
    const steps = of.map((one, index) => {
      const [status = "", depth, durationMs = 900] = one.split(" ")
      const times = { startedAt: index * 1000, durationMs: Number(durationMs) }
      return { name: "", status, depth: Number(depth), message: undefined, ...times }
    })
    assert.strictEqual(failingStepOf(steps), failing)
  })

  it("has the message of the failing step where the report has that of a hook", async () => {
    const message = (text: string) => ({ error: { message: text } })
    const all: ReadonlyArray<Record<string, unknown>> = JSON.parse(commands(["FAILED", "FAILED"]))
    const failed = all.map((one, index) => ({
      ...one,
      metadata: { ...Object(one["metadata"]), ...(index < 2 ? {} : message(index === 2 ? "no till" : "no log out")) }
    }))
    const { run } = await readMaestro(
      folderOf({
        "happy/commands.json": JSON.stringify(failed),
        "report.xml": report(suite([flowCase("flows/happy.yaml", "ERROR", "<failure>no log out</failure>")]))
      })
    )
    assert.strictEqual(lastAttempt(run("happy")).failureMessage, "no till")
  })

  it("takes times from the commands, as the report has local time", async () => {
    const { attempt } = await payRead()
    assert.strictEqual(attempt.startedAt, start)
    assert.deepStrictEqual(
      attempt.steps.slice(0, 2).map(({ durationMs, startedAt }) => [startedAt, durationMs]),
      [
        [start + 10, 1500],
        [start + 1600, 900]
      ]
    )
  })

  it("takes result, message, length, file, tags and device from the report", async () => {
    const { attempt, pay } = await payRead()
    assert.strictEqual(attempt.status, "failed")
    assert.strictEqual(attempt.failureMessage, 'Assertion is false: "Paid" is visible after marked-secret-typed')
    assert.strictEqual(attempt.durationMs, 9100)
    assert.strictEqual(pay.file, "flows/pay.yaml")
    assert.deepStrictEqual(pay.tags, ["smoke", "checkout"])
    assert.deepStrictEqual(pay.device, { name: "Pixel 7", platform: "android", osVersion: "14" })
  })

  const recordings: ReadonlyArray<
    readonly [name: string, kind: string, after: number, lasts: number | undefined, ofFailure: boolean]
  > = [
    ["step-005-tapOnElement.png", "screenshot", 1910, undefined, true],
    ["step-011-assertCondition.png", "screenshot", 8500, undefined, true],
    ["takeScreenshot/basket.png", "screenshot", 2700, undefined, false],
    ["startRecording/paying.mp4", "video", 2850, 6050, false],
    ["screen-recording.mp4", "video", 5, undefined, false],
    ["logs/maestro.log", "log", 20, undefined, false],
    ["logs/device-logcat.txt", "log", 1500, undefined, false],
    ["logs/crash-report.txt", "log", 9000, undefined, true],
    ["logs/anr-report.txt", "log", 9000, undefined, true]
  ]
  it.for(recordings)("has %s as a %s on the clock of the run", async ([name, kind, after, lasts, ofFailure]) => {
    const { attempt } = await payRead()
    const found: Partial<RecordedFile> = attempt.recordings.find((one) => one.name === name) ?? {}
    assert.deepStrictEqual(
      [found.kind, (found.startedAt ?? 0) - start, found.durationMs, found.ofFailure],
      [kind, after, lasts, ofFailure]
    )
  })

  it("sends neither hierarchies nor commands", async () => {
    const { attempt } = await payRead()
    assert.lengthOf(attempt.recordings, recordings.length)
  })

  it("takes a flow that ran again on its device, as a second report says, as another attempt of one run", async () => {
    const weigh = (await readMaestro(out)).run("Weigh")
    assert.deepStrictEqual(
      weigh.attempts.map(({ failureMessage, startedAt, status }) => [status, startedAt, failureMessage]),
      [
        ["failed", start + 20_000, 'Assertion is false: "Fish" is visible'],
        ["passed", start + 30_000, undefined]
      ]
    )
    assert.strictEqual(weigh.file, "flows/weigh.yaml")
  })

  it("shows a status that it doesn't know as it is, and says that the flow was interrupted", async () => {
    const attempt = lastAttempt((await readMaestro(out)).run("Never ran"))
    assert.deepStrictEqual([attempt.status, attempt.failureMessage], ["CANCELED", "Interrupted: Maestro says CANCELED"])
  })

  it("hides the variables and what was typed, but not what Maestro sets itself", async () => {
    const { mask } = await readMaestro(out)
    assert.strictEqual(mask.text("marked-secret-env marked-secret-typed emulator-5554"), "••• ••• emulator-5554")
  })
})

describe("folders without a report, and reports without folders", () => {
  it("has the result of a flow from the commands alone", async () => {
    const { run } = await readMaestro(join(out, "2026-11-18_110640"))
    assert.deepStrictEqual(
      ["Pay", "Weigh"].map((name) => run(name).attempts.map(({ durationMs, status }) => [status, durationMs])),
      [[["failed", 9000]], [["passed", 1500]]]
    )
    assert.strictEqual(
      lastAttempt(run("Pay")).failureMessage,
      'Assertion is false: "Paid" is visible after marked-secret-typed'
    )
  })

  it("has from the report alone what it states, and no time", async () => {
    const { runs } = await readMaestro(join(out, "report.xml"))
    assert.deepStrictEqual(
      runs.map((run) => [run.name, lastAttempt(run).status, lastAttempt(run).durationMs, lastAttempt(run).startedAt]),
      [
        ["Pay", "failed", 9100, undefined],
        ["Browse", "passed", 1500, undefined],
        ["Weigh", "passed", 1500, undefined],
        ["Never ran", "CANCELED", 0, undefined],
        ["Browse", "passed", 1500, undefined]
      ]
    )
  })

  it("says that a flow failed that never ended", async () => {
    const running = { command: { tapOnElement: {} }, metadata: { status: "RUNNING", timestamp: start } }
    const { runs } = await readMaestro(folderOf({ "Sail/commands.json": JSON.stringify([running]) }))
    const [attempt] = runs[0]!.attempts
    assert.strictEqual(attempt.status, "failed")
    assert.strictEqual(attempt.steps[0]?.status, "running")
    assert.match(attempt.failureMessage ?? "", /^Interrupted: .*"tapOnElement" began and never ended/)
  })
})

describe("flat files of Maestro before 2.7", () => {
  it("has one run for each shard", async () => {
    const { runs } = await readMaestro(flat)
    assert.deepStrictEqual(
      runs.map((run) => [run.name, lastAttempt(run).status]),
      [
        ["Old", "failed"],
        ["Old", "passed"]
      ]
    )
  })

  it("orders the commands by their numbers, or by their times where those are missing", async () => {
    const { runs } = await readMaestro(flat)
    assert.deepStrictEqual(
      runs.map((run) => lastAttempt(run).steps.map(({ name }) => name)),
      [
        ['tapOnElement "Maybe"', 'tapOnElement "Old"'],
        ["launchApp com.acme.shop", 'tapOnElement "Old"']
      ]
    )
  })

  it("shows an optional step that missed as warned, without a duration that is unknown", async () => {
    const [step] = lastAttempt((await readMaestro(flat)).runs[0]!).steps
    assert.deepStrictEqual([step?.status, step?.durationMs], ["warned", undefined])
  })

  it("gives the screenshot to its own shard, at the instant in its name", async () => {
    const { runs } = await readMaestro(flat)
    const shots = runs.map((run) => lastAttempt(run).recordings.filter(({ kind }) => kind === "screenshot"))
    assert.deepStrictEqual(
      shots.map((found) => found.map(({ ofFailure, startedAt }) => [startedAt, ofFailure])),
      [[[start + 3500, true]], []]
    )
  })

  it("reads the beginning of a log whatever the time zone of the machine", async () => {
    const log = lastAttempt((await readMaestro(flat)).runs[0]!).recordings.find(({ kind }) => kind === "log")
    assert.strictEqual(log?.startedAt, start - 100)
  })

  it("belong to the flow of their name in the report beside them, as Maestro 2.6 leaves both", async () => {
    const report = `<?xml version='1.0' encoding='UTF-8'?>
      <testsuites><testsuite name="Test Suite" device="iPhone 17 - iOS 26.5 - 089E029C-523A-4F81-8558-F0297DC8FF47" tests="2" failures="1" time="36.0">
        <testcase id="Lost" name="Lost" classname="Lost" file="flows/lost.yaml" time="23.0" status="ERROR"><failure>Assertion is false</failure></testcase>
        <testcase id="Old" name="Old" classname="Old" file="flows/old.yaml" time="13.0" status="SUCCESS">
          <properties><property name="team" value="mobile"/><property name="tags" value="smoke, probe"/></properties>
        </testcase>
      </testsuite></testsuites>`
    const commands = readFileSync(join(flat, "commands-shard-2-(Old).json"), "utf8").replaceAll(
      /"MAESTRO_DEVICE_UDID": "[^"]+"/g,
      '"MAESTRO_DEVICE_UDID": "089E029C-523A-4F81-8558-F0297DC8FF47"'
    )
    const { problems, runs } = await readMaestro(folderOf({ "report.xml": report, "commands-(Old).json": commands }))
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(
      runs.map((run) => {
        const { durationMs, failureMessage, startedAt, status, steps } = lastAttempt(run)
        return [run.name, run.file, run.tags, status, durationMs, failureMessage, startedAt, steps.length]
      }),
      [
        ["Lost", "flows/lost.yaml", [], "failed", 23_000, "Assertion is false", undefined, 0],
        ["Old", "flows/old.yaml", ["smoke", "probe"], "passed", 13_000, undefined, start, 2]
      ]
    )
    for (const { device } of runs) {
      assert.deepStrictEqual(device, { name: "iPhone 17", platform: "ios", osVersion: "26.5" })
    }
  })
})

// Results that are cut, broken or hostile: what is complete is imported, the rest is reported.

const brokenReport = readFileSync(join(maestroFixtures, "out", "report.xml"), "utf8")
const brokenCommands = readFileSync(join(maestroFixtures, "out", "2026-11-18_110640", "Pay", "commands.json"), "utf8")

const flow = (files: Readonly<Record<string, string>>) =>
  folderOf({
    "Pay/commands.json": brokenCommands,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`Pay/${path}`, text]))
  })

describe("broken results of Maestro", () => {
  it("imports the whole test cases of a report that was cut, and reports file, line and reason", async () => {
    const folder = folderOf({ "report.xml": brokenReport.slice(0, brokenReport.indexOf('name="Weigh"')) })
    const { problems, runs } = await readMaestro(folder)
    assert.deepStrictEqual(
      runs.map(({ name }) => name),
      ["Pay", "Browse", "report.xml"]
    )
    assert.deepStrictEqual(
      problems.map(({ file, line }) => [file, line]),
      [[join(folder, "report.xml"), 11]]
    )
    assert.match(problems[0]!.reason, /2 whole test cases before it were read/)
  })

  it("imports the whole commands of a file that was cut", async () => {
    const cut = brokenCommands.slice(0, brokenCommands.indexOf('"runFlowCommand"'))
    const { problems, runs } = await readMaestro(folderOf({ "Pay/commands.json": cut }))
    assert.deepStrictEqual(
      lastAttempt(runs[0]!).steps.map(({ name }) => name.split(" ")[0]),
      ["launchApp", "retry", "tapOnElement", "tapOnElement", "takeScreenshot", "startRecording"]
    )
    assert.strictEqual(problems[0]?.line, cut.split("\n").length)
    assert.match(problems[0]!.reason, /8 whole entries/)
  })

  it("survives a cut at any place", async () => {
    for (let end = 0; end < brokenReport.length; end += 61) {
      const { runs } = await readMaestro(folderOf({ "report.xml": brokenReport.slice(0, end) }))
      assert.isAtMost(runs.length, 6)
    }
    for (let end = 0; end < brokenCommands.length; end += 211) {
      const { runs } = await readMaestro(folderOf({ "Pay/commands.json": brokenCommands.slice(0, end) }))
      assert.isAtMost(runs.length, 1)
    }
  })

  it("survives values of any other kind", async () => {
    for (const value of [null, 0, "", [], {}, { a: [1] }, [null], [[]], true]) {
      for (const name of [
        "command",
        "metadata",
        "status",
        "timestamp",
        "duration",
        "depth",
        "error",
        "artifacts",
        "env"
      ]) {
        const text = JSON.stringify(JSON.parse(brokenCommands), (key, old: unknown) => (key === name ? value : old))
        const { runs } = await readMaestro(folderOf({ "Pay/commands.json": text }))
        assert.lengthOf(runs, 1)
      }
    }
  })

  it("reports a missing file that a manifest names, and continues", async () => {
    const manifest = { entries: [{ kind: "MAESTRO_LOG", relativePath: "logs/maestro.log" }] }
    const { problems, runs } = await readMaestro(flow({ "manifest.json": JSON.stringify(manifest) }))
    assert.lengthOf(runs, 1)
    assert.include(
      problems.map(({ reason }) => reason),
      'It names "logs/maestro.log", which doesn\'t exist.'
    )
  })

  it.for(["../secret.txt", "/etc/hostname", "logs/../../secret.txt", "a\u0000b"])(
    "doesn't follow a manifest to %j",
    async (relativePath) => {
      const folder = flow({ "manifest.json": JSON.stringify({ entries: [{ kind: "MAESTRO_LOG", relativePath }] }) })
      const { problems, runs } = await readMaestro(folder)
      assert.deepStrictEqual(
        lastAttempt(runs[0]!).recordings.filter(({ kind }) => kind === "log"),
        []
      )
      assert.include(problems.map(({ reason }) => reason).join(), "is outside of its folder")
    }
  )

  it("follows no link out of the folder", async () => {
    const secret = folderOf({ "secret.txt": "not for CI" })
    const folder = flow({ "logs/maestro.log": "11:06:40.000 begins\n" })
    symlinkSync(join(secret, "secret.txt"), join(folder, "Pay", "logs", "linked.txt"))
    const { problems, runs } = await readMaestro(folder)
    assert.deepStrictEqual(
      lastAttempt(runs[0]!).recordings.flatMap(({ kind, name }) => (kind === "log" ? [name] : [])),
      ["logs/maestro.log"]
    )
    assert.include(problems.map(({ reason }) => reason).join(), "It is a link out of the folder")
  })

  it("shows unknown commands and statuses as they are", async () => {
    const entry = { command: { foldSailCommand: { of: 1 } }, metadata: { status: "PONDERED", timestamp: 5 } }
    const { runs } = await readMaestro(folderOf({ "Sail/commands.json": JSON.stringify([entry]) }))
    const [step] = lastAttempt(runs[0]!).steps
    assert.deepStrictEqual([step?.name, step?.status], ["foldSail", "PONDERED"])
  })

  it("takes colours and control characters out of messages and names", async () => {
    const error = { message: "\u001b[31mred\u001b[0m\u0000 and\nnext" }
    const element = { selector: { textRegex: "a\u0007b\nc" } }
    const entry = {
      command: { tapOnElement: element },
      metadata: { status: "FAILED", timestamp: 5.5, duration: 1.7, error }
    }
    const { runs } = await readMaestro(folderOf({ "Sail/commands.json": JSON.stringify([entry]) }))
    const attempt = lastAttempt(runs[0]!)
    assert.strictEqual(attempt.failureMessage, "red  and\nnext")
    assert.strictEqual(attempt.steps[0]?.durationMs, 2)
    assert.notMatch(attempt.steps[0]!.name, /\p{Cc}/u)
  })

  it("imports nothing of XML and JSON that are no results", async () => {
    const folder = folderOf({ "a.xml": "<project><testcase/></project>", "b.json": "{}", "c.txt": "no XML" })
    assert.deepStrictEqual((await readMaestro(folder)).runs, [])
  })
})

// The device of a run, from what Maestro 2.6 and 2.10 say of iOS and of Android.

it.for([
  [
    "iPhone 17 - iOS 26.5 - 089E029C-523A-4F81-8558-F0297DC8FF47",
    "089E029C-523A-4F81-8558-F0297DC8FF47",
    { name: "iPhone 17", platform: "ios", osVersion: "26.5" }
  ],
  ["Pixel 7 - Android 14 - emulator-5554", undefined, { name: "Pixel 7", platform: "android", osVersion: "14" }],
  // The name of an emulator is whatever its maker gave it; its number in the flow's variables identifies it as one.
  ["probe_api34", "emulator-5554", { name: "probe_api34", platform: "android" }],
  ["probe_api34", undefined, { name: "probe_api34" }],
  [undefined, "emulator-5554", { name: "emulator-5554", platform: "android" }],
  [undefined, undefined, undefined]
] as const)("%s with the id %s", ([described, id, expected]) => {
  assert.deepStrictEqual(deviceOf(described, id), expected)
})

// The commands that Maestro ran, as a flow has them.

describe("a command that Maestro ran", () => {
  it("is one of a flow", () => {
    const cases: ReadonlyArray<readonly [kind: string, fields: Readonly<Record<string, unknown>>, command: unknown]> = [
      ["tapOnElement", { selector: { textRegex: "Pay", optional: false } }, { tapOn: { text: "Pay" } }],
      [
        "tapOnElement",
        { selector: { idRegex: "a", index: "1" }, longPress: true },
        { longPressOn: { id: "a", index: "1" } }
      ],
      [
        "tapOnElement",
        {
          selector: { idRegex: "a", below: { textRegex: "b" } },
          relativePoint: "50%, 90%",
          repeat: { repeat: 2, delay: 100 }
        },
        { tapOn: { id: "a", below: { text: "b" }, point: "50%, 90%", repeat: 2, delay: 100 } }
      ],
      ["tapOnPointV2Command", { point: "50%,20%" }, { tapOn: { point: "50%,20%" } }],
      ["assertConditionCommand", { condition: { visible: { textRegex: "a" } } }, { assertVisible: { text: "a" } }],
      [
        "assertConditionCommand",
        { condition: { notVisible: { idRegex: "a" } }, timeout: String(500) },
        { extendedWaitUntil: { notVisible: { id: "a" }, timeout: String(500) } }
      ],
      ["assertConditionCommand", { condition: { scriptCondition: "${a}" } }, { assertTrue: "${a}" }],
      ["inputTextCommand", { text: "a" }, { inputText: "a" }],
      ["eraseTextCommand", { charactersToErase: 3 }, { eraseText: 3 }],
      ["pressKeyCommand", { code: "ENTER" }, { pressKey: "enter" }],
      [
        "swipeCommand",
        { startRelative: "10%,20%", endRelative: "90%,20%", duration: 400 },
        { swipe: { start: "10%,20%", end: "90%,20%", duration: 400 } }
      ],
      [
        "swipeCommand",
        { direction: "UP", elementSelector: { idRegex: "a" } },
        { swipe: { direction: "UP", from: { id: "a" } } }
      ],
      [
        "scrollUntilVisible",
        { selector: { textRegex: "a" }, direction: "DOWN", visibilityPercentage: 100 },
        { scrollUntilVisible: { element: { text: "a" }, direction: "DOWN", visibilityPercentage: 100 } }
      ],
      ["backPressCommand", {}, "back"],
      ["launchAppCommand", { appId: "a" }, "launchApp"],
      ["launchAppCommand", { appId: "a", stopApp: false }, { launchApp: { stopApp: false } }],
      ["copyTextCommand", { selector: { idRegex: "a" } }, { copyTextFrom: { id: "a" } }],
      ["openLinkCommand", { link: "app://a" }, { openLink: "app://a" }],
      ["setOrientationCommand", { orientation: "PORTRAIT" }, { setOrientation: "PORTRAIT" }],
      ["runFlowCommand", { commands: [] }, undefined],
      ["tapOnElement", { selector: { textRegex: "a" }, optional: true }, { tapOn: { text: "a", optional: true } }]
    ]
    for (const [kind, fields, command] of cases) {
      assert.deepStrictEqual(flowCommand(kind, { optional: false, ...fields }, {}), command)
    }
    assert.deepStrictEqual(optional({ inputText: "a" }), { inputText: { text: "a", optional: true } })
  })

  it("has the values of its variables, but not of those that it types", () => {
    assert.deepStrictEqual(
      flowCommand("tapOnElement", { selector: { textRegex: "${A}" } }, { selector: { textRegex: "Pay" } }),
      { tapOn: { text: "Pay" } }
    )
    assert.deepStrictEqual(flowCommand("inputTextCommand", { text: "${PASSWORD}" }, { text: "hunter2" }), {
      inputText: "${PASSWORD}"
    })
  })

  it("is in the events of its run, without secrets; what failed and was recovered is optional", async () => {
    const { run } = await readMaestro(join(maestroFixtures, "out"))
    const { steps } = stepsOfRun(run("Pay"))
    const mask = makeMask()
    mask.hide("Paid")
    const events = eventLines(steps, 0, mask)
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line).command)
    assert.deepStrictEqual(events, [
      "launchApp",
      undefined,
      { tapOn: { text: "Basket", optional: true } },
      { tapOn: { text: "Basket" } },
      "takeScreenshot",
      "startRecording",
      undefined,
      { inputText: "${PASSWORD}" },
      { assertVisible: { text: "•••" } },
      "stopRecording"
    ])
  })
})
