import { listIn, numberIn, textIn, type Fields } from "../runtime/decode.ts"

const numbers = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/g

const mixColors = (from: number, to: number, at: number): number => {
  let mixed = 0
  for (const shift of [24, 16, 8, 0]) {
    const [one, other] = [(from >>> shift) & 255, (to >>> shift) & 255]
    mixed |= Math.max(0, Math.min(255, Math.round(one + (other - one) * at))) << shift
  }
  return mixed >>> 0
}

/** Texts of the same shape: the numbers in them are what differs. */
const mixTexts = (from: string, to: string, at: number): string => {
  const ends = (to.match(numbers) ?? []).map(Number)
  let next = 0
  return from.replace(numbers, (text) => {
    const start = Number(text)
    const end = ends[next++] ?? start
    return String(start + (end - start) * at)
  })
}

const mix = (from: unknown, to: unknown, at: number, isColor: boolean): unknown => {
  const [start, end] = [numberIn(from), numberIn(to)]
  if (start !== undefined && end !== undefined) return isColor ? mixColors(start, end, at) : start + (end - start) * at
  return mixTexts(textIn(from) ?? "", textIn(to) ?? "", at)
}

/** What a value becomes by an interpolation as React Native configures it. */
export const interpolate = (config: Fields, value: number): unknown => {
  const inputs = listIn(config["inputRange"]).map(Number)
  const outputs = listIn(config["outputRange"])
  let upper = 1
  while (upper < inputs.length - 1 && value > (inputs[upper] ?? 0)) upper += 1
  const [low = 0, high = 0] = [inputs[upper - 1], inputs[upper]]
  const beyond = value < low ? config["extrapolateLeft"] : value > high ? config["extrapolateRight"] : undefined
  if (beyond === "identity") return value
  const clamped = beyond === "clamp" ? Math.min(Math.max(value, low), high) : value
  const at = high === low ? (clamped <= low ? 0 : 1) : (clamped - low) / (high - low)
  return mix(outputs[upper - 1], outputs[upper], at, config["outputType"] === "color")
}
