/**
 * The script of the replay in the full window. It removes an app that posts more messages than the page can handle, and shows
 * why. Everything else on the page works without it.
 */
import { part } from "../ui/dom.ts"
import { watchForStorm } from "./allowance.ts"

watchForStorm(() => {
  document.querySelector("iframe")?.remove()
  part(document, ".stopped", HTMLElement).hidden = false
})
