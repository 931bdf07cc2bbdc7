import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { exactly } from "./bodies.ts"
import type { Put } from "./Platform.ts"

/**
 * PUTs by `node:http`, as the `fetch` of Node keeps what it sends in memory. A body is read as fast as the network takes it.
 * An answer that comes before all is sent is the answer: the rest is not sent.
 */
export const nodePut: Put = ({ contentType, idleMs, name, onBytes, signal, sizeBytes, source, url }) =>
  new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? httpsRequest : httpRequest
    const request = send(url, {
      method: "PUT",
      headers: { "content-type": contentType, "content-length": sizeBytes },
      ...(signal === undefined ? {} : { signal })
    })
    request.setTimeout(idleMs, () => request.destroy(new DOMException("Nothing moved.", "TimeoutError")))
    request.once("error", reject)
    request.once("response", (response) => {
      const { headers, statusCode: status = 0 } = response
      text(response)
        .then((text) => resolve({ status, header: (header) => String(headers[header] ?? "") || null, text }), reject)
        .finally(() => {
          if (!request.writableFinished) request.destroy()
        })
    })
    const bytes = Readable.from(exactly(name, source, sizeBytes, onBytes), { highWaterMark: 1 })
    // What fails here ends the request with the same error, unless that has its answer already.
    pipeline(bytes, request).catch(reject)
  })
