/** Runs in the document of an app: everything that a page of one's own needs to show it. */
import { mountPhone } from "../mountPhone.ts"
import { noteEvent } from "../runtime/notes.ts"

const root = document.querySelector<HTMLElement>("#root")
if (root !== null) {
  const notes: Array<unknown> = []
  root.addEventListener(noteEvent, (event) => event instanceof CustomEvent && notes.push(event.detail))
  Object.assign(globalThis, { notes })
  mountPhone(root, "index.js", ["./"]).catch((error: unknown) => reportError(error))
}
