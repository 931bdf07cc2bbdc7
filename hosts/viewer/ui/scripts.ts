import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { bundles, scriptNames } from "./bundles.ts"
import type { ScriptName } from "./bundles.ts"

export type { ScriptName } from "./bundles.ts"

/** Below which path the viewer serves its own scripts. */
export const scriptsPath = "/viewer-assets/"

/** The scripts of the pages: where each is served, and its text. A path holds the digest, so what it leads to never changes. */
export class Scripts extends Context.Service<
  Scripts,
  {
    readonly pathOf: (name: ScriptName) => string
    /** The text of one, to stand in a document itself. */
    readonly textOf: (name: ScriptName) => string
    readonly textAt: (path: string) => string | undefined
  }
>()("slipway/hosts/viewer/Scripts") {
  static readonly layer = Layer.effect(
    Scripts,
    Effect.map(Effect.promise(bundles), (texts) => {
      const pathOf = (name: ScriptName): string => {
        const digest = bytesToHex(sha256(utf8ToBytes(texts[name]))).slice(0, 16)
        return `${scriptsPath}${name}-${digest}.js`
      }
      const paths = new Map(scriptNames.map((name) => [pathOf(name), texts[name]]))
      return Scripts.of({ pathOf, textOf: (name) => texts[name], textAt: (path) => paths.get(path) })
    })
  )
}

const serve = Effect.gen(function* () {
  const scripts = yield* Scripts
  const { name = "" } = yield* HttpRouter.params
  const text = scripts.textAt(scriptsPath + name)
  if (text === undefined) return yield* NotFound.answer
  return HttpServerResponse.text(text, {
    contentType: "text/javascript; charset=utf-8",
    headers: { "cache-control": "public, max-age=31536000, immutable" }
  })
})

/** The scripts, for pages to load. */
export const routes = [HttpRouter.route("GET", `${scriptsPath}:name`, serve)]
