/** What depends on the screen: modals, the safe area, and what a device shows around its app. */
import { Edge, PositionType } from "yoga-layout/load"
import { textIn } from "../runtime/decode.ts"
import {
  bars,
  device,
  insets,
  isAndroid,
  isDark,
  isOnSide,
  layoutSize,
  onBack,
  onDark,
  screenSize,
  system
} from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, type Drawing, element } from "./Component.ts"
import { onKeyboard } from "./keyboard.ts"

/** A window above all others, as large as the screen. */
export const modal: Component = (context): Drawing => {
  const drawn = element("view")
  drawn.setAttribute("role", "dialog")
  drawn.ariaModal = "true"
  drawn.style.zIndex = "1"
  const isSheet = (): boolean =>
    !isAndroid() &&
    context.props()["transparent"] !== true &&
    /^(?:page|form)Sheet$/.test(textIn(context.props()["presentationStyle"]) ?? "")
  let isShown = false
  let orientation: string | undefined
  let leaveBack = (): void => {}

  const show = (): void => {
    isShown = true
    leaveBack = onBack(() => context.emit("topRequestClose", {}))
    const frames = entrances[textIn(context.props()["animationType"]) ?? "none"]
    const shown = (): void => context.emit("topShow", {})
    if (frames === undefined) shown()
    else drawn.animate(frames, { duration: 300, easing: "ease-out" }).addEventListener("finish", shown)
  }

  /** Reports the orientation, at first and at each change. */
  const turned = (): void => {
    const { height, width } = screenSize()
    const now = height >= width ? "portrait" : "landscape"
    if (now === orientation) return
    orientation = now
    context.emit("topOrientationChange", { orientation: now })
  }

  const dismiss = (): void => {
    isShown = false
    leaveBack()
    context.emit("topDismiss", { modalID: context.props()["identifier"] })
  }

  return {
    element: drawn,
    isOverlay: true,
    shape: (node) => {
      const { height, width } = layoutSize()
      const gap = isSheet() ? sheetGap() : 0
      node.setPositionType(PositionType.Absolute)
      node.setPosition(Edge.Left, 0)
      node.setPosition(Edge.Top, gap)
      node.setWidth(width)
      node.setHeight(height - gap)
    },
    update: (props) => {
      const isVisible = props["visible"] !== false
      drawn.classList.toggle("gone", !isVisible)
      drawn.style.backgroundColor = props["transparent"] === true ? "" : "#fff"
      drawSheet(drawn, isVisible && isSheet())
      if (!isVisible && isShown) {
        dismiss()
      }
    },
    laidOut: () => {
      if (context.props()["visible"] === false) return
      if (!isShown) show()
      turned()
    },
    unmounted: () => {
      if (isShown) dismiss()
    }
  }
}

/** How much of the screen remains above the largest sheet, in points. */
export const sheetGap = (): number => insets().top + 10

/** The app is scaled back behind a sheet of the full height. */
export const drawSheet = (drawn: HTMLElement, isSheet: boolean): void => {
  drawn.classList.toggle("card", isSheet)
  document.documentElement.style.setProperty("--card-top", `${insets().top}px`)
  if (!isSheet) return
  drawn.style.borderRadius = "12px 12px 0 0"
  drawn.style.overflow = "hidden"
}

const entrances: Readonly<Record<string, Keyframe[]>> = {
  slide: [{ transform: "translateY(100%)" }, { transform: "none" }],
  fade: [{ opacity: 0 }, { opacity: 1 }]
}

/** React Native's own `SafeAreaView`: it keeps its content away from what belongs to the device, as far as it is there itself. */
export const safeAreaView: Component = (context): Drawing => {
  const drawn = element("view")
  let padding = [0, 0, 0, 0]
  return {
    element: drawn,
    shape: (node) => {
      const edges = [Edge.Top, Edge.Right, Edge.Bottom, Edge.Left]
      for (const [index, edge] of edges.entries()) node.setPadding(edge, padding[index])
    },
    laidOut: (box) => {
      const { bottom, left, right, top } = insets()
      const { height, width } = screenSize()
      const { x, y } = placeOf(drawn)
      const next = [
        within(top - y, top),
        within(x + box.width - (width - right), right),
        within(y + box.height - (height - bottom), bottom),
        within(left - x, left)
      ]
      if (next.every((length, index) => length === padding[index])) return
      padding = next
      context.resized()
    }
  }
}

