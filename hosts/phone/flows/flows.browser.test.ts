/** Flows in a real app: played as Maestro plays them, and recorded of what a person does. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Frame } from "playwright-core"
import { boxOf, openApp } from "../testing/App.ts"
import { Chromium } from "../testing/chromium.ts"
import { type FlowCommand, type RecordingMode, printFlow, type Recorded } from "./flow.ts"
import { parseFlow } from "./parseFlow.ts"
import { runFlow, type StepResult } from "./runFlow.ts"

/** What `inFrame.ts` puts into an app's document for flows. */
interface InFrame {
  readonly perform: (command: FlowCommand) => Promise<StepResult>
  readonly recorded: ReadonlyArray<Recorded>
  readonly listen: (to: RecordingMode) => void
}

/** Plays a flow; returns its verdict and the steps that didn't pass. */
const play = async (frame: Frame, yaml: string) => {
  const others: Array<string> = []
  const verdict = await runFlow(parseFlow(yaml), {
    perform: (command) =>
      frame.evaluate((one) => {
        const flow: InFrame = Reflect.get(globalThis, "flow")
        return flow.perform(one)
      }, command),
    began:
      ({ name }) =>
      ({ reason, status }) => {
        if (status !== "passed") others.push(`${name}: ${status}, ${reason}`)
      },
    isStopped: () => false,
    platform: "ios",
    read: () => Promise.resolve(undefined),
    parse: parseFlow
  })
  return { verdict, others }
}

const listen = (frame: Frame, isRecording: boolean, isPicking = false): Promise<void> =>
  frame.evaluate(
    (to) => {
      const flow: InFrame = Reflect.get(globalThis, "flow")
      flow.listen(to)
    },
    { isRecording, isPicking }
  )

/** The flow that was recorded. */
const recordedFlow = async (frame: Frame): Promise<string> => {
  const commands = await frame.evaluate(() => {
    const flow: InFrame = Reflect.get(globalThis, "flow")
    return flow.recorded.at(-1)?.commands ?? []
  })
  return printFlow(commands)
}

