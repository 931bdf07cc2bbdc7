/** Flows: their YAML, and the order in which their commands run. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { commandRows, maestroCommands } from "./commands.ts"
import { evaluate, type Evaluation } from "./evaluate.ts"
import { type FlowCommand, printFlow } from "./flow.ts"
import { parseFlow } from "./parseFlow.ts"
import { runFlow, type StepResult } from "./runFlow.ts"

/** Runs a flow; commands that name one of `missing` fail, and what is done is noted. */
const ran = async (
  yaml: string,
  missing: ReadonlyArray<string> = [],
  { files = {}, stopAfter = Infinity }: { files?: Readonly<Record<string, string>>; stopAfter?: number } = {}
) => {
  const steps: Array<string> = []
  const typed: Array<unknown> = []
  let count = 0
  const perform = ({ name, value }: FlowCommand): Promise<StepResult> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `runFlow` asks for
    if (name === "evaluate") return Promise.resolve(evaluate(value as Evaluation))
    count += 1
    if (name === "inputText") typed.push(value)
    if (name === "copyTextFrom") return Promise.resolve({ status: "passed", value: "a copied text" })
    const text = JSON.stringify(value) ?? ""
    const isMissing = missing.some((one) => text.includes(one))
    return Promise.resolve(isMissing ? { status: "failed", reason: "not found" } : { status: "passed" })
  }
  const verdict = await runFlow(parseFlow(yaml), {
    perform,
    began:
      ({ depth, name }) =>
      ({ reason, status }) =>
        steps.push(`${"- ".repeat(depth)}${name}: ${status}${reason === undefined ? "" : `, ${reason}`}`),
    isStopped: () => count >= stopAfter,
    platform: "ios",
    read: (path, from) => {
      const at = new URL(path, `file:///${from}`).pathname.slice(1)
      const text = files[at]
      return Promise.resolve(text === undefined ? undefined : { path: at, text })
    },
    parse: parseFlow
  })
  return { verdict, steps, typed }
}

describe("the YAML of a flow", () => {
  it("is read as it is printed, whatever the texts are", () => {
    const texts = [
      "Pay",
      "yes",
      "12",
      "a: b",
      "- x",
      "“é” 🛥",
      "\u2028\u0085\u007f",
      "#1",
      "~",
      "{a}",
      "line\nline",
      " a ",
      "",
      "0x1f",
      "a #b",
      "!t",
      "&a",
      "*a",
      "%",
      "@",
      "`",
      "null",
      "1.5",
      "y"
    ]
    const commands: ReadonlyArray<FlowCommand> = [
      { name: "launchApp", value: undefined },
      ...texts.flatMap((text): ReadonlyArray<FlowCommand> => [
        { name: "inputText", value: text },
        { name: "tapOn", value: { id: text, index: 2 } }
      ]),
      { name: "repeat", value: { times: 2, commands: ["back", { tapOn: { text: "Next", below: { id: "top" } } }] } }
    ]
    assert.deepStrictEqual(parseFlow(printFlow(commands)).commands, commands)
  })

  it("is printed as Maestro documents it", () => {
    const printed = printFlow([
      { name: "launchApp", value: undefined },
      { name: "tapOn", value: "Sign in" },
      { name: "tapOn", value: { id: "pay-now", index: 1 } },
      { name: "tapOn", value: { point: "50%,20%" } },
      { name: "inputText", value: "12" }
    ])
    assert.strictEqual(
      printed,
      `appId: "\${APP_ID}"
---
- launchApp
- tapOn: Sign in
- tapOn:
    id: pay-now
    index: 1
- tapOn:
    point: "50%,20%"
- inputText: "12"
`
    )
  })

  it("that is none is refused with the reason", () => {
    for (const [text, why] of [
      ["", /no list of commands/],
      ["appId: a", /no list of commands/],
      ["a: [", /flow|sequence|\]/i],
      ["- {tapOn: a, back: b}", /Command 1 isn’t one command/],
      ["[]", /no commands/]
    ] as const) {
      assert.throws(() => parseFlow(text), why)
    }
  })
})

