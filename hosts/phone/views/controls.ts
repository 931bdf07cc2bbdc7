/** A switch and an activity indicator. */
import { color } from "../style/color.ts"
import { type Component, type Drawing, element } from "./Component.ts"

/** A switch of iOS. It turns at once, and turns back when the app doesn't take it over. */
export const toggle: Component = (own): Drawing => {
  const knob = element("knob")
  const track = element("track", knob)
  const drawn = element("view", track)
  drawn.setAttribute("role", "switch")
  knob.style.cssText =
    "position:absolute;top:2px;left:2px;width:27px;height:27px;border-radius:14px;background:#fff;" +
    "box-shadow:0 3px 8px #00000026,0 3px 1px #0000000f;transition:transform .2s"
  // A phone's switch is as large as it is, whatever its style says.
  track.style.cssText =
    "position:absolute;top:0;left:0;width:51px;height:31px;border-radius:16px;transition:background-color .2s"
  let isOn = false

  const draw = (): void => {
    const props = own.props()
    // Since iOS 13, `tintColor` doesn't fill a switch that is off: the app's background is seen through it.
    track.style.backgroundColor = isOn ? given(props["onTintColor"], "#34c759") : "#78788029"
    track.style.opacity = props["disabled"] === true ? "0.5" : ""
    knob.style.backgroundColor = given(props["thumbTintColor"], "#fff")
    knob.style.transform = isOn ? "translateX(20px)" : ""
    drawn.ariaChecked = String(isOn)
  }

  const set = (value: unknown): void => {
    isOn = value === true
    draw()
  }

  drawn.addEventListener("click", () => {
    if (own.props()["disabled"] === true) return
    set(!isOn)
    own.emit("topChange", { value: isOn, target: own.tag })
  })
  drawn.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return
    event.preventDefault()
    drawn.click()
  })
  return {
    element: drawn,
    measure: () => ({ width: 51, height: 31 }),
    update: (props, before) => {
      if (props["value"] !== before["value"] || drawn.ariaChecked === null) isOn = props["value"] === true
      draw()
      drawn.ariaDisabled = props["disabled"] === true ? "true" : null
      drawn.tabIndex = props["disabled"] === true ? -1 : 0
    },
    commands: { setValue: set }
  }
}

const given = (value: unknown, otherwise: string): string =>
  value === undefined || value === null ? otherwise : color(value)

/** The wheel that turns while something is under way. */
export const activityIndicator: Component = (): Drawing => {
  const wheel = element("wheel")
  wheel.style.cssText =
    "position:absolute;inset:0;margin:auto;aspect-ratio:1;max-width:100%;max-height:100%;border-radius:50%;" +
    "mask:radial-gradient(farthest-side,transparent 62%,#000 64%);animation:phone-turn 1s steps(8) infinite"
  const drawn = element("view", wheel)
  drawn.setAttribute("role", "progressbar")
  let size = 20
  return {
    element: drawn,
    measure: () => ({ width: size, height: size }),
    update: (props) => {
      size = props["size"] === "large" ? 36 : 20
      const paint = props["color"] === undefined || props["color"] === null ? "#999" : color(props["color"])
      wheel.style.background = `conic-gradient(transparent, ${paint})`
      const isStopped = props["animating"] === false
      wheel.style.animationPlayState = isStopped ? "paused" : ""
      drawn.style.visibility = isStopped && props["hidesWhenStopped"] !== false ? "hidden" : ""
    }
  }
}
