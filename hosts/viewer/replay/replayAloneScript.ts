/**
 * The replay in the full window: an app that posts more messages than the page can take is removed, and that is said. All
 * else on the page is there without this script.
 */
import { part } from "../ui/dom.ts"
import { watchForStorm } from "./messageStorm.ts"

watchForStorm(() => {
  document.querySelector("iframe")?.remove()
  part(document, ".stopped", HTMLElement).hidden = false
})
