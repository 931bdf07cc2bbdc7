import { loadScript } from "./loadScript.ts"
import type { Sqlite } from "./sqlite.ts"

declare global {
  interface Window {
    /** Set by `startSqlite.ts`. */
    startSqlite?: () => Promise<Sqlite>
  }
}

/** Loads SQLite, which is large and which few apps use, by a script that calls `provideSqlite`. */
export const loadSqlite = async (url: string): Promise<Sqlite> => {
  await loadScript(url, "SQLite could not be loaded: the queries of the app fail.")
  const start = window.startSqlite
  if (start === undefined) throw new Error("SQLite could not be started: the queries of the app fail.")
  return start()
}
