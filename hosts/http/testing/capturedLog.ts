import { Logger } from "effect"

/** A log that keeps its lines, in the format of the reference host. */
export const capturedLog = () => {
  const lines: Array<string> = []
  return { lines, layer: Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))]) }
}
