/**
 * Reloads the page of an upload when its status has changed: it requests the page repeatedly and compares. Without this
 * script the browser reloads the page every few seconds anyway.
 */
import { everyPage } from "./everyPage.ts"

everyPage()
const pause = 2000

const statusOf = (page: Document): string | undefined =>
  page.querySelector<HTMLElement>("[data-status]")?.dataset["status"]

const look = async (before: string | undefined): Promise<void> => {
  try {
    const response = await fetch(location.href, { cache: "no-store" })
    const page = new DOMParser().parseFromString(await response.text(), "text/html")
    if (statusOf(page) !== before) {
      location.reload()
      return
    }
  } catch {
    // The host can't be reached right now; try again later.
  }
  setTimeout(() => void look(before), pause)
}

document.querySelector('meta[http-equiv="refresh"]')?.remove()
setTimeout(() => void look(statusOf(document)), pause)
