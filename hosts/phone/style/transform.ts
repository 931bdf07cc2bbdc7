import { fieldsIn, listIn, textIn } from "../runtime/decode.ts"
import { angle, length } from "./length.ts"

const step = (name: string, value: unknown): string => {
  const values = listIn(value)
  switch (name) {
    case "matrix":
      return values.length === 9
        ? `matrix(${[0, 1, 3, 4, 6, 7].map((at) => Number(values[at])).join()})`
        : `matrix3d(${values.map(Number).join()})`
    case "perspective":
      return `perspective(${length(value)})`
    case "translate":
      return `translate(${length(values[0]) || "0px"},${length(values[1]) || "0px"})`
    case "translateX":
    case "translateY":
      return `${name}(${length(value) || "0px"})`
    case "scale":
    case "scaleX":
    case "scaleY":
      return `${name}(${Array.isArray(value) ? values.map(Number).join() : Number(value)})`
    case "rotate":
    case "rotateX":
    case "rotateY":
    case "rotateZ":
    case "skewX":
    case "skewY":
      return `${name}(${angle(value)})`
    default:
      return ""
  }
}

/** React Native's `transform` in CSS. */
export const transform = (value: unknown): string => {
  const text = textIn(value)
  if (text !== undefined) return text
  const steps = listIn(value)
  if (typeof steps[0] === "number") return `matrix3d(${steps.map(Number).join()})`
  return steps
    .map((one) =>
      Object.entries(fieldsIn(one))
        .map(([name, to]) => step(name, to))
        .join(" ")
    )
    .join(" ")
}

/** React Native's `transformOrigin` in CSS. */
export const transformOrigin = (value: unknown): string =>
  Array.isArray(value) ? value.map(length).join(" ") : (textIn(value) ?? "")
