import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { Programs } from "../viewer/access/site.ts"

const contentTypes = { tgz: "application/gzip", mjs: "text/javascript; charset=utf-8" } as const

const files = ["slipway-ci", "slipway-conformance"].flatMap((name) =>
  (["tgz", "mjs"] as const).map((ending) => ({ name: `${name}.${ending}`, contentType: contentTypes[ending] }))
)

/** The files, read when one is first asked for. */
const read = Effect.promise(async () => {
  const { readProgram } = await import("./programFiles.ts")
  return Promise.all(
    files.map(async (file) => {
      const isOneFile = file.name.endsWith(".mjs")
      const content = isOneFile ? gunzipSync(await readProgram(`${file.name}.gz`)) : await readProgram(file.name)
      return { ...file, content, integrity: `sha512-${hash("sha512", content, "base64")}` }
    })
  )
}).pipe(Effect.uninterruptible)

/** The programs that were built with the host, for the viewer. */
export const layer = Layer.effect(Programs, Effect.cached(read))