layer(Chromium.layer)("a flow", (it) => {
  it.effect("acts on a phone's app by id, text and point", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("screens-0.86")
      yield* Effect.promise(async () => {
        await app.at("screen-tasks").waitFor()
        const { others, verdict } = await play(
          app.frame,
          `
- tapOn: sign-in
- tapOn: {id: mail}
- inputText: ada@harbour.example
- tapOn: {id: password}
- inputText: "12345678"
- hideKeyboard
- tapOn: {id: send}
- assertVisible: Welcome, ada@.*
- tapOn: ‹ All
- tapOn: {id: screen-tasks}
- tapOn: {id: new}
- inputText: Painted
- eraseText: 2
- pressKey: Enter
- extendedWaitUntil: {visible: {id: title-2, text: Paint}}
- hideKeyboard
- assertVisible: 1 left
- assertNotVisible: Painted
- tapOn: {id: back}
- tapOn: feed
- assertVisible: {id: like-0}
- scrollUntilVisible: {element: {id: like-4}}
- assertNotVisible: {id: like-0}
- swipe: {direction: DOWN}
- swipe: {start: "50%,30%", end: "50%,80%"}
- scrollUntilVisible: {element: {id: like-0}, direction: UP}
- tapOn: {id: back}
- tapOn: {id: screen-calculator}
- tapOn: {id: key-7}
- doubleTapOn: {id: key-8}
- assertVisible: {id: display, text: "788"}
- tapOn: {id: back}
- tapOn: {point: "50%,95%", optional: true}
- assertVisible: {text: feed, below: chat, above: shop}
- tapOn: {id: screen-.*, index: -1}
- assertVisible: 14 °C
- tapOn: {id: back}
- assertVisible: {containsDescendants: [{text: shop}, {text: chat}], enabled: true}
- copyTextFrom: {id: screen-feed}
- assertTrue: \${/feed/i.test(maestro.copiedText) && typeof window === "undefined"}
`
        )
        assert.deepStrictEqual(others, [])
        assert.strictEqual(verdict, "passed")
      })
    })
  )

  it.effect("fails where the app differs, and skips what it can't do", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("screens-0.86")
      yield* Effect.promise(async () => {
        await app.at("screen-tasks").waitFor()
        const failing = async (step: string) => (await play(app.frame, `- ${step}`)).others.join()
        assert.match(await failing("tapOn: nowhere"), /failed, Element not found: “nowhere”/)
        assert.match(await failing("tapOn: {id: screen}"), /failed, Element not found: id screen/)
        assert.match(await failing("assertNotVisible: feed"), /failed, “feed” is visible/)
        assert.match(await failing("inputText: a"), /failed, No field has the keyboard/)
        assert.match(await failing("tapOn: {css: a}"), /skipped, the selector css is not supported/)
        assert.match(
          await failing("setLocation: {latitude: 1, longitude: 2}"),
          /skipped, setLocation is not supported: an app/
        )
        assert.match(await failing("back"), /failed, There is no button that leads back/)
      })
    })
  )

  it.effect("is recorded of taps, typing, scrolling and picked elements, and plays again", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("screens-0.86")
      yield* Effect.promise(async () => {
        const { at, frame, page, tap } = app
        await at("screen-tasks").waitFor()
        await listen(frame, true)
        await tap("screen-sign-in")
        await tap("mail")
        await page.keyboard.type("ada@example.com")
        await page.keyboard.press("Backspace")
        await tap("password")
        await page.keyboard.type("12345678")
        await tap("send")
        await listen(frame, true, true)
        await at("said").click()
        await frame.getByText("‹ All").click()
        await tap("screen-feed")
        await at("feed").hover()
        await page.mouse.wheel(0, 330)
        await at("like-1").click()
        await tap("back")
        await listen(frame, false)
        await tap("screen-shop")
        await tap("back")
        const flow = await recordedFlow(frame)
        assert.strictEqual(
          flow,
          `appId: "\${APP_ID}"
---
- tapOn:
    id: screen-sign-in
- tapOn:
    id: mail
- inputText: "ada@example.co"
- tapOn:
    id: password
- inputText: "\${PASSWORD}"
- tapOn:
    id: send
- assertVisible:
    id: said
    text: "Welcome, ada@example\\\\.co"
- tapOn:
    id: back
- tapOn:
    id: screen-feed
- scroll
- tapOn:
    id: like-1
- tapOn:
    id: back
`
        )
        assert.deepStrictEqual(await play(frame, flow.replace("---", "env: {PASSWORD: '12345678'}\n---")), {
          verdict: "passed",
          others: []
        })
      })
    })
  )

  it.effect("has no recorded step that is skipped when it is played, whatever a person types, presses or picks", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("screens-0.86")
      yield* Effect.promise(async () => {
        const { at, frame, page, tap } = app
        await at("screen-tasks").waitFor()
        await listen(frame, true)
        await tap("screen-tasks")
        for (const text of ["${PRICE} of ${}", "\\d+ (a|b) ${PRICE} 😀", "\\d+ (a|b) ${PRICE} 😁"]) {
          await tap("new")
          await at("new").evaluate((input: HTMLInputElement) => input.select())
          await page.keyboard.insertText(text)
        }
        await page.keyboard.press("Enter")
        await at("title-2").waitFor()
        // Nothing can be asserted of a place that has no name, so that the next press is awaited.
        await listen(frame, true, true)
        const box = await boxOf(page.locator("iframe"))
        const [middle, from, to] = [box.x + box.width / 2, box.y + 0.75 * box.height, box.y + 0.6 * box.height]
        await page.mouse.click(middle, from)
        await at("title-2").click()
        // A press there is one at its place.
        await page.mouse.click(middle, from)
        await page.mouse.move(middle, from)
        await page.mouse.down()
        await page.mouse.move(middle, to, { steps: 5 })
        await page.mouse.up()
        await tap("back")
        await listen(frame, false)
        const flow = await recordedFlow(frame)
        assert.include(flow, '- inputText: "\\\\${PRICE} of \\\\${}"')
        assert.match(flow, /- eraseText: 1\n- inputText: "😁"\n/)
        assert.lengthOf(flow.match(/assertVisible/g) ?? [], 1)
        assert.match(flow, /- tapOn:\n {4}point: "50%,75%"\n/)
        assert.deepStrictEqual(await play(frame, flow), { verdict: "passed", others: [] })
      })
    })
  )
})
