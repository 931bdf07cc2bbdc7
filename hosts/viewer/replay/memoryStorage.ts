/** What `Storage` has for its own; any other name is a key. */
const storageOf = (kept: Map<string, string>) => ({
  getItem: (key: unknown) => kept.get(String(key)) ?? null,
  setItem: (key: unknown, value: unknown) => void kept.set(String(key), String(value)),
  removeItem: (key: unknown) => void kept.delete(String(key)),
  clear: () => kept.clear(),
  key: (index: unknown) => [...kept.keys()][Number(index)] ?? null
})

/** Storage as a browser has it, which lasts as long as the page. */
export const makeMemoryStorage = (): Storage => {
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
