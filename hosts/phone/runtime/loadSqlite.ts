import type { Sqlite } from "./sqlite.ts"

declare global {
  interface Window {
    /** Set by `startSqlite.ts`. */
    startSqlite?: () => Promise<Sqlite>
  }
}

/** Loads SQLite, which is large and which few apps use, by a script that calls `provideSqlite`. */
export const loadSqlite = async (url: string): Promise<Sqlite> => {
  const answer = await fetch(url)
  // A host that doesn't have it sends a document.
  const isScript = answer.ok && /javascript/.test(answer.headers.get("content-type") ?? "")
  if (!isScript) throw new Error("SQLite could not be loaded: the queries of the app fail.")
  const script = document.createElement("script")
  script.textContent = await answer.text()
  document.head.append(script)
  script.remove()
  const start = window.startSqlite
  if (start === undefined) throw new Error("SQLite could not be started: the queries of the app fail.")
  return start()
}
