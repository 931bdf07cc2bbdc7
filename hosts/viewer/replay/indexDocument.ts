import { HttpServerResponse } from "effect/http"
import { html, rawHtml, type Html } from "../ui/html.ts"
import { frameScriptUrl } from "./frameScriptUrl.ts"

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
const answersHtml = html`<script src="${frameScriptUrl("recordedAnswers")}"></script>`

/** An HTTP archive among the recordings: its name, and its URL relative to the document. */
interface ArchiveAt {
  readonly name: string
  readonly url: string
}

/**
 * The document in which a bundle runs; `script` is its URL relative to the document, `phone` that of the script which runs
 * a phone's own, and `archives` answer what the app asks of its API. Both scripts are requested with CORS, because a sandbox
 * has no origin: otherwise their errors have no details.
 */
export const indexDocument = (options: {
  readonly title: string
  readonly bridge: string
  readonly script: string
  readonly phone: string | undefined
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
      ${options.archives.length === 0 ? "" : html`<template data-archives="${JSON.stringify(options.archives)}"></template>`}
      ${bundleHtml(options.script, options.phone, options.archives.length === 0 ? undefined : answersHtml)}`
  )

/** The document shown instead of a bundle that can't run, with the reason. */
export const obstacleDocument = (options: { readonly title: string; readonly bridge: string; readonly why: string }) =>
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
