/** The script in an app's frame that performs the commands of flows, and records. The bridge loads it when a page asks. */
import { performMirrored } from "../../phone/flows/mirror.ts"
import { type Clock, makePerformer } from "../../phone/flows/perform.ts"
import { makeRecorder } from "../../phone/flows/record.ts"
import type { StepResult } from "../../phone/flows/runFlow.ts"
import { noteEvent } from "../../phone/runtime/notes.ts"
import { type FlowMessage, type FlowRequest, requestEvent } from "./message.ts"

const clock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
}

const answer = (detail: FlowMessage): void => {
  document.dispatchEvent(new CustomEvent(noteEvent, { detail }))
}

const recorder = makeRecorder((recorded) => answer({ kind: "recorded", ...recorded }))

/** The last command that was asked for, and its result once it has one. */
let last: { readonly id: number; result?: StepResult } | undefined

const perform = async ({
  command,
  id,
  isMirrored = false,
  timeouts
}: Extract<FlowRequest, { readonly kind: "perform" }>): Promise<void> => {
  const now: typeof last = { id }
  last = now
  recorder.performing()
  const mirrored = isMirrored ? performMirrored(command, timeouts, clock) : undefined
  now.result = await (mirrored ?? makePerformer(clock, timeouts, isMirrored)(command)).catch(
    (error: unknown) => ({ status: "failed", reason: String(error) }) as const
  )
  answer({ kind: "performed", id, result: now.result })
}

document.addEventListener(requestEvent("flows"), (event) => {
  if (!(event instanceof CustomEvent)) return
  const request: FlowRequest = event.detail
  if (request.kind === "listen") recorder.listen(request)
  else if (last?.id !== request.id) void perform(request)
  else if (last.result !== undefined) answer({ kind: "performed", id: last.id, result: last.result })
})
