/** The commands that Maestro ran, as a flow has them. */
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { eventLines, stepsOfRun } from "../toSend.ts"
import { maestroFixtures, readMaestro } from "../testing/reading.ts"
import { makeMask } from "../mask.ts"
import { flowCommand, optional } from "./readFlow.ts"

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
