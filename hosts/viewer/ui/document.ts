/** The HTML document of a page, with its content security policy, its stylesheets, its scripts and their data. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64 from "effect/encoding/Base64"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { html, type Html, rawHtml } from "./html.ts"
import { darkWhen, schemes, type Theme } from "./theme.ts"
import { Context, Effect, Layer, Record } from "effect"
import { NotFound } from "../../../core/model/Problem.ts"
import type { PageFont } from "../../phone/settings/fonts.ts"
import { bundles, type ScriptBundle, type ScriptName, type StyleName } from "./bundles.ts"

/** A stylesheet as an element, and the source by which a content security policy allows only this one. */
export interface Stylesheet {
  readonly element: Html
  readonly source: string
}

const sourceOf = (text: string): string => `'sha256-${Base64.encode(sha256(utf8ToBytes(text)))}'`

export const stylesheet = (text: string): Stylesheet => ({
  element: rawHtml(`<style>${text}</style>`),
  source: sourceOf(text)
})

/** The stylesheet of the dark theme, which holds as the chosen theme says. */
export const darkStylesheet = (text: string, theme: Theme): Stylesheet => ({
  element: rawHtml(`<style id="dark" media="${darkWhen[theme]}">${text}</style>`),
  source: sourceOf(text)
})

/** A script of the viewer's own that a document loads, and the sources by which a content security policy allows it. */
interface DocumentScript {
  readonly url: string
  readonly sources: string
}

/**
 * A document of the viewer's own. It runs no scripts but those that are named here, by their own URLs, as anyone's code is
 * served from the same origin, and nothing may frame it but `frameAncestors`. What every page says besides is set around all routes.
 */
export const document = (options: {
  readonly title: string
  readonly styles: ReadonlyArray<Stylesheet>
  readonly body: Html
  /** The URL of its icon. */
  readonly icon: string
  readonly theme?: Theme | undefined
  /** What other sites show of a link to it: names of `og:` properties, and their values. */
  readonly preview?: Readonly<Record<string, string>> | undefined
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly script?: DocumentScript | undefined
  /** A script that the first one runs beside the document. */
  readonly worker?: DocumentScript | undefined
  /** Scripts that the first one imports when it needs them. */
  readonly imported?: ReadonlyArray<DocumentScript> | undefined
  /** The origin of uploaded content, where that is another one. */
  readonly contentOrigin?: string | undefined
  /** The origins whose pages may frame it; none unless given. */
  readonly frameAncestors?: ReadonlyArray<string> | undefined
  /** After how many seconds the browser loads the document again. */
  readonly refreshSeconds?: number | undefined
}): HttpServerResponse.HttpServerResponse => {
  const { styles } = options
  const { script } = options
  const shown = options.contentOrigin === undefined ? "'self'" : `'self' ${options.contentOrigin}`
  return HttpServerResponse.text(
    String(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="${schemes[options.theme ?? "system"]}" />
            <meta name="robots" content="noindex" />
            <link rel="icon" href="${options.icon}" />
            ${options.refreshSeconds === undefined ? "" : html`<meta http-equiv="refresh" content="${options.refreshSeconds}" />`}
            <title>${options.title}</title>
            ${Object.entries(options.preview ?? {}).map(([name, value]) => html`<meta property="og:${name}" content="${value}" />`)}
            ${styles.map(({ element }) => element)}
            ${script === undefined ? "" : html`<script type="module" src="${script.url}"></script>`}
          </head>
          <body>
            ${options.body}
          </body>
        </html> `
    ),
    {
      status: options.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: {
        // Only hosts/http/compression.ts knows which answers may be compressed; the middleware of a framework doesn't.
        "cache-control": "private, no-store, no-transform",
        "content-security-policy": [
          "default-src 'none'",
          `style-src ${styles.map(({ source }) => source).join(" ")}`,
          ...(script === undefined
            ? []
            : [
                `script-src ${[script, ...(options.imported ?? [])].map(({ sources }) => sources).join(" ")}`,
                `connect-src ${shown}`
              ]),
          ...(options.worker === undefined ? [] : [`worker-src ${options.worker.sources}`]),
          `img-src ${shown}`,
          `media-src ${shown}`,
          `frame-src ${shown}`,
          "form-action 'self'",
          "base-uri 'none'",
          `frame-ancestors ${options.frameAncestors?.join(" ") || "'none'"}`
        ].join("; "),
        ...options.headers
      }
    }
  )
}

/** Data for a page's script, as JSON in an element that doesn't run. */
export const scriptData = (id: string, data: unknown): Html =>
  rawHtml(
    `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll("<", String.raw`\u003c`)}</script>`
  )

/** The viewer's icon: a hull. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<style>path { fill: #0a6570 } @media (prefers-color-scheme: dark) { path { fill: #6fcfd3 } }</style>
<path d="M1 8h30l-6 17H7z"/>
</svg>
`

export type { ScriptName, StyleName } from "./bundles.ts"

/** The path prefix of the viewer's own scripts. */
const scriptsPath = "/viewer-assets/"

const pathOf = ({ digest }: ScriptBundle, name: string): string => `${scriptsPath}${name}-${digest.slice(0, 16)}.js`

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
    readonly textOf: (name: ScriptName) => Effect.Effect<string>
    /** The text of the script that is served at a path. */
    readonly textAt: (path: string) => Effect.Effect<string | undefined>
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
    Effect.map(Effect.promise(bundles), ({ examples, fonts, scripts, styles }) => {
      const paths = Record.map(scripts, pathOf)
      const texts = new Map(Record.keys(scripts).map((name) => [paths[name], scripts[name]]))
      const sheets = Record.map(styles, stylesheet)
      return Assets.of({
        pathOf: (name) => paths[name],
        textOf: (name) => Effect.promise(scripts[name].text),
        textAt: (path) => Effect.promise(async () => texts.get(path)?.text()),
        styleOf: (name) => sheets[name],
        styleTextOf: (name) => styles[name],
        fontOf: (name) => Effect.promise(async () => unpacked(await fonts[name]())),
        examples
      })
    })
  )
}

const serve = Effect.gen(function* () {
  const assets = yield* Assets
  const { name = "" } = yield* HttpRouter.params
  const text = yield* assets.textAt(scriptsPath + name)
  if (text === undefined) return yield* NotFound.default
  return HttpServerResponse.text(text, {
    contentType: "text/javascript; charset=utf-8",
    headers: { "cache-control": "public, max-age=31536000, immutable" }
  })
})

/** The scripts, for pages to load. */
export const routes = [HttpRouter.route("GET", `${scriptsPath}:name`, serve)]
