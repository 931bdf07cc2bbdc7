/** sql.js, and its program, as the bundler puts it into a script. */
declare module "sql.js" {
  const start: (options?: { readonly wasmBinary: Uint8Array<ArrayBuffer> }) => Promise<import("./sqlite.ts").Sqlite>
  export default start
}

declare module "sql.js/dist/sql-wasm.wasm" {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}
