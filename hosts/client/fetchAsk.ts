import type { Ask } from "./Platform.ts"

/** Sends requests by `fetch`. Without a key, `credentials` decides whether they have the cookies of the browser. */
export const fetchAsk =
  (fetch: typeof globalThis.fetch): Ask =>
  async ({ body, credentials, headers, method, signal, url }) => {
    const response = await fetch(url, { method, credentials, headers, signal, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    return { status: response.status, header: (name) => response.headers.get(name), text }
  }
