import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { BuildRow } from "../../../core/api/builds/responses.ts"
import { document, stylesheet } from "./document.ts"
import { iconUrl } from "./layout.ts"
import type { PageContext } from "./layout.ts"
import { shortText } from "./text.ts"

/** The screen of a build that names none, in CSS pixels. */
const commonDevice = { width: 390, height: 844 }

/** The frame that runs a build. It may run scripts and nothing else: no origin, no pop-ups, no leading the page away. */
export const replayFrame = ({ path, row }: { readonly row: BuildRow; readonly path: string }): string => {
  const { height, width } = row.deviceSpec ?? commonDevice
  return html`<iframe
    src="${path}"
    title="${row.repo} running"
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
    body: replayFrame({ row, path: framePath })
  })
