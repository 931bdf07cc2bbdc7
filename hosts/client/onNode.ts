import { createHash } from "node:crypto"
import { open, stat } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import type { Ask, Platform, Put } from "./Platform.ts"
import { exactly, type Source, sourceOf } from "./bodies.ts"

/** The `request` of the module for a URL: TLS is loaded only where it is used, because that takes long. */
const nodeRequest = async (url: string): Promise<typeof import("node:http").request> => {
  const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http")
  return request
}

/**
 * Sends requests by `node:http`: to load and run the `fetch` of Node takes a large part of the CPU time of a short program. It follows no
 * redirects, as a `fetch` to another origin would leave the key behind.
 */
const nodeAsk: Ask = async ({ body, headers, method, signal, url }) => {
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

/**
 * PUTs by `node:http`, as the `fetch` of Node keeps what it sends in memory. A chunk is read when the one before is with the
 * system, so that the memory of both may be the same. An answer that comes before all is sent is the answer: the rest is not sent.
 */
const nodePut: Put = async ({ contentType, idleMs, name, onBytes, signal, sizeBytes, source, url }) => {
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

const readBytes = 256 * 1024

/**
 * Reads a file into the same memory again and again, which is no larger than the file: new memory for each piece, or much for a small
 * file, is collected late, and adds up.
 */
async function* fileChunks(path: string | URL): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const memory = new Uint8Array(Math.min(readBytes, (await file.stat()).size + 1))
    for (;;) {
      const { bytesRead } = await file.read(memory)
      if (bytesRead === 0) return
      yield memory.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

const ofPath = async (path: string | URL): Promise<Source> => ({
  sizeBytes: (await stat(path)).size,
  isRepeatable: true,
  chunks: () => fileChunks(path)
})

/** Node, Bun and Deno: bodies are read as streams, from beginning to end, once for their digest and once to send them. */
export const onNode: Platform = {
  open: (body) => sourceOf(body, ofPath),
  measure: async (source, { isGzip, signal }) => {
    const hash = createHash("sha256")
    let sizeBytes = 0
    const counted = async function* () {
      for await (const chunk of source.chunks()) {
        signal?.throwIfAborted()
        sizeBytes += chunk.byteLength
        // Unpacking continues while the next chunk is read.
        yield isGzip ? chunk.slice() : chunk
      }
    }
    const update = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) hash.update(chunk)
    }
    await (isGzip ? pipeline(counted(), createGunzip(), update) : update(counted()))
    return { sizeBytes, contentHash: hash.digest("hex") }
  },
  ask: nodeAsk,
  put: nodePut
}
