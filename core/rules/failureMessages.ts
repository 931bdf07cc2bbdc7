/** One line of a failure's message, and the pattern by which failures of one cause are grouped. */

/** The first line of a message that isn't empty, at most 200 characters. */
export const messageLine = (message: string): string | undefined => {
  const line = message
    .slice(0, 4096)
    .split(/[\r\n]+/)
    .map((one) => one.replaceAll(/\s+/g, " ").trim())
    .find((one) => one !== "")
  return line === undefined || line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`
}

/**
 * A message without what differs from run to run, so that failures of one cause are grouped: quoted texts, paths, URLs, ids,
 * times and numbers become `…`.
 */
export const messagePattern = (message: string): string =>
  message
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, "…")
    .replaceAll(/\b[a-z][a-z+.-]*:\/\/\S+|(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@-]+){2,}/g, "…")
    .replaceAll(
      /\b(?=[\da-f-]*\d)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b(?=[a-f]*\d)[\da-f]{7,}\b|\b0x[\da-f]+\b/gi,
      "…"
    )
    .replaceAll(/\d+(?:[.,:]\d+)*/g, "…")

const mostPatterns = 1000
const patterns = new Map<string, string>()

/** {@link messagePattern}, computed once for the registrations that find the message in a history. */
export const patternOf = (message: string): string => {
  const known = patterns.get(message)
  if (known !== undefined) return known
  if (patterns.size === mostPatterns) patterns.clear()
  const pattern = messagePattern(message)
  patterns.set(message, pattern)
  return pattern
}
