import { text } from "node:stream/consumers"
import { nodeRequest } from "./nodeRequest.ts"
import type { Ask } from "./Platform.ts"

/**
 * Sends requests by `node:http`: to load and run the `fetch` of Node takes a large part of the CPU time of a short program. It follows no
 * redirects, as a `fetch` to another origin would leave the key behind.
 */
export const nodeAsk: Ask = async ({ body, headers, method, signal, url }) => {
  const make = await nodeRequest(url)
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(signal.aborted ? signal.reason : error)
    const request = make(url, { method, headers, signal })
    request.on("error", fail)
    request.once("response", (response) => {
      const { headers, statusCode: status = 0 } = response
      text(response).then(
        (text) => resolve({ status, header: (header) => String(headers[header] ?? "") || null, text }),
        fail
      )
    })
    request.end(body)
  })
}
