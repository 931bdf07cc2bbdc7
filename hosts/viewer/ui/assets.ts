import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Record } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import type { PageFont } from "../../phone/settings/fonts.ts"
import { bundles, type ScriptName, type StyleName } from "./bundles.ts"
import { stylesheet, type Stylesheet } from "./document.ts"

export type { ScriptName, StyleName } from "./bundles.ts"

/** The path prefix of the viewer's own scripts. */
const scriptsPath = "/viewer-assets/"

const pathOf = (text: string, name: string): string =>
  `${scriptsPath}${name}-${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16)}.js`

const unpacked = async (font: string): Promise<Uint8Array> => {
  const packed = new Blob([Uint8Array.from(atob(font), (character) => character.charCodeAt(0))])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/** The scripts and stylesheets of the pages. */
export class Assets extends Context.Service<
  Assets,
  {
    /** The path of a script. It contains the script's digest, so its content never changes. */
    readonly pathOf: (name: ScriptName) => string
    /** The text of a script, for a document to hold. */
    readonly textOf: (name: ScriptName) => string
    /** The text of the script that is served at a path. */
    readonly textAt: (path: string) => string | undefined
    /** A stylesheet, for a document to hold. */
    readonly styleOf: (name: StyleName) => Stylesheet
    /** The text of a stylesheet. */
    readonly styleTextOf: (name: StyleName) => string
    /** The bytes of a font for apps in replays. */
    readonly fontOf: (name: PageFont) => Effect.Effect<Uint8Array>
    /** The examples for each CI, by the names of their files. */
    readonly examples: Readonly<Record<string, string>>
  }
>()("slipway/hosts/viewer/Assets") {
  static readonly layer = Layer.effect(
    Assets,
    Effect.map(Effect.promise(bundles), ({ examples, scripts, styles }) => {
      const paths = Record.map(scripts, pathOf)
      const texts = new Map(Record.keys(scripts).map((name) => [paths[name], scripts[name]]))
      const sheets = Record.map(styles, stylesheet)
      return Assets.of({
        pathOf: (name) => paths[name],
        textOf: (name) => scripts[name],
        textAt: (path) => texts.get(path),
        styleOf: (name) => sheets[name],
        styleTextOf: (name) => styles[name],
        fontOf: (name) =>
          Effect.promise(async () => {
            const { fonts } = await import("./fonts.ts")
            return unpacked((await fonts())[name])
          }),
        examples
      })
    })
  )
}

const serve = Effect.gen(function* () {
  const assets = yield* Assets
  const { name = "" } = yield* HttpRouter.params
  const text = assets.textAt(scriptsPath + name)
  if (text === undefined) return yield* NotFound.default
  return HttpServerResponse.text(text, {
    contentType: "text/javascript; charset=utf-8",
    headers: { "cache-control": "public, max-age=31536000, immutable" }
  })
})

/** The scripts, for pages to load. */
export const routes = [HttpRouter.route("GET", `${scriptsPath}:name`, serve)]
