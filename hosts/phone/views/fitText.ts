import { numberIn, type Fields } from "../runtime/decode.ts"
import { settings } from "../runtime/device.ts"
import type { Room, Size } from "./Component.ts"

/** The size of letters where no style says one, in points. */
const usual = 14

/** By how much letters are made smaller at a time, in points. */
const step = 0.5

/** Makes the letters of a text smaller until it fits into its lines, as `adjustsFontSizeToFit` asks; answers its size. */
export const fitText = (drawn: HTMLElement, props: Fields, room: Room, measure: (room: Room) => Size): Size => {
  const isFitted = props["adjustsFontSizeToFit"] === true && (numberIn(props["numberOfLines"]) ?? 0) > 0
  if (!isFitted) return measure(room)
  const isScaled = props["allowFontScaling"] !== false
  const whole = (numberIn(props["fontSize"]) ?? usual) * (isScaled ? settings().textSize : 1)
  const least = Math.max(1, whole * (numberIn(props["minimumFontScale"]) ?? 0))
  const measured = (size: number): Size => {
    drawn.style.fontSize = `${size}px`
    return measure(room)
  }
  let size = measured(whole)
  // Lines that are cut off are still a part of what could be scrolled.
  for (let letters = whole - step; drawn.scrollHeight > size.height + 1 && letters >= least; letters -= step) {
    size = measured(letters)
  }
  return size
}
