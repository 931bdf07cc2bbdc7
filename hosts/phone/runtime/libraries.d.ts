/** sql.js, and its program, as the bundler puts it into a script. */
declare module "sql.js" {
  const start: (options?: {
    readonly wasmBinary: Uint8Array<ArrayBuffer>
  }) => Promise<import("./optionalScripts.ts").Sqlite>
  export default start
}

declare module "sql.js/dist/sql-wasm.wasm" {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}

/** lottie-web, whose own types lack `setupAnimation`. */
declare module "lottie-web/build/player/lottie_light.js" {
  const lottie: import("./optionalScripts.ts").Lottie
  export default lottie
}
