import { fieldsIn, numberIn, textIn, type Fields } from "../runtime/decode.ts"
import type { Box } from "../views/Component.ts"

/** How the next change of the layout is shown. */
export interface LayoutAnimation {
  readonly created: (element: Element) => void
  readonly moved: (element: Element, from: Box, to: Box) => void
  /** Animates the exit of a deleted element, then removes it. */
  readonly removed: (element: Element, remove: () => void) => void
}

const easings: Readonly<Record<string, string>> = {
  linear: "linear",
  easeIn: "ease-in",
  easeOut: "ease-out",
  easeInEaseOut: "ease-in-out",
  keyboard: "cubic-bezier(.17,.59,.4,.77)",
  // As a spring that swings once beyond where it comes to rest.
  spring: "cubic-bezier(.34,1.36,.64,1)"
}

const hidden = (property: unknown): Keyframe => {
  switch (property) {
    case "scaleX":
      return { transform: "scaleX(0)" }
    case "scaleY":
      return { transform: "scaleY(0)" }
    case "scaleXY":
      return { transform: "scale(0)" }
    default:
      return { opacity: 0 }
  }
}

const placed = ({ height, width, x, y }: Box): Keyframe => ({
  left: `${x}px`,
  top: `${y}px`,
  width: `${width}px`,
  height: `${height}px`
})

/** An animation as the app configured it. */
export const layoutAnimation = (config: Fields): LayoutAnimation & { readonly duration: number } => {
  const duration = numberIn(config["duration"]) ?? 0
  const part = (name: string) => {
    const one = fieldsIn(config[name])
    return config[name] === undefined
      ? undefined
      : {
          property: textIn(one["property"]),
          timing: {
            duration: numberIn(one["duration"]) ?? duration,
            delay: numberIn(one["delay"]) ?? 0,
            easing: easings[textIn(one["type"]) ?? "linear"] ?? "ease",
            fill: "backwards" as const
          }
        }
  }
  const [create, update, remove] = [part("create"), part("update"), part("delete")]
  return {
    duration,
    created: (element) => {
      if (create !== undefined) element.animate([hidden(create.property), {}], create.timing)
    },
    moved: (element, from, to) => {
      if (update !== undefined) element.animate([placed(from), placed(to)], update.timing)
    },
    removed: (element, done) => {
      if (remove === undefined) done()
      else element.animate([{}, hidden(remove.property)], remove.timing).addEventListener("finish", done)
    }
  }
}
