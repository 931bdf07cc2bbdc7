import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { BuildRow } from "../../../core/api/builds/responses.ts"
import { document, stylesheet } from "./document.ts"
import { iconUrl } from "./layout.ts"
import type { PageContext } from "./layout.ts"
import { shortText } from "./text.ts"

/** A bundle running: what it is called, where its documents are, and the screen it is meant for. */
interface Running {
  readonly title: string
  readonly path: string
  readonly device: { readonly width?: number; readonly height?: number } | undefined
}

/** The screen of a bundle that names none, in CSS pixels. */
const commonDevice = { width: 390, height: 844 }

/** The frame that runs a bundle. It may run scripts and nothing else: no origin, no pop-ups, no leading the page away. */
export const replayFrame = ({ device, path, title }: Running): string => {
  const { height, width } = { ...commonDevice, ...device }
  return html`<iframe
    src="${path}"
    title="${title} running"
    sandbox="allow-scripts"
    referrerpolicy="no-referrer"
    width="${Math.round(width)}"
    height="${Math.round(height)}"
  ></iframe>`
}

const fullWindow = stylesheet(`
body { margin: 0 }
iframe { display: block; width: 100vw; height: 100vh; height: 100dvh; border: 0; background: #fff }
`)

/** The frame as a part of a page. */
export const replaySection = (running: Running | undefined): string =>
  running === undefined
    ? ""
    : html`<section class="device" aria-labelledby="replay">
        <h2 id="replay" class="unseen">Replay</h2>
        <div class="screen">!${replayFrame(running)}</div>
      </section>`

/** The replay alone, in the full window. */
export const replayPage = (
  context: PageContext,
  row: BuildRow,
  framePath: string
): HttpServerResponse.HttpServerResponse =>
  document({
    title: `${row.repo} ${shortText(row.branch, 60)} · Slipway`,
    style: fullWindow,
    icon: iconUrl(context.site),
    body: replayFrame({ title: row.repo, device: row.deviceSpec, path: framePath })
  })