describe("a flow", () => {
  it("passes if every step did, and ends at the first that fails", async () => {
    const flow = "- launchApp\n- tapOn: Gate\n- assertVisible: '3'\n- back"
    assert.deepInclude(await ran(flow), {
      verdict: "passed",
      steps: ["launchApp: passed", "tapOn “Gate”: passed", "assertVisible “3”: passed", "back: passed"]
    })
    assert.deepInclude(await ran(flow, ["3"]), {
      verdict: "failed",
      steps: ["launchApp: passed", "tapOn “Gate”: passed", "assertVisible “3”: failed, not found"]
    })
  })

  it("with a step that was skipped is incomplete, and never passed", async () => {
    const { steps, verdict } = await ran("- travel\n- back")
    assert.strictEqual(verdict, "incomplete")
    assert.deepStrictEqual(steps, [
      "travel: skipped, travel is not supported: an app in a replay has no position",
      "back: passed"
    ])
    assert.strictEqual((await ran("- travel\n- tapOn: x", ["x"])).verdict, "failed")
  })

  it("that is stopped is incomplete", async () => {
    assert.strictEqual((await ran("- back\n- back\n- back", [], { stopAfter: 2 })).verdict, "incomplete")
  })

  it("continues after an optional step that fails", async () => {
    const { steps, verdict } = await ran("- tapOn: {text: x, optional: true}\n- back", ["x"])
    assert.strictEqual(verdict, "passed")
    assert.deepStrictEqual(steps, ["tapOn “x”: warned, not found", "back: passed"])
  })

  it("fills in the variables of its header, and skips a step whose variables or secrets are unknown", async () => {
    const { steps, verdict } = await ran(
      "appId: a\nenv: {NAME: Ada}\n---\n- assertVisible: '${NAME}'\n- inputText: '${PASSWORD}'\n- inputText: a•••\n- inputText: '\\${NAME}'",
      ["Ada"]
    )
    assert.strictEqual(verdict, "failed")
    assert.lengthOf(steps, 1)
    const rest = await ran("- inputText: '${PASSWORD}'\n- inputText: a•••\n- inputText: '\\${NAME}'")
    assert.strictEqual(rest.verdict, "incomplete")
    assert.match(rest.steps[0] ?? "", /skipped, \$\{PASSWORD\} has no value: add it to env/)
    assert.match(rest.steps[1] ?? "", /skipped, a secret in it is hidden/)
    assert.match(rest.steps[2] ?? "", /: passed$/)
  })

  it("repeats, retries, and runs commands on conditions", async () => {
    assert.deepStrictEqual((await ran("- repeat: {times: 2, commands: [back]}")).steps, [
      "- back: passed",
      "- back: passed",
      "repeat 2: passed"
    ])
    assert.strictEqual((await ran("- retry: {maxRetries: 1, commands: [{tapOn: x}]}", ["x"])).verdict, "failed")
    const on = (when: string) => ran(`- runFlow: {when: ${when}, commands: [back]}`, ["hidden"])
    assert.lengthOf((await on("{visible: there}")).steps, 2)
    assert.lengthOf((await on("{visible: hidden}")).steps, 1)
    assert.lengthOf((await on("{platform: Android}")).steps, 1)
    assert.lengthOf((await on("{platform: iOS}")).steps, 2)
    assert.strictEqual((await ran("- runFlow: login.yaml")).verdict, "incomplete")
    assert.strictEqual(
      (await ran("- repeat: {while: {visible: hidden}, commands: [back]}", ["hidden"])).verdict,
      "passed"
    )
  })

  it("evaluates expressions and scripts, which share `output`", async () => {
    for (const [steps, expected] of [
      ["- evalScript: ${output.n = 1}\n- inputText: ${output.n + 1} of ${'{}'.length}", ["2 of 2"]],
      ["- runScript: a.js\n- inputText: ${output.name}", ["Ada"]],
      ["- runScript: {file: a.js, when: {true: '${ false }'}}\n- inputText: ${output.name || 'none'}", ["none"]],
      ["- runScript: {file: env.js, env: {X: '${1 + 1}'}}\n- inputText: ${output.x}${typeof X}", ["2undefined"]],
      ["- copyTextFrom: {id: a}\n- inputText: ${maestro.copiedText.length}\n- pasteText", ["13", "a copied text"]],
      ["- setClipboard: ${1 + 1}\n- pasteText", ["2"]],
      [
        "- repeat: {while: {true: '${(output.i ?? 0) < 2}'}, commands: [evalScript: '${output.i = (output.i ?? 0) + 1}']}\n- inputText: ${output.i}",
        ["2"]
      ],
      ["- repeat: {times: '${1 + 1}', commands: [inputText: a]}", ["a", "a"]],
      [
        "- inputText: ${typeof document}${json('[1]')[0]}${relativePoint(0.5, 0.2)}${maestro.platform}",
        ["undefined150%,20%ios"]
      ],
      ["- runFlow: {when: {true: '${output.none}'}, commands: [back]}\n- inputText: \\${NAME}", ["${NAME}"]]
    ] as const) {
      const { typed, verdict } = await ran(steps, [], {
        files: { "a.js": "const name = 'Ada'\noutput.name = name", "env.js": "output.x = X" }
      })
      assert.deepStrictEqual(
        { steps, typed: typed.map(String), verdict },
        { steps, typed: [...expected], verdict: "passed" }
      )
    }
    for (const [step, why] of [
      ["assertTrue: ${1 === 2}", /^assertTrue .*: failed, Assertion is false: false/],
      ["evalScript: ${nothing.at}", /: failed, TypeError/],
      ["evalScript: ${http.get('https://example.com').body}", /: skipped, http.get is not supported: .*no network/],
      [
        "evalScript: ${(() => { try { faker.name().firstName() } catch {} })()}",
        /: skipped, faker.name is not supported/
      ],
      ["pasteText", /: failed, Nothing was copied/],
      ["launchApp: com.apple.Preferences", /: skipped, com.apple.Preferences is another app/],
      ["launch", /: skipped, launch is not a command of Maestro/]
    ] as const) {
      assert.match((await ran(`appId: a\n---\n- ${step}`)).steps.join(), why)
    }
  })

  it("runs the files that it names, relative to its own, and the hooks of each", async () => {
    const header = (hook: string) => `appId: a\nenv: {WHO: "\${WHO || 'nobody'}"}\n${hook}---\n`
    const { steps, typed, verdict } = await ran(
      "appId: a\nonFlowStart: [{inputText: before}]\nonFlowComplete: [{inputText: after}]\n---\n" +
        "- runFlow: {file: sub/login.yaml, env: {WHO: Ada}}\n- runFlow: sub/login.yaml\n- tapOn: x",
      ["x"],
      {
        files: {
          "sub/login.yaml": `${header("")}- runFlow: ../type.yaml\n- retry: {file: ../type.yaml, maxRetries: 1}`,
          "type.yaml": `${header("onFlowStart: [{inputText: '>'}]\n")}- inputText: \${WHO}`
        }
      }
    )
    assert.deepStrictEqual(typed, ["before", ">", "Ada", ">", "Ada", ">", "nobody", ">", "nobody", "after"])
    assert.strictEqual(verdict, "failed")
    assert.include(steps, "- runFlow ../type.yaml: passed")
  })

  it("types invented texts", async () => {
    const { typed } = await ran(
      ["Text: {length: 5}", "Number: {length: 3}", "Email", "PersonName", "CityName", "CountryName", "ColorName"]
        .map((one) => `- inputRandom${one}`)
        .join("\n")
    )
    for (const [index, form] of [
      /^.{5}$/,
      /^[1-9]\d\d$/,
      /^\S+@example\.com$/,
      /^\w+ \w+$/,
      /^\w+$/,
      /^\w+$/,
      /^\w+$/
    ].entries())
      assert.match(String(typed[index]), form)
  })
})

