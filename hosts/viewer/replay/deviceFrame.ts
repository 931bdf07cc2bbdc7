import { part } from "../ui/dom.ts"

const number = (text: string | undefined): number => Math.max(1, Math.min(Number(text), 10_000)) || 1

/**
 * How much of the window's height the screen may not use, in CSS pixels. If the screen begins in the upper half of the
 * window, that is the space above it and a margin, so that all of it is visible at once; otherwise the header that
 * stays visible when people scroll. The second number is the least height of the screen.
 */
const [margin, around, lowest] = [24, 150, 320]

/** In a narrower window the screen has the whole width, however high it gets. */
const narrow = 768

/**
 * The screen of a device in a page, upright or on its side. It is scaled down to fit, and up only without the page. The frame in it always
 * has the device's own size, so that is what an app sees.
 */
export const makeDeviceFrame = (section: HTMLElement) => {
  const stage = part(section, ".stage", HTMLElement)
  const screen = part(section, ".screen", HTMLElement)
  const bar = part(section, ".leave", HTMLElement)
  const device = { width: number(section.dataset["width"]), height: number(section.dataset["height"]) }
  const state = { isTurned: false, isFitted: true, isAlone: false }

  const draw = (): void => {
    const { height, width } = state.isTurned ? { width: device.height, height: device.width } : device
    const border = screen.offsetWidth - screen.clientWidth
    const { clientHeight, clientWidth } = document.documentElement
    const above = stage.getBoundingClientRect().top + window.scrollY
    const below = clientHeight - (above < clientHeight / 2 ? above + margin : around)
    const room = state.isAlone
      ? { width: clientWidth, height: clientHeight - bar.offsetHeight, scale: Infinity }
      : {
          width: stage.clientWidth - border,
          height: clientWidth < narrow ? Infinity : Math.max(lowest, below) - border,
          scale: 1
        }
    const scale = state.isFitted || state.isAlone ? Math.min(room.scale, room.width / width, room.height / height) : 1
    screen.dataset["shown"] = state.isFitted || state.isAlone ? "fitted" : "actual"
    screen.style.setProperty("--width", String(width))
    screen.style.setProperty("--height", String(height))
    screen.style.setProperty("--scale", String(scale))
  }

  const observer = new ResizeObserver(draw)
  // Texts above the screen move it.
  for (const element of [stage, section]) observer.observe(element)
  window.addEventListener("resize", draw)
  draw()

  return {
    turn: (): boolean => {
      state.isTurned = !state.isTurned
      draw()
      return state.isTurned
    },
    /** Shows nothing but the screen and the bar that names an uploaded app, or the page again. */
    alone: (): boolean => {
      state.isAlone = !state.isAlone
      section.toggleAttribute("data-alone", state.isAlone)
      bar.hidden = !state.isAlone
      draw()
      return state.isAlone
    },
    fit: (): boolean => {
      state.isFitted = !state.isFitted
      draw()
      return state.isFitted
    }
  }
}
