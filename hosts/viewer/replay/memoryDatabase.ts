import { frameScriptUrl } from "./frameScriptUrl.ts"

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
