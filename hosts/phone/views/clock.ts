/** The clock in which a time of Android is chosen: first the hour, then the minute. */
import { isDark } from "../runtime/device.ts"
import { element } from "./Component.ts"

/** How large the clock and its numbers are, in points. */
const [size, numberSize] = [256, 40]

/** How far from the middle the numbers are: those of the afternoon are in an inner circle where the clock has 24 hours. */
const [outer, inner] = [size / 2 - 28, size / 2 - 66]

interface ClockTime {
  readonly hours: number
  readonly minutes: number
}

interface ClockOptions {
  readonly is24: boolean
  /** The minutes between two that can be chosen. */
  readonly step: number
}

/** Draws a clock; `choose` is called with each time that a person chooses. */
export const drawClock = (choose: (time: ClockTime) => void, { is24, step }: ClockOptions) => {
  const face = element("")
  const [hour, minute, morning, afternoon] = [0, 1, 2, 3].map(() => document.createElement("button"))
  const head = element("", ...[hour, minute, morning, afternoon].flatMap((one) => one ?? []))
  const drawn = element("", head, face)
  let part: "hour" | "minute" = "hour"
  let shown: ClockTime = { hours: 0, minutes: 0 }

  const label = (button: HTMLButtonElement | undefined, text: string, name: string, isOn: boolean, style: string) => {
    if (button === undefined) return
    button.textContent = text
    button.ariaLabel = name
    button.ariaPressed = String(isOn)
    button.style.cssText =
      `border:0;padding:0;background:none;color:inherit;cursor:pointer;opacity:${isOn ? 1 : 0.6};` + style
  }

  /** A number on the clock, by its place of twelve. */
  const place = (value: number, at: number, radius: number, isChosen: boolean): HTMLElement => {
    const button = document.createElement("button")
    const turn = (at * Math.PI) / 6
    button.textContent = part === "minute" || value === 0 ? String(value).padStart(2, "0") : String(value)
    button.ariaPressed = String(isChosen)
    button.dataset["value"] = String(value)
    button.style.cssText =
      `position:absolute;left:${size / 2 + Math.sin(turn) * radius - numberSize / 2}px;border:0;padding:0;` +
      `top:${size / 2 - Math.cos(turn) * radius - numberSize / 2}px;width:${numberSize}px;height:${numberSize}px;` +
      `border-radius:50%;font:${radius === inner ? 13 : 16}px var(--system-fonts);cursor:pointer;` +
      (isChosen ? "background:var(--accent);color:var(--on-accent)" : "background:none;color:inherit")
    return button
  }

  const draw = (): void => {
    const { hours, minutes } = shown
    const twelve = hours % 12 || 12
    const large = "font:44px var(--system-fonts)"
    const padded = (value: number): string => String(value).padStart(2, "0")
    label(hour, is24 ? padded(hours) : String(twelve), "Hour", part === "hour", large)
    label(minute, `:${padded(minutes)}`, "Minute", part === "minute", large)
    const small = `${is24 ? "display:none;" : ""}font:16px var(--system-fonts);margin-inline-start:12px`
    label(morning, "AM", "AM", hours < 12, small)
    label(afternoon, "PM", "PM", hours >= 12, small)
    const isInner = is24 && part === "hour" && (hours === 0 || hours > 12)
    const turn = part === "hour" ? (hours % 12) / 12 : minutes / 60
    const hand = element("")
    hand.style.cssText =
      `position:absolute;left:${size / 2 - 1}px;top:${size / 2}px;width:2px;background:var(--accent);` +
      `height:${(isInner ? inner : outer) - (part === "minute" && minutes % 5 > 0 ? 0 : numberSize / 2)}px;` +
      `transform-origin:top;rotate:${turn * 360 + 180}deg`
    const numbers = Array.from({ length: 12 }, (_, at) =>
      part === "minute"
        ? [place(at * 5, at, outer, minutes === at * 5)]
        : [
            place(at || 12, at, outer, is24 ? hours === (at || 12) : twelve === (at || 12)),
            ...(is24 ? [place(at === 0 ? 0 : at + 12, at, inner, hours === (at === 0 ? 0 : at + 12))] : [])
          ]
    )
    face.replaceChildren(hand, ...numbers.flat())
    face.style.cssText =
      `position:relative;width:${size}px;height:${size}px;margin:16px auto 0;border-radius:50%;touch-action:none;` +
      `background:${isDark() ? "#fff1" : "#eee"}`
    head.style.cssText =
      "display:flex;align-items:baseline;justify-content:center;padding:16px 24px;background:var(--accent);color:var(--on-accent)"
  }

  const set = (value: number): void => {
    const { hours, minutes } = shown
    const hourOf = is24 ? value : (value % 12) + (hours < 12 ? 0 : 12)
    choose(part === "hour" ? { hours: hourOf, minutes } : { hours, minutes: value })
  }
  /** The value where the clock is pressed. */
  const pressed = ({ clientX, clientY }: PointerEvent): void => {
    const { height, left, top, width } = face.getBoundingClientRect()
    const [x, y] = [clientX - left - width / 2, clientY - top - height / 2]
    const turn = (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1
    if (part === "minute") set((Math.round((turn * 60) / step) * step) % 60)
    else {
      const at = Math.round(turn * 12) % 12
      const isInner = is24 && Math.hypot(x, y) < (outer + inner) / 2
      set(isInner ? (at === 0 ? 0 : at + 12) : at || 12)
    }
  }
  const turnTo = (to: "hour" | "minute"): void => {
    part = to
    draw()
  }
  let isPressed = false
  face.addEventListener("pointerdown", (event) => {
    isPressed = true
    face.setPointerCapture(event.pointerId)
    pressed(event)
  })
  face.addEventListener("pointermove", (event) => {
    if (isPressed) pressed(event)
  })
  face.addEventListener("pointerup", () => {
    if (isPressed) turnTo("minute")
    isPressed = false
  })
  // A key presses a number without a pointer.
  face.addEventListener("click", ({ detail, target }) => {
    if (detail > 0 || !(target instanceof HTMLElement) || target.dataset["value"] === undefined) return
    set(Number(target.dataset["value"]))
    turnTo("minute")
  })
  hour?.addEventListener("click", () => turnTo("hour"))
  minute?.addEventListener("click", () => turnTo("minute"))
  for (const [button, from] of [
    [morning, 0],
    [afternoon, 12]
  ] as const)
    button?.addEventListener("click", () => choose({ hours: (shown.hours % 12) + from, minutes: shown.minutes }))

  return {
    element: drawn,
    set: (time: ClockTime): void => {
      shown = time
      draw()
    }
  }
}
