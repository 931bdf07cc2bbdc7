/** The two screens of a comparison: side by side or over each other, with an outline of what differs. */
import type { Clock } from "../trace/client/clock.ts"
import { part, parts, setText } from "../ui/dom.ts"
import { differences, type Differences, type Marked } from "./differences.ts"

const sides = ["left", "right"] as const
const svg = "http://www.w3.org/2000/svg"

/** How long a moment has to last before its screens are compared, in milliseconds. */
const pause = 120

/** How far from the pixels that differ their outline is, in pixels of the picture. */
const margin = 6

type Screen = HTMLImageElement | HTMLVideoElement

/** The picture or video of a side that is shown. */
const screenIn = (side: HTMLElement): Screen | undefined =>
  [...side.querySelectorAll<Screen>(".screens :is(img, video)")].find(
    (one) => one.offsetParent !== null && one.offsetHeight > 0
  )

/** The pixels of a screen. A picture is read again, as one of another origin may not be read from the page. */
const pixelsOf = async (screen: Screen): Promise<ImageBitmap | undefined> => {
  if (screen instanceof HTMLVideoElement) return screen.readyState < 2 ? undefined : await createImageBitmap(screen)
  const response = await fetch(screen.src, { credentials: "omit" })
  return createImageBitmap(await response.blob())
}

const textOf = ({ areas, share }: Differences): string =>
  areas === 0
    ? "The screens are the same."
    : `${areas} ${areas === 1 ? "area differs" : "areas differ"} (${(share * 100).toFixed(1)}%)`

/** Draws outlines over a screen. */
const outline = (side: HTMLElement, screen: Screen, { boxes, height, width }: Marked): void => {
  const host = part(side, ".screens", HTMLElement)
  const drawing = document.createElementNS(svg, "svg")
  drawing.setAttribute("class", "differences")
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`)
  drawing.setAttribute("preserveAspectRatio", "none")
  drawing.setAttribute("aria-hidden", "true")
  for (const { height, width, x, y } of boxes) {
    const rect = document.createElementNS(svg, "rect")
    const around = { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin, rx: margin }
    for (const [name, value] of Object.entries(around)) rect.setAttribute(name, String(value))
    drawing.append(rect)
  }
  const [outer, inner] = [host.getBoundingClientRect(), screen.getBoundingClientRect()]
  drawing.style.left = `${inner.left - outer.left}px`
  drawing.style.top = `${inner.top - outer.top}px`
  drawing.style.width = `${inner.width}px`
  drawing.style.height = `${(inner.width * height) / width}px`
  host.append(drawing)
}

/** Lets a person choose how the screens are compared. Answers the keys that do it. */
export const compareScreens = (page: HTMLElement, clock: Clock): { readonly keys: Record<string, () => void> } => {
  const area = part(page, ".sides", HTMLElement)
  const controls = part(page, ".modes", HTMLElement)
  const mix = part(controls, ".mix", HTMLInputElement)
  const outlines = part(controls, ".outline", HTMLInputElement)
  const found = part(controls, ".differing", HTMLElement)
  const buttons = parts(controls, "button[data-mode]", HTMLButtonElement)
  const [left, right] = sides.map((side) => part(area, `[data-side="${side}"]`, HTMLElement))
  if (left === undefined || right === undefined) return { keys: {} }
  let round = 0
  let last: readonly [Screen, Screen, Differences] | undefined

  const clear = (): void => {
    for (const drawing of area.querySelectorAll(".differences")) drawing.remove()
  }
  const draw = (): void => {
    clear()
    if (last === undefined || !outlines.checked) return
    outline(left, last[0], last[2].left)
    outline(right, last[1], last[2].right)
  }

  const compare = async (): Promise<void> => {
    const mine = (round += 1)
    const [one, other] = [screenIn(left), screenIn(right)]
    if (one === undefined || other === undefined) return
    try {
      const [a, b] = await Promise.all([pixelsOf(one), pixelsOf(other)])
      if (a === undefined || b === undefined || mine !== round) return
      last = [one, other, differences(a, b)]
      setText(found, textOf(last[2]))
    } catch {
      if (mine !== round) return
      last = undefined
      setText(found, "This browser can't read the pixels of these screens.")
    }
    draw()
  }
  let waiting: ReturnType<typeof setTimeout> | undefined
  const soon = (): void => {
    clearTimeout(waiting)
    waiting = setTimeout(() => void compare(), pause)
  }

  const setMode = (mode: string): void => {
    area.dataset["mode"] = mode
    mix.hidden = mode !== "swipe" && mode !== "onion"
    for (const button of buttons) button.ariaPressed = String(button.dataset["mode"] === mode)
    draw()
  }
  const setMix = (): void => area.style.setProperty("--mix", `${mix.value}`)

  controls.hidden = screenIn(left) === undefined && screenIn(right) === undefined
  for (const button of buttons) button.addEventListener("click", () => setMode(button.dataset["mode"] ?? "side"))
  mix.addEventListener("input", setMix)
  outlines.addEventListener("change", draw)
  area.addEventListener("click", soon)
  area.addEventListener("seeked", soon, true)
  area.addEventListener("load", soon, true)
  new ResizeObserver(draw).observe(area)
  clock.onMove(({ isPlaying }) => {
    clear()
    last = undefined
    if (!isPlaying) soon()
  })
  setMix()
  setMode("side")
  soon()
  const byKey = buttons.map((button, index) => [String(index + 1), () => button.click()] as const)
  return { keys: { ...Object.fromEntries(byKey), d: () => outlines.click() } }
}
