import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../runtime/decode.ts"
import { color } from "./color.ts"
import { angle, length } from "./length.ts"

const nothing = (text: string): string => (text === "" ? "0px" : text)

const boxShadow = (value: unknown): string =>
  textIn(value) ??
  listIn(value)
    .map(fieldsIn)
    .map((one) => {
      const lengths = [one["offsetX"], one["offsetY"], one["blurRadius"], one["spreadDistance"]]
      const paint = one["color"] === undefined ? "#000" : color(one["color"])
      return `${one["inset"] === true ? "inset " : ""}${lengths.map((each) => nothing(length(each))).join(" ")} ${paint}`
    })
    .join()

/** The shadow of iOS, which is a property for each of its parts. */
const platformShadow = (props: Fields): string => {
  const opacity = numberIn(props["shadowOpacity"]) ?? 0
  if (opacity === 0) return ""
  const offset = fieldsIn(props["shadowOffset"])
  const [x, y] = [numberIn(offset["width"]) ?? 0, numberIn(offset["height"]) ?? -3]
  const paint = props["shadowColor"] === undefined ? "#000" : color(props["shadowColor"])
  const blur = (numberIn(props["shadowRadius"]) ?? 3) * 2
  return `${x}px ${y}px ${blur}px color-mix(in srgb, ${paint} ${Math.min(opacity, 1) * 100}%, transparent)`
}

/** The shadow of a view in CSS. */
export const shadow = (props: Fields): string =>
  props["boxShadow"] === undefined ? platformShadow(props) : boxShadow(props["boxShadow"])

/** The shadow of a text in CSS. */
export const textShadow = (props: Fields): string => {
  if (props["textShadowColor"] === undefined) return ""
  const offset = fieldsIn(props["textShadowOffset"])
  const lengths = [offset["width"], offset["height"], props["textShadowRadius"]]
  return `${lengths.map((each) => nothing(length(each))).join(" ")} ${color(props["textShadowColor"])}`
}

const oneFilter = (name: string, value: unknown): string => {
  if (name === "dropShadow") {
    const one = fieldsIn(value)
    const lengths = [one["offsetX"], one["offsetY"], one["standardDeviation"]].map((each) => nothing(length(each)))
    return `drop-shadow(${lengths.join(" ")} ${color(one["color"] ?? "#000")})`
  }
  if (name === "blur") return `blur(${length(value)})`
  if (name === "hueRotate") return `hue-rotate(${typeof value === "number" ? `${value}deg` : angle(value)})`
  return `${name}(${String(value)})`
}

/** React Native's `filter` in CSS. */
export const filter = (value: unknown): string =>
  textIn(value) ??
  listIn(value)
    .flatMap((one) => Object.entries(fieldsIn(one)))
    .map(([name, to]) => oneFilter(name, to))
    .join(" ")

const gradient = (value: Fields): string => {
  const stops = listIn(value["colorStops"])
    .map(fieldsIn)
    .map((stop) => {
      const at = [...listIn(stop["positions"]), stop["position"]].map(length).join(" ")
      return `${color(stop["color"])} ${at}`.trim()
    })
  if (/radial/.test(String(value["type"]))) {
    const size = textIn(value["size"]) ?? ""
    const place = Object.entries(fieldsIn(value["position"])).map(([edge, by]) => `${edge} ${length(by)}`)
    const shape = `${textIn(value["shape"]) ?? ""} ${size} ${place.length === 2 ? `at ${place.join(" ")}` : ""}`.trim()
    return `radial-gradient(${[...(shape === "" ? [] : [shape]), ...stops].join()})`
  }
  const direction = fieldsIn(value["direction"])
  const to = direction["value"]
  const head = to === undefined ? [] : [typeof to === "number" ? `${to}deg` : String(to)]
  return `linear-gradient(${[...head, ...stops].join()})`
}

/** React Native's `backgroundImage` (`experimental_backgroundImage`) in CSS. */
export const backgroundImage = (value: unknown): string =>
  textIn(value) ?? listIn(value).map(fieldsIn).map(gradient).join()
