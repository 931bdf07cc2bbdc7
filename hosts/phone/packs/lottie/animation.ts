import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../../runtime/decode.ts"
import type { Range } from "./playhead.ts"

/** An animation of Lottie, decoded for one view: lottie-web changes its `json`. */
export interface Animation {
  readonly json: Fields
  readonly frames: Range
  /** Frames in a second. */
  readonly rate: number
  readonly width: number
  readonly height: number
  /** What is played instead with reduced motion, as its marker says. */
  readonly reduced: Range | undefined
}

/** What is left of a key path below something with this name; `undefined` if the path leads elsewhere. */
const below = (path: ReadonlyArray<string>, name: unknown): ReadonlyArray<string> | undefined => {
  const [key, ...rest] = path
  if (key === "**") return rest[0] === name ? rest.slice(1) : rest.length === 0 ? [] : path
  return key === undefined || key === "*" || key === name ? rest : undefined
}

/** Gives the fills and strokes below a key path this color: `Boat.Sail` is all of the sail. */
const tint = (items: unknown, path: ReadonlyArray<string>, color: Fields, assets: ReadonlyArray<Fields>): void => {
  for (const item of listIn(items).map(fieldsIn)) {
    const rest = below(path, item["nm"])
    if (rest === undefined) continue
    if (rest.length === 0 && (item["ty"] === "fl" || item["ty"] === "st")) Object.assign(item, { c: color })
    const composition = assets.find(({ id }) => id !== undefined && id === item["refId"])
    for (const inner of [item["it"], item["shapes"], composition?.["layers"]]) tint(inner, rest, color, assets)
  }
}

const tintAll = (json: Fields, filters: unknown): void => {
  const assets = listIn(json["assets"]).map(fieldsIn)
  for (const { color, keypath } of listIn(filters).map(fieldsIn)) {
    const [path, bits] = [textIn(keypath), numberIn(color)]
    if (path === undefined || bits === undefined) continue
    const channels = [16, 8, 0, 24].map((shift) => ((bits >>> shift) & 255) / 255)
    tint(json["layers"], path.split("."), { a: 0, k: channels }, assets)
  }
}

const reducedIn = (json: Fields): Range | undefined => {
  const marker = listIn(json["markers"])
    .map(fieldsIn)
    .find(({ cm }) => /^reduced[ _-]?motion$/i.test(textIn(cm) ?? ""))
  const from = numberIn(marker?.["tm"])
  return from === undefined ? undefined : [from, from + (numberIn(marker?.["dr"]) ?? 0)]
}

/** Decodes the text of an animation, with color filters of the app. Throws if it is none. */
export const decodeAnimation = (text: string, filters: unknown): Animation => {
  const json = fieldsIn(JSON.parse(text))
  const [first, last, rate, width, height] = ["ip", "op", "fr", "w", "h"].map((name) => numberIn(json[name]))
  if (
    first === undefined ||
    last === undefined ||
    rate === undefined ||
    width === undefined ||
    height === undefined ||
    !Array.isArray(json["layers"])
  )
    throw new Error("it has no layers, frames or size")
  // lottie-web would load them, one kind as a script. A phone has only the fonts of its app.
  for (const font of listIn(fieldsIn(json["fonts"])["list"])) Object.assign(fieldsIn(font), { fPath: "" })
  tintAll(json, filters)
  return { json, frames: [first, last], rate, width, height, reduced: reducedIn(json) }
}
