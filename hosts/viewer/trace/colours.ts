/** What tells a terminal of colours, links and where to write: it is no text. */
// oxlint-disable-next-line no-control-regex -- it is control characters that are looked for
const escape = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g

/** A text as a terminal would show it, without its colours. */
export const withoutColours = (text: string): string => (text.includes("\u001b") ? text.replace(escape, "") : text)
