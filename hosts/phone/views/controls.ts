/** A switch and an activity indicator. */
import { isAndroid, system } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, type Drawing, element } from "./Component.ts"

/** How each system draws a switch, in points. Since iOS 13, a color of the app doesn't fill one that is off. */
const switches = {
  ios: { width: 51, height: 31, track: [51, 31], knob: 27, by: 20, on: "#34c759", off: "#78788029", isFilled: false },
  android: {
    width: 47,
    height: 27,
    track: [34, 14],
    knob: 20,
    by: 20,
    on: "color-mix(in srgb, var(--accent) 40%, transparent)",
    off: "var(--switch-off)",
    isFilled: true
  }
} as const

/** A switch. It turns at once, and turns back when the app doesn't take it over. */
export const toggle: Component = (context): Drawing => {
  const knob = element("knob")
  const track = element("track", knob)
  const drawn = element("view", track)
  drawn.setAttribute("role", "switch")
  const look = switches[system.platform]
  const [trackWidth, trackHeight] = look.track
  const edge = (look.width - look.knob - look.by) / 2
  knob.style.cssText =
    `position:absolute;top:${(trackHeight - look.knob) / 2}px;left:${edge - (look.width - trackWidth) / 2}px;` +
    `width:${look.knob}px;height:${look.knob}px;border-radius:50%;background:#fff;` +
    "box-shadow:0 3px 8px #00000026,0 3px 1px #0000000f;transition:transform .2s"
  // A phone's switch is as large as it is, whatever its style says.
  track.style.cssText =
    `position:absolute;top:${(look.height - trackHeight) / 2}px;left:${(look.width - trackWidth) / 2}px;` +
    `width:${trackWidth}px;height:${trackHeight}px;border-radius:16px;transition:background-color .2s`
  let isOn = false

  const draw = (): void => {
    const props = context.props()
    const off = look.isFilled ? colorOr(props["tintColor"], look.off) : look.off
    track.style.backgroundColor = isOn ? colorOr(props["onTintColor"], look.on) : off
    track.style.opacity = props["disabled"] === true ? "0.5" : ""
    knob.style.backgroundColor = colorOr(
      props["thumbTintColor"],
      look.isFilled ? `var(--${isOn ? "accent" : "knob"})` : "#fff"
    )
    knob.style.transform = isOn ? `translateX(${look.by}px)` : ""
    drawn.ariaChecked = String(isOn)
  }

  const set = (value: unknown): void => {
    isOn = value === true
    draw()
  }

  drawn.addEventListener("click", () => {
    if (context.props()["disabled"] === true) return
    set(!isOn)
    context.emit("topChange", { value: isOn, target: context.tag })
  })
  drawn.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return
    event.preventDefault()
    drawn.click()
  })
  return {
    element: drawn,
    measure: () => ({ width: look.width, height: look.height }),
    update: (props, before) => {
      if (props["value"] !== before["value"] || drawn.ariaChecked === null) isOn = props["value"] === true
      draw()
      drawn.ariaDisabled = props["disabled"] === true ? "true" : null
      drawn.tabIndex = props["disabled"] === true ? -1 : 0
    },
    commands: { setValue: set, setNativeValue: set }
  }
}

const colorOr = (value: unknown, otherwise: string): string =>
  value === undefined || value === null ? otherwise : color(value)

/** The wheel that turns while something is under way. */
export const activityIndicator: Component = (): Drawing => {
  const wheel = element("wheel")
  wheel.style.cssText =
    "position:absolute;inset:0;margin:auto;aspect-ratio:1;max-width:100%;max-height:100%;border-radius:50%;" +
    `mask:radial-gradient(farthest-side,transparent ${isAndroid() ? "82%,#000 84%" : "62%,#000 64%"});animation:phone-turn 1s ${isAndroid() ? "linear" : "steps(8)"} infinite`
  const drawn = element("view", wheel)
  drawn.setAttribute("role", "progressbar")
  const plain = isAndroid() ? "var(--accent)" : "#999"
  let size = 20
  return {
    element: drawn,
    measure: () => ({ width: size, height: size }),
    update: (props) => {
      size = props["size"] === "large" ? 36 : 20
      const paint = props["color"] === undefined || props["color"] === null ? plain : color(props["color"])
      wheel.style.background = isAndroid()
        ? `conic-gradient(transparent 25%, ${paint} 25%)`
        : `conic-gradient(transparent, ${paint})`
      const isStopped = props["animating"] === false
      wheel.style.animationPlayState = isStopped ? "paused" : ""
      drawn.style.visibility = isStopped && props["hidesWhenStopped"] !== false ? "hidden" : ""
    }
  }
}
