import { SlipwayError } from "./SlipwayError.ts"

/** A stream of bytes; a `Readable` of Node is one. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * The bytes of something to upload. A stream can be read once, so that its PUT can't be sent again when it fails; a
 * function that opens a new stream each time can. `path` names a file, on Node, Bun and Deno.
 */
export type Body =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ByteStream
  | (() => ByteStream)
  | { readonly path: string | URL }

/** A body as it is read. */
export interface Source {
  /** `undefined` where it isn't known before all is read. */
  readonly sizeBytes: number | undefined
  readonly isRepeatable: boolean
  /** The bytes in a form that `fetch` sends without reading them first. */
  readonly held?: Blob | Uint8Array<ArrayBuffer>
  /**
   * Reads it from its beginning. A chunk holds until the next one is asked for: its memory may be used again. Stopping
   * early closes the source.
   */
  readonly chunks: () => AsyncIterable<Uint8Array>
}

/** A body that can't be sent as it was declared. */
export const unfit = (name: string, detail: string, cause?: unknown): SlipwayError =>
  new SlipwayError(name, { code: "body_unfit", detail, cause })

async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array> {
  if (!("getReader" in stream)) return yield* stream
  // Not every browser iterates over a stream.
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

const ofBlob = (blob: Blob): Source => ({
  sizeBytes: blob.size,
  isRepeatable: true,
  held: blob,
  chunks: () => chunksOf(blob.stream())
})

const ofBytes = (bytes: Uint8Array<ArrayBuffer>): Source => ({
  sizeBytes: bytes.byteLength,
  isRepeatable: true,
  held: bytes,
  chunks: async function* () {
    yield bytes
  }
})

const bodyKinds = "The body must be bytes, a Blob, a stream, or { path } of a file."

const isStream = (body: object): body is ByteStream => Symbol.asyncIterator in body || "getReader" in body

/**
 * Reads a body. `ofPath` opens a file, where there are files. Each kind is detected by its members: realms share no
 * classes.
 */
export const sourceOf = async (body: Body, ofPath: (path: string | URL) => Promise<Source>): Promise<Source> => {
  if (typeof body === "function") {
    return { sizeBytes: undefined, isRepeatable: true, chunks: () => chunksOf(body()) }
  }
  // JavaScript callers may pass anything; a string could be a path or content.
  if (typeof body !== "object" || body === null) {
    throw new TypeError(bodyKinds)
  }
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteLength, byteOffset } = body
    // Memory that threads share is copied: `fetch` takes none.
    const isOwn = buffer instanceof ArrayBuffer
    return ofBytes(
      isOwn
        ? new Uint8Array(buffer, byteOffset, byteLength)
        : new Uint8Array(buffer).slice(byteOffset, byteOffset + byteLength)
    )
  }
  if ("byteLength" in body) return ofBytes(new Uint8Array(body))
  if ("size" in body) return ofBlob(body)
  // Before the path: the stream of a file has one too.
  if (isStream(body)) {
    return { sizeBytes: undefined, isRepeatable: false, chunks: () => chunksOf(body) }
  }
  if (body.path === undefined) throw new TypeError(bodyKinds)
  return ofPath(body.path)
}

/** A body that is read whole into a `Blob`, which browsers keep outside of the page's memory. */
export const gathered = async (source: Source, signal: AbortSignal | undefined): Promise<Source> => {
  if (source.held !== undefined) return source
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  for await (const chunk of source.chunks()) {
    signal?.throwIfAborted()
    chunks.push(new Uint8Array(chunk))
  }
  return ofBlob(new Blob(chunks))
}

/** Reads a source. Its failure is reported as the fault of the body `name`. */
async function* read(name: string, source: Source): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source.chunks()) {
      if (!ArrayBuffer.isView(chunk)) throw unfit(name, `Its stream has ${typeof chunk}, not bytes.`)
      yield chunk
    }
  } catch (error) {
    if (error instanceof SlipwayError) throw error
    throw unfit(name, error instanceof Error ? error.message : String(error), error)
  }
}

/** Reads exactly so many bytes, and fails where there are more or fewer. `onBytes` receives how many were read. */
export async function* exactly(
  name: string,
  source: Source,
  sizeBytes: number,
  onBytes: (sent: number) => void
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of read(name, source)) {
    seen += chunk.byteLength
    if (seen > sizeBytes) throw unfit(name, `It has more than the ${sizeBytes} bytes that were declared.`)
    yield chunk
    onBytes(seen)
  }
  if (seen < sizeBytes) throw unfit(name, `It has ${seen} bytes, and ${sizeBytes} were declared.`)
}
