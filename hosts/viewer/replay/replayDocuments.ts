/** The documents that run an app in a frame, and the scripts that they load. */
import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import Negotiator from "negotiator"
import { NotFound, UrlRefused } from "../../../core/model/Problem.ts"
import { isNative, linkedFontsIn, sniffBytes, unsupportedFormat } from "../../../core/rules/bundleFormat.ts"
import { isPageFont, type PageFont } from "../../phone/settings/fonts.ts"
import { noteOwner } from "../../http/requestContext.ts"
import { Capabilities } from "../access/capability.ts"
import { Site } from "../access/site.ts"
import { beginning } from "../content/beginning.ts"
import { replayHeaders } from "../content/contentPolicy.ts"
import { bundleHeaders, entryPath, hosted, pathOf, relativeUrl } from "../content/hosted.ts"
import { fetchDestination, preflight, rangeOf, sendObject } from "../content/sendObject.ts"
import { Assets } from "../ui/document.ts"
import { html, type Html, rawHtml } from "../ui/html.ts"
import { type FrameScript, frameScriptUrl } from "./message.ts"

// The raw URL: the router ignores case in paths and cuts them at a semicolon.
const form = /^\/replay\/([\w-]+\.[\w-]+)\/([^?#]*)/

/** The URL of an HTTP archive among the recordings, relative to the document. */
const archiveUrl = (index: number): string => `./?archive=${index}`
const archiveForm = /\/\?archive=(\d{1,9})$/

const onPagesOnly = new UrlRefused({ detail: "Uploaded apps run on a page of the viewer. Open that page." })

/** The index document, the bundle or a file of something ready, for a holder of its capability. */
const serve = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const site = yield* Site
  const [, name, rest = ""] = form.exec(request.url) ?? []
  if (name === undefined) return yield* NotFound.default
  const headers = replayHeaders(site, request, name)
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

  // Opened as a page it could imitate one of the viewer's, and send its data anywhere by navigating.
  const destination = fetchDestination(request)
  if (destination === "document") return yield* onPagesOnly
  const capabilities = yield* Capabilities
  const { account, opens } = yield* capabilities.check(name)
  yield* noteOwner(account)
  const { archives, entry, open, paths, title, validator } = yield* hosted(account, opens)
  const script = entryPath(entry)
  if (rest === "" && destination !== "iframe") {
    const asked = frameScriptAt(request.url)
    if (asked !== undefined) return yield* sendFrameScript(asked)
    const font = frameFontAt(request.url)
    if (font !== undefined) return yield* sendFrameFont(font)
    const [, archiveIndex] = archiveForm.exec(request.url) ?? []
    const archive = archives.find(({ index }) => String(index) === archiveIndex)
    if (archive !== undefined) {
      return sendObject(yield* archive.open, { range: undefined, name: archive.name, destination })
    }
  }
  if (rest === "") {
    // If the browser doesn't say what it requests the document for, the document runs the bundle only in a frame.
    if (destination !== undefined && destination !== "iframe") return yield* onPagesOnly
    const bridge = yield* (yield* Assets).textOf("bridge")
    const start = yield* beginning((range) => open({ range }), sniffBytes)
    const why = start.isPlain ? unsupportedFormat(start.bytes) : undefined
    return why === undefined
      ? indexDocument({
          title,
          bridge,
          script: relativeUrl(script),
          phone: start.isPlain && isNative(start.bytes) ? frameScriptUrl("phone") : undefined,
          fonts: linkedFontsIn(paths),
          archives: archives.map(({ index, name }) => ({ name, url: archiveUrl(index) }))
        })
      : obstacleDocument({ title, bridge, why })
  }

  const path = pathOf(rest)
  if (path === undefined) return yield* NotFound.default
  const file = path === script ? undefined : path
  const tag = validator(file)
  const range = rangeOf(request, tag)
  const object = yield* open({ path: file, range })
  const shown = file === undefined ? bundleHeaders(object) : {}
  return sendObject(object, { range, name: path, destination, validator: tag, ...shown })
})

/**
 * The documents of a running build or preview. Their URLs work for an hour without a session. The code in them is
 * untrusted, so it has an opaque origin and can reach only its own files.
 */
export const routes = [HttpRouter.route("GET", "/replay/*", serve), HttpRouter.route("OPTIONS", "/replay/*", preflight)]

/**
 * The bridge as the first script of a document, in a scope of its own: it reports the state of the
 * app to the page around the frame. It is inline, so that it occupies no path of an uploaded file.
 */
const bridgeHtml = (bridge: string): Html => rawHtml(`<script>(() => {"use strict";${bridge}})()</script>`)

