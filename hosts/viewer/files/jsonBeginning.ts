/** The shown part of a JSON text. */
export interface JsonBeginning {
  readonly value: unknown
  /** An upper estimate of the number of values in it, including itself. */
  readonly count: number
  readonly isWhole: boolean
}

/** The end of the string that begins at an index: after its closing quote, or the end of the text. */
const endOfText = (json: string, begin: number): number => {
  for (let at = begin + 1; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') return at + 1
    if (character === "\\") at += 1
  }
  return json.length
}

/**
 * The first values of a JSON text, about `most` of them. A value nested too deep is replaced by the text `…`. The text
 * is cut before it is parsed, because parsing many values is slow. `undefined` if the part that was read isn't JSON.
 */
export const jsonBeginning = (
  json: string,
  most: { readonly values: number; readonly depth: number }
): JsonBeginning | undefined => {
  const kept: Array<string> = []
  /** The closing brackets of the open lists and objects, the innermost last. */
  const closers: Array<string> = []
  let [count, from, isWhole] = [1, 0, true]

  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    const isHidden = closers.length > most.depth
    if (character === '"') at = endOfText(json, at) - 1
    else if (character === "[" || character === "{") {
      closers.push(character === "[" ? "]" : "}")
      if (closers.length <= most.depth) count += 1
      else if (!isHidden) {
        kept.push(json.slice(from, at), '"…"')
        isWhole = false
      }
    } else if (character === "]" || character === "}") {
      closers.pop()
      if (isHidden && closers.length === most.depth) from = at + 1
    } else if (character === "," && !isHidden) count += 1
    if (count <= most.values) continue
    kept.push(json.slice(from, character === "," ? at : at + 1), ...closers.toReversed())
    ;[from, isWhole] = [json.length, false]
    break
  }
  kept.push(json.slice(from))
  try {
    return { value: JSON.parse(kept.join("")), count, isWhole }
  } catch {
    return undefined
  }
}
