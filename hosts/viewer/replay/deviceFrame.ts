/** The frame of a device in the page of a replay: its menu, its focus and its grid. */
import { readPush } from "../../phone/settings/messages.ts"
import {
  decodeSettings,
  type DeviceName,
  devices,
  type Settings,
  usualSettings
} from "../../phone/settings/settings.ts"
import { make, part, parts, setText } from "../ui/dom.ts"

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

/** What an app reads only when it starts. */
const readAtStart = ["device", "locale", "isRtl"] as const satisfies ReadonlyArray<keyof Settings>

/** The menu with the settings of the device. `changed` receives whether an app has to start again to see the change. */
export const makeDeviceMenu = (
  section: HTMLElement,
  on: {
    readonly changed: (needsStart: boolean) => void
    readonly link: (url: string) => void
    /** Receives the payload of a push notification, which can be read. */
    readonly push: (json: string) => void
  }
) => {
  const menu = part(section, ".setup", HTMLElement)
  const setting = <E extends HTMLElement>(name: string, type: new () => E): E =>
    part(menu, `[data-setting=${name}]`, type)
  const chosen = (name: string): string => setting(name, HTMLSelectElement).value
  const isChecked = (name: string): boolean => setting(name, HTMLInputElement).checked

  const read = (): Settings =>
    decodeSettings({
      device: chosen("device"),
      locale: chosen("locale"),
      textSize: Number(chosen("textSize")),
      isRtl: isChecked("isRtl"),
      hasReducedMotion: isChecked("hasReducedMotion"),
      network: chosen("network"),
      permissions: chosen("permissions")
    })
  let now = read()

  for (const control of parts(menu, "[data-setting]", HTMLElement)) {
    control.addEventListener("change", () => {
      const before = now
      now = read()
      on.changed(readAtStart.some((name) => before[name] !== now[name]))
    })
  }
  const form = part(menu, "form.link", HTMLFormElement)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    on.link(part(form, "input", HTMLInputElement).value)
  })
  const pushForm = part(menu, "form.push", HTMLFormElement)
  const payload = part(pushForm, "textarea", HTMLTextAreaElement)
  const why = part(pushForm, "[role=alert]", HTMLElement)
  pushForm.addEventListener("submit", (event) => {
    event.preventDefault()
    const read = readPush(payload.value)
    const isWrong = typeof read === "string"
    payload.ariaInvalid = String(isWrong)
    why.hidden = !isWrong
    setText(why, isWrong ? read : "")
    if (!isWrong) on.push(payload.value)
  })

  return {
    settings: (): Settings => now,
    scheme: (): "light" | "dark" => {
      const wanted = chosen("scheme")
      if (wanted === "light" || wanted === "dark") return wanted
      return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
    },
    isActualSize: (): boolean => isChecked("isActualSize"),
    /** Chooses a setting, as a person does in the menu. */
    set: (name: string, value: string): void => {
      const control = setting(name, HTMLSelectElement)
      control.value = value
      control.dispatchEvent(new Event("change"))
    },
    /** The size of the chosen device; `undefined` for that of the upload. */
    size: (): Pick<(typeof devices)[DeviceName], "width" | "height"> | undefined =>
      now.device === undefined ? undefined : devices[now.device]
  }
}

/** A focus change this soon after a person's (in milliseconds) can't be a person's too. */
const soon = 600

/** After this many such changes within that time, the app grabs the focus on purpose. */
const often = 8

/**
 * Keeps the focus where a person put it. A frame can grab the focus at any time; if it does so too soon to be a
 * person's action, the focus is given back. `onGrabbed` is called if the frame does so repeatedly.
 */
export const keepFocus = (onGrabbed: () => void): void => {
  let kept: HTMLElement | undefined
  let since = 0
  let times = 0

  document.addEventListener("focusin", ({ target, timeStamp }) => {
    if (!(target instanceof HTMLElement) || target instanceof HTMLIFrameElement || target === kept) return
    kept = target
    since = timeStamp
    times = 0
  })
  // People enter a frame with the Tab key themselves.
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") kept = undefined
  })
  // Once a frame has the focus, the page gets no more keyboard events.
  window.addEventListener("blur", ({ timeStamp }) => {
    const to = kept
    if (to === undefined || !(document.activeElement instanceof HTMLIFrameElement)) return
    if (timeStamp - since > soon) {
      kept = undefined
      return
    }
    times += 1
    // The focus can't be moved back before it has arrived in the frame.
    setTimeout(() => {
      to.focus({ preventScroll: true })
      if (times === often) onGrabbed()
    })
  })
}

/** How large the devices of the grid are drawn. */
const scale = 0.46

/** The same app on several devices side by side, each as `newFrame` makes it. */
export const makeGrid = (newFrame: (cell: Cell) => HTMLIFrameElement) => {
  const grid = part(document, ".grid", HTMLElement)

  const figureOf = (cell: Cell): HTMLElement => {
    const { device } = cell.settings
    const { height, width } = devices[device ?? "iphone-17"]
    const screen = make("div", "screen")
    screen.dataset["shown"] = "fitted"
    screen.style.setProperty("--width", String(cell.isTurned === true ? height : width))
    screen.style.setProperty("--height", String(cell.isTurned === true ? width : height))
    screen.style.setProperty("--scale", String(scale))
    screen.append(newFrame(cell))
    const figure = make("figure")
    figure.append(screen, make("figcaption", "", cell.label))
    return figure
  }

  const close = (): void => {
    grid.hidden = true
    grid.replaceChildren()
  }

  return {
    open: (device: DeviceName): void => {
      grid.replaceChildren(...gridCells(device).map(figureOf))
      grid.hidden = false
      grid.scrollIntoView({ block: "nearest" })
    },
    close
  }
}

/** One of the frames that show the same screen under other settings. */
interface Cell {
  readonly label: string
  readonly settings: Settings
  readonly scheme: "light" | "dark"
  readonly isTurned?: boolean
}

/** What a screen is looked at under, on a device: where layouts break first. */
const gridCells = (device: DeviceName): ReadonlyArray<Cell> => {
  const usual = { ...usualSettings, device }
  const narrow = "iphone-13-mini-zoomed"
  return [
    { label: `${devices[narrow].width} points wide`, settings: { ...usual, device: narrow }, scheme: "light" },
    { label: "Largest text", settings: { ...usual, textSize: 3.571 }, scheme: "light" },
    { label: "Arabic", settings: { ...usual, locale: "ar-SA", isRtl: true }, scheme: "light" },
    { label: "Dark", settings: usual, scheme: "dark" },
    { label: "Landscape", settings: usual, scheme: "light", isTurned: true }
  ]
}