const sendDocument = (title: string, head: Html, body: Html): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    String(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
            <link rel="icon" href="data:," />
            <title>${title}</title>
            ${head}
          </head>
          <body>
            ${body}
          </body>
        </html> `
    ),
    { contentType: "text/html; charset=utf-8" }
  )

/** The finding about a bundle that the browser runs without the phone's script. */
const webText = "It is a bundle for the web, which the browser runs by itself."

/**
 * Puts a script into the document as if it had stood there, where that is in a frame: the bundle, or the phone that runs
 * the bundle. A browser that doesn't say what it asks for may have opened the document by its URL, at the viewer's address:
 * there nothing that was uploaded is loaded. A URL as `relativeUrl` makes it has nothing that would end an attribute.
 */
const bundleHtml = (script: string, phone: string | undefined, before: Html | undefined): Html => {
  const attributes = phone === undefined ? `data-found="${webText}"` : `data-bundle="${script}" data-starting`
  return html`<script data-script='${before}<script src="${phone ?? script}" ${attributes} crossorigin></script>'>
    if (window.top === window) document.body.textContent = "Uploaded apps run on a page of the viewer. Open that page."
    else document.write(document.currentScript.dataset.script)
  </script>`
}

/** The script that answers from the archives; it runs before the app. */
const recordedResponsesHtml = html`<script src="${frameScriptUrl("recordedResponses")}"></script>`

/** An HTTP archive among the recordings: its name, and its URL relative to the document. */
interface ArchiveAt {
  readonly name: string
  readonly url: string
}

/**
 * The document in which a bundle runs; `script` is its URL relative to the document, `phone` that of the script which runs
 * a phone's own, `fonts` are those of its binary, and `archives` answer what the app asks of its API. Both scripts are requested with CORS, because a sandbox
 * has no origin: otherwise their errors have no details.
 */
const indexDocument = (options: {
  readonly title: string
  readonly bridge: string
  readonly script: string
  readonly phone: string | undefined
  readonly fonts: ReadonlyArray<string>
  readonly archives: ReadonlyArray<ArchiveAt>
}) =>
  sendDocument(
    options.title,
    html`${bridgeHtml(options.bridge)}
      <style>
        html,
        body,
        #root {
          height: 100%;
          margin: 0;
        }
        #root {
          display: flex;
        }
      </style>`,
    html`<div id="root"></div>
      ${options.fonts.length === 0 ? "" : html`<template data-fonts="${JSON.stringify(options.fonts)}"></template>`}
      ${options.archives.length === 0 ? "" : html`<template data-archives="${JSON.stringify(options.archives)}"></template>`}
      ${bundleHtml(options.script, options.phone, options.archives.length === 0 ? undefined : recordedResponsesHtml)}`
  )

/** The document shown instead of a bundle that can't run, with the reason. */
const obstacleDocument = (options: { readonly title: string; readonly bridge: string; readonly why: string }) =>
  sendDocument(
    options.title,
    html`${bridgeHtml(options.bridge)}
      <style>
        body {
          margin: 0;
          padding: 15vh 1.5rem 0;
          font:
            1rem/1.5 system-ui,
            sans-serif;
          color: #1a2327;
          background: #fff;
        }
        p {
          white-space: pre-wrap;
          overflow-wrap: anywhere;
        }
      </style>`,
    html`<main data-obstacle>
      <h1>This bundle can’t run here</h1>
      <p>${options.why}</p>
    </main>`
  )

const names: ReadonlyArray<FrameScript> = [
  "phone",
  "memoryDatabase",
  "sqlite",
  "lottie",
  "skia",
  "recordedResponses",
  "flows",
  "inspector"
]

/** Which of the scripts a URL asks for. */
const frameScriptAt = (url: string): FrameScript | undefined =>
  names.find((name) => url.endsWith(frameScriptUrl(name).slice(1)))

const fontForm = /\/\?font=(\w{1,40})$/

/** Which of the fonts a URL asks for. */
const frameFontAt = (url: string): PageFont | undefined => {
  const [, name = ""] = fontForm.exec(url) ?? []
  return isPageFont(name) ? name : undefined
}

/** The content type of a font: TrueType, or WOFF2 by its first bytes. */
const fontType = (bytes: Uint8Array): string => (bytes[0] === 0x77 ? "font/woff2" : "font/ttf")

const sendFrameFont = Effect.fnUntraced(function* (name: PageFont) {
  const bytes = yield* (yield* Assets).fontOf(name)
  return HttpServerResponse.uint8Array(bytes, { contentType: fontType(bytes) })
})

const packed = new Map<FrameScript, Promise<Uint8Array>>()

const pack = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer())

/**
 * One of the scripts: as gzip, which is made once, for who accepts that. These are the large scripts that no browser keeps,
 * since each replay has them at a path of its own.
 */
const sendFrameScript = Effect.fnUntraced(function* (name: FrameScript) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const text = `(() => {"use strict";${yield* (yield* Assets).textOf(name)}\n})()`
  const negotiator = new Negotiator({ headers: { "accept-encoding": headers["accept-encoding"] } })
  const isPacked = negotiator.encoding(["gzip", "identity"]) === "gzip"
  if (isPacked && !packed.has(name)) packed.set(name, pack(text))
  const body =
    (isPacked ? yield* Effect.promise(async () => packed.get(name)) : undefined) ?? new TextEncoder().encode(text)
  return HttpServerResponse.uint8Array(body, {
    contentType: "text/javascript; charset=utf-8",
    headers: { vary: "accept-encoding", ...(isPacked ? { "content-encoding": "gzip" } : {}) }
  })
})
