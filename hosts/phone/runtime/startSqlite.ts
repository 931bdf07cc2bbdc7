import startSqlite from "sql.js"
import wasmBinary from "sql.js/dist/sql-wasm.wasm"

/** Lets `loadSqlite.ts` start SQLite. It is called by a program of its own, which is loaded before the app runs. */
export const provideSqlite = (): void => {
  window.startSqlite = () => startSqlite({ wasmBinary })
}
