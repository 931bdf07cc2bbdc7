/** The lines of a stream of UTF-8 text, in batches as they arrive. What is left at the end is the last line. */
export async function* lineBatches(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReadonlyArray<string>> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split(/\r?\n/)
      if (done) {
        yield lines
        return
      }
      rest = lines.pop() ?? ""
      if (lines.length > 0) yield lines
    }
  } finally {
    await reader.cancel()
  }
}
