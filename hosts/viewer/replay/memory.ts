import { frameScriptUrl } from "./message.ts"

/** How many entries an app's history has, as in Chromium. */
const maxEntries = 50

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
    if (entries.length > maxEntries) entries.shift()
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

/** What `Storage` has for its own; any other name is a key. */
const storageOf = (kept: Map<string, string>) => ({
  getItem: (key: unknown) => kept.get(String(key)) ?? null,
  setItem: (key: unknown, value: unknown) => void kept.set(String(key), String(value)),
  removeItem: (key: unknown) => void kept.delete(String(key)),
  clear: () => kept.clear(),
  key: (index: unknown) => [...kept.keys()][Number(index)] ?? null
})

/** Storage as a browser has it, which lasts as long as the page. */
const makeMemoryStorage = (): Storage => {
  const kept = new Map<string, string>()
  const own = storageOf(kept)
  return new Proxy(Object.create(Storage.prototype), {
    get: (_, name) => {
      if (name === "length") return kept.size
      if (typeof name === "string" && kept.has(name) && !(name in own)) return kept.get(name)
      return Reflect.get(own, name) ?? Reflect.get(Object.prototype, name)
    },
    set: (_, name, value) => {
      own.setItem(name, value)
      return true
    },
    deleteProperty: (_, name) => {
      own.removeItem(name)
      return true
    },
    has: (_, name) => name in own || name === "length" || kept.has(String(name)),
    ownKeys: () => [...kept.keys()],
    getOwnPropertyDescriptor: (_, name) =>
      typeof name === "string" && kept.has(name)
        ? { value: kept.get(name), configurable: true, enumerable: true, writable: true }
        : undefined
  })
}

/** A frame without an origin has no storage: reading it would throw, for example in AsyncStorage on the web. */
export const addMemoryStorage = (): void => {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, { configurable: true, enumerable: true, value: makeMemoryStorage() })
  }
}

/** What a browser has for IndexedDB, and an app that reads any of it may be about to use it. */
const names = [
  "indexedDB",
  "IDBCursor",
  "IDBCursorWithValue",
  "IDBDatabase",
  "IDBFactory",
  "IDBIndex",
  "IDBKeyRange",
  "IDBObjectStore",
  "IDBOpenDBRequest",
  "IDBRequest",
  "IDBTransaction",
  "IDBVersionChangeEvent"
]

const url = new URL(frameScriptUrl("memoryDatabase"), document.baseURI).href

/** Runs the script that replaces each of the names, before it returns. */
const load = (): void => {
  for (const name of names) Reflect.deleteProperty(window, name)
  const request = new XMLHttpRequest()
  try {
    request.open("GET", url, false)
    request.send()
    if (request.status !== 200) throw new Error(`The host answered ${request.status}.`)
    const script = document.createElement("script")
    script.textContent = request.responseText
    document.documentElement.append(script)
    script.remove()
  } catch (error) {
    console.error("indexedDB could not be loaded:", error)
  }
}

/**
 * A frame without an origin has no IndexedDB either: opening a database would throw. One in memory is loaded when
 * an app first asks for it, which few do; as `indexedDB` is there at once in a browser, the app waits for it.
 */
export const addMemoryDatabase = (): void => {
  for (const name of names) {
    Object.defineProperty(window, name, {
      configurable: true,
      get: () => {
        load()
        return Reflect.get(window, name)
      },
      set: (value: unknown) => {
        Object.defineProperty(window, name, { value, configurable: true, writable: true, enumerable: true })
      }
    })
  }
}
