import startSqlite from "sql.js"
import wasmBinary from "sql.js/dist/sql-wasm.wasm"

/** Provides SQLite for `loadSqlite`. A script of its own calls this, which is loaded before the app runs. */
export const provideSqlite = (): void => {
  window.startSqlite = () => startSqlite({ wasmBinary })
}
