/** What the libraries of an app store, in memory: it lasts as long as the page. */

export const folders = {
  documents: "/app/Documents",
  caches: "/app/Library/Caches",
  library: "/app/Library",
  temporary: "/app/tmp",
  bundle: "/app/App.app"
} as const

/** A path without its scheme and its final slash. */
export const pathOf = (address: string): string =>
  decodeURI(address.replace(/^file:\/\//, ""))
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "")

/** The last part of a path. */
export const nameIn = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

interface Entry {
  /** `undefined` for a folder. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  readonly created: number
  readonly changed: number
}

const now = (): number => Date.now()

const entries = new Map<string, Entry>(
  ["/", "/app", ...Object.values(folders)].map((path) => [path, { bytes: undefined, created: now(), changed: now() }])
)

const failure = (code: string, text: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${text}, '${path}'`), { code })

const found = (address: string): Entry => {
  const entry = entries.get(pathOf(address))
  if (entry === undefined) throw failure("ENOENT", "no such file or directory", address)
  return entry
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

const within = (path: string): ReadonlyArray<string> => [...entries.keys()].filter((one) => one.startsWith(`${path}/`))

const write = (address: string, bytes: Uint8Array<ArrayBuffer>): void => {
  const path = pathOf(address)
  if (entries.get(parentOf(path))?.bytes !== undefined || !entries.has(parentOf(path)))
    throw failure("ENOENT", "no such file or directory", address)
  const before = entries.get(path)
  if (before !== undefined && before.bytes === undefined) throw failure("EISDIR", "it is a directory", address)
  entries.set(path, { bytes, created: before?.created ?? now(), changed: now() })
}

const copy = (from: string, to: string): void => {
  const [source, target] = [pathOf(from), pathOf(to)]
  const entry = found(from)
  if (!entries.has(parentOf(target))) throw failure("ENOENT", "no such file or directory", to)
  const inner = within(source)
  entries.set(target, { ...entry, changed: now() })
  for (const path of inner) entries.set(target + path.slice(source.length), found(path))
}

const remove = (address: string): void => {
  const path = pathOf(address)
  found(path)
  for (const one of [path, ...within(path)]) entries.delete(one)
}

export const files = {
  exists: (address: string): boolean => entries.has(pathOf(address)),
  stat: (address: string) => {
    const { bytes, changed, created } = found(address)
    return { isFolder: bytes === undefined, size: bytes?.byteLength ?? 0, created, changed }
  },
  read: (address: string): Uint8Array<ArrayBuffer> => {
    const { bytes } = found(address)
    if (bytes === undefined) throw failure("EISDIR", "it is a directory", address)
    return bytes
  },
  write,
  append: (address: string, bytes: Uint8Array<ArrayBuffer>): void => {
    const before = entries.get(pathOf(address))?.bytes ?? new Uint8Array()
    const both = new Uint8Array(before.byteLength + bytes.byteLength)
    both.set(before)
    both.set(bytes, before.byteLength)
    write(address, both)
  },
  /** The paths of what is directly in a folder. */
  list: (address: string): ReadonlyArray<string> => {
    const path = pathOf(address)
    found(path)
    return within(path).filter((one) => parentOf(one) === path)
  },
  /** Makes a folder and those around it. */
  makeFolder: (address: string): void => {
    const path = pathOf(address)
    for (let at = path; !entries.has(at); at = parentOf(at))
      entries.set(at, { bytes: undefined, created: now(), changed: now() })
  },
  remove,
  copy,
  move: (from: string, to: string): void => {
    copy(from, to)
    remove(from)
  }
}

/** What libraries store, by the name that people know it by. It lasts as long as the page. */
export const stores = new Map<string, () => Iterable<readonly [key: string, value: unknown]>>()

/** The clipboard that all libraries of an app share. A frame without an origin can't reach that of the page. */
export const clipboard = { text: "" }
