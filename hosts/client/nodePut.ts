import { text } from "node:stream/consumers"
import { exactly } from "./bodies.ts"
import { nodeRequest } from "./nodeRequest.ts"
import type { Put } from "./Platform.ts"

/**
 * PUTs by `node:http`, as the `fetch` of Node keeps what it sends in memory. A chunk is read when the one before is with the
 * system, so that the memory of both may be the same. An answer that comes before all is sent is the answer: the rest is not sent.
 */
export const nodePut: Put = async ({ contentType, idleMs, name, onBytes, signal, sizeBytes, source, url }) => {
  const make = await nodeRequest(url)
  return new Promise((resolve, reject) => {
    const request = make(url, {
      method: "PUT",
      headers: { "content-type": contentType, "content-length": sizeBytes },
      ...(signal === undefined ? {} : { signal })
    })
    let stopWriting = () => {}
    request.setTimeout(idleMs, () => request.destroy(new DOMException("Nothing moved.", "TimeoutError")))
    // A destroyed request may emit a second error, which is ignored.
    request.on("error", reject)
    request.once("close", () => stopWriting())
    request.once("response", (response) => {
      const { headers, statusCode: status = 0 } = response
      text(response)
        .then((text) => resolve({ status, header: (header) => String(headers[header] ?? "") || null, text }), reject)
        .finally(() => {
          if (!request.writableFinished) request.destroy()
        })
    })
    const write = (chunk: Uint8Array) =>
      new Promise<void>((written, failed) => {
        // A chunk that waits for a connection is dropped silently when that fails.
        stopWriting = () => failed(new Error("The connection was closed."))
        request.write(chunk, (error) => (error ? failed(error) : written()))
      })
    const writeAll = async () => {
      for await (const chunk of exactly(name, source, sizeBytes, onBytes)) await write(chunk)
      request.end()
    }
    // What fails here ends the request with the same error, unless that has its answer already.
    writeAll().catch((error: unknown) => {
      reject(error)
      request.destroy()
    })
  })
}
