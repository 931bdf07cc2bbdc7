import { numberIn, textIn } from "../runtime/decode.ts"

/** A length in CSS: a number is one of points, a text stands as it is; `""` for none. */
export const length = (value: unknown): string => {
  const points = numberIn(value)
  return points === undefined ? (textIn(value) ?? "") : `${points}px`
}

/** An angle in CSS: a number is one of radians. */
export const angle = (value: unknown): string => {
  const radians = numberIn(value)
  return radians === undefined ? (textIn(value) ?? "0") : `${radians}rad`
}
