import { part, parts } from "../ui/dom.ts"

const number = (text: string | undefined): number => Math.max(1, Math.min(Number(text), 10_000)) || 1

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * How much of the window's height the device may not use, in CSS pixels. If it begins in the upper half of the window, that
 * is the space above it and a margin, so that all of it is visible at once; otherwise the header that stays visible when
 * people scroll. The third number is the least height of the screen.
 */
const [margin, around, lowest] = [12, 150, 320]

/** In a narrower window the device is above the panels, however high it gets; in the narrowest it has the whole width. */
const [narrow, narrowest] = [960, 480]

/** What the panels beside the device need, with the gap between them, in CSS pixels. */
const beside = 380

/** The gap between two devices, or a device and a video, in CSS pixels. */
const between = 16

/**
 * The screen of a device in a page, upright or on its side. It is scaled down to fit, and up only without the page. The frame in it always
 * has the device's own size, so that is what an app sees.
 */
export const makeDeviceFrame = (section: HTMLElement) => {
  const stage = part(section, ".stage", HTMLElement)
  const bezel = part(section, ".bezel", HTMLElement)
  const screen = part(section, ".screen", HTMLElement)
  const screens = parts(section, ".screen", HTMLElement)
  const bar = section.querySelector<HTMLElement>(".leave")
  const uploaded: Size = { width: number(section.dataset["width"]), height: number(section.dataset["height"]) }
  const hasVideo = stage.querySelector(".recorded-run") !== null
  let device = uploaded
  const state = { isTurned: false, isFitted: true, isAlone: false }

  const draw = (): void => {
    const { height, width } = state.isTurned ? { width: device.height, height: device.width } : device
    const border = bezel.offsetWidth - screen.offsetWidth
    const { clientHeight, clientWidth } = document.documentElement
    const above = stage.getBoundingClientRect().top + window.scrollY
    const below = clientHeight - (above < clientHeight / 2 ? above + margin : around)
    const isBeside = clientWidth >= narrow
    const isDouble = isBeside && (hasVideo || section.dataset["view"] === "both")
    const caption = bezel.getBoundingClientRect().top - stage.getBoundingClientRect().top
    const room = state.isAlone
      ? { width: clientWidth, height: clientHeight - (bar?.offsetHeight ?? 0), scale: Infinity }
      : {
          width:
            (clientWidth < narrowest
              ? clientWidth
              : (section.clientWidth - (isBeside ? beside : 0) - (isDouble ? between : 0)) / (isDouble ? 2 : 1)) -
            border,
          height: isBeside ? Math.max(lowest, below - caption) - border : Infinity,
          scale: clientWidth < narrowest ? Infinity : 1
        }
    const scale = state.isFitted || state.isAlone ? Math.min(room.scale, room.width / width, room.height / height) : 1
    for (const one of screens) one.dataset["shown"] = state.isFitted || state.isAlone ? "fitted" : "actual"
    stage.style.setProperty("--width", String(width))
    stage.style.setProperty("--height", String(height))
    stage.style.setProperty("--scale", String(scale))
  }

  const observer = new ResizeObserver(draw)
  // Texts above the screen move it.
  for (const element of [stage, section]) observer.observe(element)
  window.addEventListener("resize", draw)
  draw()

  return {
    draw,
    turn: (): boolean => {
      state.isTurned = !state.isTurned
      draw()
      return state.isTurned
    },
    /** Shows nothing but the screen and the bar that names an uploaded app, or the page again. */
    alone: (): boolean => {
      state.isAlone = !state.isAlone
      section.toggleAttribute("data-alone", state.isAlone)
      if (bar !== null) bar.hidden = !state.isAlone
      draw()
      return state.isAlone
    },
    /** Shows a device of a size, or of the upload's: as large as it is, or so that it fits. */
    show: (size: Size | undefined, isFitted: boolean): void => {
      device = size ?? uploaded
      state.isFitted = isFitted
      draw()
    }
  }
}
