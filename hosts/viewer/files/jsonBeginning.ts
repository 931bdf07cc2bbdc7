/** JSON as far as it is shown. */
export interface JsonBeginning {
  readonly value: unknown
  /** About how many values there are in it, itself among them: no fewer. */
  readonly count: number
  readonly isWhole: boolean
}

/** Where the text in quotes ends that begins at a place: behind its last quote, or at the end. */
const endOfText = (json: string, begin: number): number => {
  for (let at = begin + 1; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') return at + 1
    if (character === "\\") at += 1
  }
  return json.length
}

/**
 * The first values of JSON, at most about so many, and none that lies deeper than so many others: in place of what would,
 * there is a text `…`. It is cut before it is parsed, which takes long where values are many. `undefined` for what is no
 * JSON as far as it is read.
 */
export const jsonBeginning = (
  json: string,
  most: { readonly values: number; readonly depth: number }
): JsonBeginning | undefined => {
  const kept: Array<string> = []
  /** What the lists and objects that are open end with, the innermost last. */
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
