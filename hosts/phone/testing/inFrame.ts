/** Runs in the document of an app: everything that a page of one's own needs to show it, to play flows and to record them. */
import type { Recorded } from "../flows/flow.ts"
import { makePerformer } from "../flows/perform.ts"
import { makeRecorder } from "../flows/record.ts"
import { mountPhone } from "../mountPhone.ts"
import { loadSkia } from "../packs/registry.ts"
import { loadLottie, loadSqlite } from "../runtime/optionalScripts.ts"
import { noteEvent } from "../runtime/notes.ts"

const root = document.querySelector<HTMLElement>("#root")
if (root !== null) {
  const notes: Array<unknown> = []
  const recorded: Array<Recorded> = []
  root.addEventListener(noteEvent, (event) => event instanceof CustomEvent && notes.push(event.detail))
  const recorder = makeRecorder((one) => recorded.push(one))
  const clock = {
    now: () => Date.now(),
    wait: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
  }
  const perform = makePerformer(clock, { lookup: 2000, optional: 500 })
  Object.assign(globalThis, { notes, flow: { perform, recorded, listen: recorder.listen } })
  mountPhone(root, "index.js", ["./"], {
    loadSqlite: () => loadSqlite("./?sqlite"),
    loadLottie: () => loadLottie("./?lottie"),
    loadSkia: () => loadSkia("./?skia")
  }).catch((error: unknown) => reportError(error))
}