/** The commands that Maestro documents, and those that its parser also reads, on 2026-11-29. */
const documented = (
  "addMedia assertDarkMode assertLightMode assertNoDefectsWithAI assertNotVisible assertScreenshot assertTrue assertVisible " +
  "assertWithAI back clearKeychain clearState copyTextFrom doubleTapOn eraseText evalScript extendedWaitUntil " +
  "extractTextWithAI hideKeyboard inputText killApp launchApp longPressOn openLink pasteText pressKey repeat retry runFlow " +
  "runScript scroll scrollUntilVisible setAirplaneMode setClipboard setDarkMode setLocation setOrientation setPermissions " +
  "startRecording stopApp stopRecording swipe takeScreenshot tapOn toggleAirplaneMode toggleDarkMode travel " +
  "waitForAnimationToEnd action openBrowser inputRandomText inputRandomNumber inputRandomEmail inputRandomPersonName " +
  "inputRandomCityName inputRandomCountryName inputRandomColorName"
).split(" ")

describe("the table of commands", () => {
  it("has each command of Maestro, and no other", () => {
    assert.deepStrictEqual(Object.keys(maestroCommands).toSorted(), documented.toSorted())
  })

  it("is that of the documentation", () => {
    const page = readFileSync(new URL("../../../docs/replay-flows.md", import.meta.url), "utf8")
    const [, shown] = /<!-- commands -->\n([\s\S]*?)\n<!-- \/commands -->/.exec(page) ?? []
    const table = ["| commands | runs | limits |", "| --- | --- | --- |", ...commandRows()].join("\n")
    assert.strictEqual(shown, table, "write this table into docs/replay-flows.md")
  })
})