/** Where an element's corner is on the screen, without its animations. */
const placeOf = (drawn: HTMLElement): { readonly x: number; readonly y: number } => {
  let [x, y] = [0, 0]
  for (let at: Element | null = drawn; at instanceof HTMLElement; at = at.offsetParent) {
    x += at.offsetLeft - (at === drawn ? 0 : at.scrollLeft)
    y += at.offsetTop - (at === drawn ? 0 : at.scrollTop)
  }
  return { x, y }
}

const within = (length: number, most: number): number => Math.max(0, Math.min(length, most))

/**
 * What a device shows besides its app: the status bar, the cutout, the corners of the screen, and the home indicator or the
 * navigation bar of Android, whose Back calls `back`.
 */
export const makeBezel = (back: () => void) => {
  const time = element("")
  const right = element("")
  time.textContent = "9:41"
  right.innerHTML = isAndroid() ? androidIcons : icons
  const bar = element("", time)
  bar.append(right)
  const [cutout, corners, home] = [element(""), element(""), isAndroid() ? makeNavigationBar(back) : element("")]
  const drawn = element("bezel", bar, cutout, home, corners)
  for (const hidden of [cutout, bar]) hidden.ariaHidden = "true"
  let style: BarStyle = "default"
  let isHidden = false
  let paint = ""

  const drawCutout = (): void => {
    const { cutout: kind = "none" } = device() ?? {}
    const [long, short, away, radius] =
      kind === "hole"
        ? [hole, hole, Math.max(0, (device()?.insets.upright.top ?? 0) - hole) / 2, "50%"]
        : kind === "island"
          ? [island.width, island.height, island.top, `${island.height / 2}px`]
          : [notch.width, notch.height, 0, isOnSide() ? "0 20px 20px 0" : "0 0 20px 20px"]
    cutout.style.cssText =
      `position:absolute;background:#000;border-radius:${radius};display:${kind === "none" ? "none" : "block"};` +
      (isOnSide()
        ? `width:${short}px;height:${long}px;left:${away}px;top:calc(50% - ${long / 2}px)`
        : `width:${long}px;height:${short}px;top:${away}px;left:calc(50% - ${long / 2}px)`)
  }

  const drawBar = (): void => {
    const { right: beside, top } = bars()
    const isLight = style === "default" ? isDark() || system.isBelowStatusBar : style === "light-content"
    // Beside a cutout of an iPhone the two are in the middle of the space at its sides, otherwise in the corners.
    const isApart = !isAndroid() && device()?.cutout !== "none"
    const side = isApart ? "flex:0 0 33%;justify-content:center" : "flex:1 1 0"
    bar.style.cssText =
      `position:absolute;inset:0 ${isAndroid() ? beside : 0}px auto 0;height:${top}px;display:${isHidden || top === 0 ? "none" : "flex"};` +
      `align-items:center;justify-content:space-between;padding:0 ${isApart ? 0 : isAndroid() ? 24 : 14}px;` +
      `box-sizing:border-box;color:${isLight ? "#fff" : "#000"};font-size:${isApart ? 17 : isAndroid() ? 14 : 13}px;` +
      `font-weight:${isAndroid() ? 500 : 600};background:${paint || (system.isBelowStatusBar ? statusBarColor : "none")}`
    time.style.cssText = `display:flex;${side}`
    right.style.cssText = `display:flex;${side};${isApart ? "" : "justify-content:flex-end"}`
  }

  const draw = (): void => {
    const shown = device()
    drawn.style.display = shown === undefined ? "none" : ""
    if (shown === undefined) return
    const { corner, hasHomeIndicator } = shown
    corners.style.cssText = `position:absolute;inset:0;border-radius:${corner}px;box-shadow:0 0 0 ${corner}px #000`
    if (isAndroid()) drawNavigationBar(home)
    else
      home.style.cssText =
        `position:absolute;bottom:8px;left:50%;width:36%;max-width:320px;height:5px;border-radius:3px;translate:-50%;` +
        `background:${isDark() ? "#fff" : "#000"};display:${hasHomeIndicator ? "block" : "none"}`
    drawCutout()
    drawBar()
  }

  let isTranslucent = false
  /** The window of an app is below the status bar, unless the bar is hidden or the app draws below it. */
  const moveWindow = (): void => {
    const isBelow = isBetweenBars && !isHidden && !isTranslucent
    if (system.isBelowStatusBar === isBelow) draw()
    else {
      system.isBelowStatusBar = isBelow
      window.dispatchEvent(new Event("resize"))
    }
  }
  const isBetweenBars = system.isBelowStatusBar

  document.documentElement.append(drawn)
  onDark(draw)
  window.addEventListener("resize", draw)
  draw()

  return {
    setStyle: (requested: unknown): void => {
      style = requested === "light-content" || requested === "dark-content" ? requested : "default"
      draw()
    },
    setHidden: (requested: unknown): void => {
      isHidden = requested === true
      moveWindow()
    },
    /** The color of the status bar of Android. */
    setColor: (requested: unknown): void => {
      // Since Android 15, the app is seen behind the bar.
      if (isBetweenBars) paint = color(requested)
      draw()
    },
    /** Whether the app draws below the status bar of Android. */
    setTranslucent: (requested: unknown): void => {
      isTranslucent = requested === true
      moveWindow()
    }
  }
}

