import { fieldsIn, listIn, numberIn, type Fields } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import type { Box, Component } from "./Component.ts"
import { element } from "./element.ts"

const pointIn = (value: unknown, x: number, y: number): readonly [number, number] => {
  const [first, second] = Array.isArray(value) ? value : [fieldsIn(value)["x"], fieldsIn(value)["y"]]
  return [numberIn(first) ?? x, numberIn(second) ?? y]
}

const stopIn = (value: unknown): string => (numberIn(value) === undefined ? "" : `${Number(value) * 100}%`)

/**
 * A gradient between two points of a box, in CSS, which has it run through the middle at an angle: the places of the
 * colours are moved along that line.
 */
const gradientText = (props: Fields, { height, width }: Pick<Box, "height" | "width">): string => {
  const [startX, startY] = pointIn(props["startPoint"] ?? props["start"], 0.5, 0)
  const [endX, endY] = pointIn(props["endPoint"] ?? props["end"], 0.5, 1)
  if (props["useAngle"] === true) {
    const stops = listIn(props["colors"]).map((one, n) => [color(one), stopIn(listIn(props["locations"])[n])].join(" "))
    return `linear-gradient(${numberIn(props["angle"]) ?? 45}deg, ${stops.join()})`
  }
  const [x, y] = [(endX - startX) * width, (endY - startY) * height]
  const length = Math.max(0.001, Math.hypot(x, y))
  const [alongX, alongY] = [x / length, y / length]
  const whole = Math.abs(width * alongX) + Math.abs(height * alongY)
  const from = (startX - 0.5) * width * alongX + (startY - 0.5) * height * alongY + whole / 2
  const colors = listIn(props["colors"])
  const places = listIn(props["locations"]).map(Number)
  const stops = colors.map((one, n) => {
    const at = places[n] ?? n / Math.max(1, colors.length - 1)
    return `${color(one)} ${from + at * length}px`
  })
  return `linear-gradient(${Math.atan2(alongX, -alongY)}rad, ${stops.join()})`
}

/** A view that is filled with a gradient: Expo's, and react-native-linear-gradient. */
export const linearGradient: Component = (own) => {
  const drawn = element("view")
  let size = { width: 1, height: 1 }
  const draw = (): void => {
    drawn.style.backgroundImage = gradientText(own.props(), size)
  }
  return {
    element: drawn,
    update: draw,
    laidOut: (box) => {
      size = box
      draw()
    }
  }
}
