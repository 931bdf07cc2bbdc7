/** How many entries an app's history has, as in Chromium. */
const mostEntries = 50

const withoutHash = (url: string): string => url.replace(/#.*$/s, "")

/** The location within the document that a click leads to, if it would become an entry of the tab's history. */
const targetOf = (event: MouseEvent): string | undefined => {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement && node.hasAttribute("href"))
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return undefined
  const isWithin = /^(?:_self)?$/i.test(link.target) && withoutHash(link.href) === withoutHash(location.href)
  return isWithin && link.href.includes("#") && link.href !== location.href ? link.href : undefined
}

/**
 * Keeps the entries of an app's history in memory, since each entry of a frame is one of the tab's: people would have to go back
 * through all of them to leave the page. The frame's only entry in the tab's history is replaced by the app's current one, so
 * `location` and `history.state` are the browser's own.
 */
export const addMemoryHistory = (): void => {
  const replace = history.replaceState.bind(history)
  const current = () => ({ state: history.state, url: location.href })
  const entries = [current()]
  let at = 0
  const enter = () => {
    entries.splice(at + 1, Infinity, current())
    if (entries.length > mostEntries) entries.shift()
    at = entries.length - 1
  }

  const go = (delta: number): void => {
    const next = entries[at + delta]
    // An app that leaves its own entries stays where it is, so that it can't navigate the tab.
    if (next === undefined) return
    const oldURL = location.href
    at += delta
    replace(next.state, "", next.url)
    window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }))
    const [from, to] = [new URL(oldURL), new URL(location.href)]
    if (from.hash !== to.hash) window.dispatchEvent(new HashChangeEvent("hashchange", { oldURL, newURL: to.href }))
  }
  /** Browsers go after the script that asked for it. */
  const goLater = (delta: number): void => void setTimeout(() => go(delta))

  Object.defineProperties(History.prototype, {
    length: { configurable: true, enumerable: true, get: () => entries.length },
    pushState: {
      value: (state: unknown, _: string, url?: string | URL | null) => {
        replace(state, "", url)
        enter()
      }
    },
    replaceState: {
      value: (state: unknown, _: string, url?: string | URL | null) => {
        replace(state, "", url)
        entries[at] = current()
      }
    },
    back: { value: () => goLater(-1) },
    forward: { value: () => goLater(1) },
    go: {
      value: (delta: unknown) => {
        const steps = Math.trunc(Number(delta ?? 0)) || 0
        if (steps === 0) location.reload()
        else goLater(steps)
      }
    }
  })
  // After the app's own listeners, most of which are further down.
  window.addEventListener("click", (event) => {
    const target = targetOf(event)
    if (target === undefined) return
    event.preventDefault()
    location.replace(target)
    enter()
  })
  // A script can set `location`, which nothing in the frame can replace: the app's entries follow.
  window.addEventListener("hashchange", ({ isTrusted }) => {
    if (isTrusted && entries[at]?.url !== location.href) enter()
  })
}
