import { rawHtml, type Html } from "./html.ts"

/** Data for a page's script, as JSON in an element that doesn't run. */
export const scriptData = (id: string, data: unknown): Html =>
  rawHtml(
    `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll("<", String.raw`\u003c`)}</script>`
  )