/** The navigation bar of Android. Only Back does something: there is no other app. */
const makeNavigationBar = (back: () => void): HTMLElement => {
  const drawn = element("")
  const button = document.createElement("button")
  button.ariaLabel = "Android Back"
  button.dataset["phoneKeys"] = ""
  button.innerHTML = '<svg width="20" height="20" fill="currentColor"><path d="M15 3v14L4 10z"/></svg>'
  button.style.cssText =
    "flex:0 0 96px;padding:0;border:0;background:none;color:inherit;cursor:pointer;pointer-events:auto;touch-action:auto"
  // The focus stays where it is, as the keyboard does that Back closes.
  button.addEventListener("mousedown", (event) => event.preventDefault())
  button.addEventListener("click", back)
  // It points down while it closes the keyboard.
  onKeyboard((height) => (button.style.rotate = height > 0 ? "-90deg" : ""))
  drawn.append(button)
  for (const shape of ['<circle cx="10" cy="10" r="7"/>', '<rect x="3" y="3" width="14" height="14" rx="2"/>']) {
    const other = element("")
    other.ariaHidden = "true"
    other.innerHTML = `<svg width="20" height="20" fill="none" stroke="currentColor" stroke-width="2">${shape}</svg>`
    other.style.cssText = "flex:0 0 96px;display:flex;align-items:center;justify-content:center"
    drawn.append(other)
  }
  return drawn
}

const drawNavigationBar = (drawn: HTMLElement): void => {
  const { bottom, right } = bars()
  const isSolid = system.isAboveNavigationBar
  const [paint, background] = isDark() || isSolid ? ["#fff", isSolid ? "#000" : "#0008"] : ["#444", "#fffc"]
  drawn.style.cssText =
    `position:absolute;inset:auto 0 0 auto;display:flex;justify-content:center;` +
    (bottom > 0 ? `width:100%;height:${bottom}px;` : `width:${right}px;height:100%;flex-direction:column-reverse;`) +
    `color:${paint};background:${background}`
}

/** The color of the status bar above the window of an app, until the app chooses another. */
export const statusBarColor = "#757575"

type BarStyle = "default" | "light-content" | "dark-content"

/** The same of Android: the network, the signal and the battery. */
const androidIcons = `<svg width="56" height="16" viewBox="0 0 56 16" fill="currentColor"><path d="M0 4a13 13 0 0 1 18 0L9 14zM22 14h14V1z"/>
<rect x="43" y="2" width="8" height="13" rx="1.5"/><rect x="45" width="4" height="3"/></svg>`

/** The signal, the network and the battery. */
const icons = `<svg width="74" height="13" viewBox="0 0 74 13" fill="currentColor"><rect y="8" width="3" height="5" rx="1"/>
<rect x="5" y="5.5" width="3" height="7.5" rx="1"/><rect x="10" y="3" width="3" height="10" rx="1"/><rect x="15" width="3" height="13" rx="1"/>
<path d="M32.5 2.6c2.3 0 4.4.9 6 2.4l1.1-1.2a10.3 10.3 0 0 0-14.2 0l1.1 1.2c1.6-1.5 3.7-2.4 6-2.4zm0 3.7c1.4 0 2.6.5 3.5 1.4l1.1-1.2a6.6 6.6 0 0 0-9.2 0L29 7.7c.9-.9 2.1-1.4 3.5-1.4zm2.1 2.9a3 3 0 0 0-4.2 0l2.1 2.2z"/>
<rect x="45.5" y=".5" width="23" height="12" rx="3.5" fill="none" stroke="currentColor" opacity=".4"/><rect x="47" y="2" width="20" height="9" rx="2.2"/>
<path d="M70 4.5v4c.8-.3 1.3-1.1 1.3-2s-.5-1.7-1.3-2z" opacity=".5"/></svg>`

/** Where the island is, and how high the status bar of a notch or an island is from the top to the middle of its text. */
const island = { width: 125, height: 37, top: 14 }

const notch = { width: 162, height: 32 }

/** How wide the hole for a camera of Android is. */
const hole = 24
