/** The script in an app's frame that performs the commands of flows, and records. The bridge loads it when a page asks. */
import { noteEvent } from "../../../phone/runtime/notes.ts"
import type { Clock } from "../../../phone/flows/gestures.ts"
import { makePerformer } from "../../../phone/flows/perform.ts"
import { makeRecorder, selectorOf } from "../../../phone/flows/record.ts"
import { requestEvent, type FlowMessage, type FlowRequest } from "./flowMessages.ts"

const clock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
}

const answer = (detail: FlowMessage): void => {
  document.dispatchEvent(new CustomEvent(noteEvent, { detail }))
}

const recorder = makeRecorder(
  (recorded) => answer({ kind: "recorded", ...recorded }),
  (element, point) => answer({ kind: "picked", selector: selectorOf(element, point) })
)

document.addEventListener(requestEvent, (event) => {
  if (!(event instanceof CustomEvent)) return
  const request: FlowRequest = event.detail
  if (request.kind === "listen") {
    recorder.listen(request)
    return
  }
  const { command, id, timeouts } = request
  makePerformer(
    clock,
    timeouts
  )(command)
    .catch((error: unknown) => ({ status: "failed", reason: String(error) }) as const)
    .then((result) => answer({ kind: "performed", id, result }))
})
