/** Flows: their YAML, and the order in which their commands run. */
import { assert, describe, it } from "vitest"
import { type FlowCommand, printFlow } from "./flow.ts"
import { parseFlow } from "./parseFlow.ts"
import { runFlow, type StepResult } from "./runFlow.ts"

/** Runs a flow; commands that name one of `missing` fail, and what is done is noted. */
const ran = async (yaml: string, missing: ReadonlyArray<string> = [], stopAfter = Infinity) => {
  const steps: Array<string> = []
  let count = 0
  const perform = ({ name, value }: FlowCommand): Promise<StepResult> => {
    count += 1
    if (name === "travel") return Promise.resolve({ status: "skipped", reason: "travel is not supported" })
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
    isStopped: () => count >= stopAfter
  })
  return { verdict, steps }
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
    assert.deepStrictEqual(await ran(flow), {
      verdict: "passed",
      steps: ["launchApp: passed", "tapOn “Gate”: passed", "assertVisible “3”: passed", "back: passed"]
    })
    assert.deepStrictEqual(await ran(flow, ["3"]), {
      verdict: "failed",
      steps: ["launchApp: passed", "tapOn “Gate”: passed", "assertVisible “3”: failed, not found"]
    })
  })

  it("with a step that was skipped is incomplete, and never passed", async () => {
    const { steps, verdict } = await ran("- travel\n- back")
    assert.strictEqual(verdict, "incomplete")
    assert.deepStrictEqual(steps, ["travel: skipped, travel is not supported", "back: passed"])
    assert.strictEqual((await ran("- travel\n- tapOn: x", ["x"])).verdict, "failed")
  })

  it("that is stopped is incomplete", async () => {
    assert.strictEqual((await ran("- back\n- back\n- back", [], 2)).verdict, "incomplete")
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
    assert.strictEqual((await on("{true: '${output.x}'}")).verdict, "incomplete")
    assert.strictEqual((await ran("- runFlow: login.yaml")).verdict, "incomplete")
    assert.strictEqual(
      (await ran("- repeat: {while: {visible: hidden}, commands: [back]}", ["hidden"])).verdict,
      "passed"
    )
  })
})
