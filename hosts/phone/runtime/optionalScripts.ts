/** The libraries that are large and that few apps need: their types, and how a page's script of each is loaded. */

/** The part of sql.js that packs use: SQLite, compiled to WebAssembly. */
export interface Sqlite {
  readonly Database: new (bytes?: Uint8Array) => SqliteDatabase
}

/** The rows of a statement. */
interface SqliteRows {
  readonly columns: ReadonlyArray<string>
  readonly values: ReadonlyArray<ReadonlyArray<unknown>>
}

export interface SqliteDatabase {
  readonly exec: (source: string) => ReadonlyArray<SqliteRows>
  readonly prepare: (source: string) => SqliteStatement
  readonly getRowsModified: () => number
  readonly export: () => Uint8Array
  readonly updateHook: (
    changed: ((action: string, database: string, table: string, row: number) => void) | null
  ) => unknown
}

export interface SqliteStatement {
  readonly bind: (values: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>) => boolean
  readonly step: () => boolean
  readonly get: () => ReadonlyArray<unknown>
  readonly getColumnNames: () => ReadonlyArray<string>
  readonly free: () => boolean
}

/** The part of lottie-web that the pack uses: it draws the frames of an animation as SVG. */
export interface Lottie {
  readonly loadAnimation: (options: { readonly container: Element; readonly autoplay: false }) => LottieAnimation
}

export interface LottieAnimation {
  readonly addEventListener: (name: "error", failed: () => void) => unknown
  /** Draws it. An error is thrown, or is an event. */
  readonly setupAnimation: (animation: object) => void
  readonly goToAndStop: (frame: number, isFrame: true) => void
  readonly destroy: () => void
}

declare global {
  interface Window {
    /** Set by `provideSqlite.ts`. */
    startSqlite?: () => Promise<Sqlite>
    /** Set by `provideLottie.ts`. */
    lottiePlayer?: Lottie
  }
}

/** Loads SQLite by a script that calls `provideSqlite`. */
export const loadSqlite = async (url: string): Promise<Sqlite> => {
  await loadScript(url, "SQLite could not be loaded: the queries of the app fail.")
  const start = window.startSqlite
  if (start === undefined) throw new Error("SQLite could not be started: the queries of the app fail.")
  return start()
}

let loadedLottie: Promise<Lottie> | undefined

/** Loads lottie-web once, by a script that calls `provideLottie`. */
export const loadLottie = (url: string): Promise<Lottie> => (loadedLottie ??= loadPlayer(url))

const loadPlayer = async (url: string): Promise<Lottie> => {
  const missing = "The player of Lottie animations could not be loaded: they are not drawn."
  await loadScript(url, missing)
  const player = window.lottiePlayer
  if (player === undefined) throw new Error(missing)
  return player
}

/** Runs a script of the page in the document of the app; fails with `missing` if the page has none. */
export const loadScript = async (url: string, missing: string): Promise<void> => {
  const response = await fetch(url)
  // A host that doesn't have it sends a document.
  const isScript = response.ok && /javascript/.test(response.headers.get("content-type") ?? "")
  if (!isScript) throw new Error(missing)
  const script = document.createElement("script")
  script.textContent = await response.text()
  document.head.append(script)
  script.remove()
}
