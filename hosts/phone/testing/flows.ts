import type { Frame } from "playwright-core"
import type { FlowCommand, Listening, Recorded } from "../flows/FlowCommand.ts"
import { parseFlow } from "../flows/parseFlow.ts"
import { printFlow } from "../flows/printFlow.ts"
import { runFlow, type StepResult } from "../flows/runFlow.ts"

/** What `inFrame.ts` puts into an app's document for flows. */
interface InFrame {
  readonly perform: (command: FlowCommand) => Promise<StepResult>
  readonly recorded: ReadonlyArray<Recorded>
  readonly listen: (to: Listening) => void
}

/** Plays a flow; answers its verdict and the steps that didn't pass. */
export const play = async (frame: Frame, yaml: string) => {
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
    isStopped: () => false
  })
  return { verdict, others }
}

export const listen = (frame: Frame, isRecording: boolean, isPicking = false): Promise<void> =>
  frame.evaluate(
    (to) => {
      const flow: InFrame = Reflect.get(globalThis, "flow")
      flow.listen(to)
    },
    { isRecording, isPicking }
  )

/** The flow that was recorded. */
export const recordedFlow = async (frame: Frame): Promise<string> => {
  const commands = await frame.evaluate(() => {
    const flow: InFrame = Reflect.get(globalThis, "flow")
    return flow.recorded.at(-1)?.commands ?? []
  })
  return printFlow(commands)
}
