/** Shows what has changed in the account: it loads the page again in the background, and exchanges its content. */
import { parts } from "../ui/dom.ts"
import { attachHandlers, everyPage } from "../ui/everyPage.ts"

everyPage()

const home = document.querySelector<HTMLAnchorElement>("a.brand")?.href ?? "/"
const main = document.querySelector("main")
const status = document.createElement("p")
status.className = "unseen"
status.role = "status"
document.body.append(status)

/** Whether somebody is about to use a form of the content. */
const isTyping = (): boolean =>
  document.activeElement instanceof HTMLElement && document.activeElement.closest("main form, main summary") !== null

let shown: string | undefined
let etag: string | null = null

const load = async (): Promise<void> => {
  const headers = etag === null ? {} : { "if-none-match": etag }
  const response = await fetch(location.href, { cache: "no-store", headers })
  // It is unchanged, somebody signed out in another tab, or a part of the service can't be reached.
  if (!response.ok || response.redirected) return
  const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main")
  if (main === null || next === null || isTyping()) return
  etag = response.headers.get("etag")
  if (next.innerHTML === shown) return
  shown = next.innerHTML
  const open = new Set(parts(document, "main details[open] > summary", HTMLElement).map((one) => one.textContent))
  const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : undefined
  main.replaceChildren(...next.childNodes)
  for (const summary of parts(document, "main details > summary", HTMLElement)) {
    if (open.has(summary.textContent)) summary.parentElement?.setAttribute("open", "")
  }
  parts(document, "main a[href]", HTMLAnchorElement)
    .find(({ href }) => href === focused)
    ?.focus({ preventScroll: true })
  attachHandlers()
  status.textContent = "The page was updated."
}

/** The time of a change, which its id begins with (UUID version 7). */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)

let latest: string | undefined
let waiting: ReturnType<typeof setTimeout> | undefined

/** Loads at a random moment within so many seconds, so that many open pages don't ask at once. */
const loadWithin = (seconds: number): void => {
  waiting ??= setTimeout(
    () => {
      waiting = undefined
      void load().catch(() => undefined)
    },
    500 + Math.random() * seconds * 1000
  )
}

const unreachable = document.createElement("p")
unreachable.className = "notice"
unreachable.role = "status"
unreachable.hidden = true
main?.before(unreachable)

/** Says that the page can be old after a second failed connection in a row: a host that restarts is soon there again. */
const note = (failedInARow: number): void => {
  unreachable.hidden = failedInARow < 2
  if (unreachable.hidden || unreachable.textContent !== "") return
  unreachable.textContent = `This page can't reach its host. It shows the state of ${new Date().toLocaleTimeString("en-GB")}.`
}

let source: EventSource | undefined
let [failures, unanswered] = [0, 0]
const maxFailures = 6

const stop = (): void => {
  source?.close()
  source = undefined
}

/** A browser opens few connections to a host at once, so only visible pages have one. */
const listen = (): void => {
  if (document.hidden || source !== undefined) return
  const opened = new EventSource(`${home}changes`)
  source = opened
  opened.addEventListener("message", ({ data, lastEventId }) => {
    failures = 0
    const [seconds = 0, sentAt = 0] = String(data).split(" ").map(Number)
    // At first, whether it may have changed since the page was requested.
    const isYounger = sentAt - timeOf(lastEventId) <= performance.now()
    if (latest === undefined ? isYounger : latest !== lastEventId) loadWithin(seconds)
    latest = lastEventId
  })
  opened.addEventListener("open", () => {
    unanswered = 0
    unreachable.textContent = ""
    note(unanswered)
  })
  opened.addEventListener("error", () => {
    note((unanswered += 1))
    // The browser connects again by itself, unless it was refused.
    if (opened.readyState !== EventSource.CLOSED || opened !== source) return
    stop()
    failures += 1
    if (failures < maxFailures) setTimeout(listen, 2 ** failures * 2500 * (0.5 + Math.random()))
  })
}

document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()))
listen()
