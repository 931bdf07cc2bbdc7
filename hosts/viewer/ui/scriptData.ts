/** What a page tells its script: as JSON in an element that runs nothing. */
export const scriptData = (id: string, data: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll("<", String.raw`\u003c`)}</script>`
