/**
 * The page of an upload turns ready by itself: it asks for itself again until its status has changed, and then loads what
 * is there now. Without this script the page is loaded again every few seconds, whether or not anything changed.
 */
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
    // The host can't be reached right now: the next look tries again.
  }
  setTimeout(() => void look(before), pause)
}

document.querySelector('meta[http-equiv="refresh"]')?.remove()
setTimeout(() => void look(statusOf(document)), pause)
