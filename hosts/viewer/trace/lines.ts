/** Where a line is cut: what goes on behind this many characters without a line break is left out. */
export const longestLine = 2 ** 20

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

/** The lines of a stream of UTF-8 text, in batches as they arrive. What is left at the end is the last line. */
export async function* lineBatches(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReadonlyArray<string>> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const [first = "", ...others] = (done ? decoder.decode() : decoder.decode(value, { stream: true })).split("\n")
      if (rest.length < longestLine) rest += first
      if (others.length > 0 || done) {
        const next = done ? "" : (others.pop() ?? "")
        const lines = [rest.slice(0, longestLine), ...others].map(withoutReturn)
        if (done && lines.at(-1) === "") lines.pop()
        rest = next
        if (lines.length > 0) yield lines
      }
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}
