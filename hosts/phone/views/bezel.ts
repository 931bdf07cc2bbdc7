/** What a device shows besides its app: the status bar, the cutout, the corners of the screen and the home indicator. */
import { device, insets, isDark, isOnSide, onDark } from "../runtime/device.ts"
import { element } from "./element.ts"

export type BarStyle = "default" | "light-content" | "dark-content"

/** The signal, the network and the battery. */
const icons = `<svg width="74" height="13" viewBox="0 0 74 13" fill="currentColor"><rect y="8" width="3" height="5" rx="1"/>
<rect x="5" y="5.5" width="3" height="7.5" rx="1"/><rect x="10" y="3" width="3" height="10" rx="1"/><rect x="15" width="3" height="13" rx="1"/>
<path d="M32.5 2.6c2.3 0 4.4.9 6 2.4l1.1-1.2a10.3 10.3 0 0 0-14.2 0l1.1 1.2c1.6-1.5 3.7-2.4 6-2.4zm0 3.7c1.4 0 2.6.5 3.5 1.4l1.1-1.2a6.6 6.6 0 0 0-9.2 0L29 7.7c.9-.9 2.1-1.4 3.5-1.4zm2.1 2.9a3 3 0 0 0-4.2 0l2.1 2.2z"/>
<rect x="45.5" y=".5" width="23" height="12" rx="3.5" fill="none" stroke="currentColor" opacity=".4"/><rect x="47" y="2" width="20" height="9" rx="2.2"/>
<path d="M70 4.5v4c.8-.3 1.3-1.1 1.3-2s-.5-1.7-1.3-2z" opacity=".5"/></svg>`

/** Where the island is, and how high the status bar of a notch or an island is from the top to the middle of its text. */
const island = { width: 125, height: 37, top: 14 }
const notch = { width: 162, height: 32 }

export const makeBezel = () => {
  const time = element("")
  const right = element("")
  time.textContent = "9:41"
  right.innerHTML = icons
  const bar = element("", time)
  bar.append(right)
  const [cutout, corners, home] = [element(""), element(""), element("")]
  const drawn = element("bezel", corners)
  drawn.append(cutout, bar, home)
  drawn.ariaHidden = "true"
  let style: BarStyle = "default"
  let isHidden = false

  const drawCutout = (): void => {
    const { cutout: kind = "none" } = device() ?? {}
    const [long, short, away, radius] =
      kind === "island"
        ? [island.width, island.height, island.top, `${island.height / 2}px`]
        : [notch.width, notch.height, 0, isOnSide() ? "0 20px 20px 0" : "0 0 20px 20px"]
    cutout.style.cssText =
      `position:absolute;background:#000;border-radius:${radius};display:${kind === "none" ? "none" : "block"};` +
      (isOnSide()
        ? `width:${short}px;height:${long}px;left:${away}px;top:calc(50% - ${long / 2}px)`
        : `width:${long}px;height:${short}px;top:${away}px;left:calc(50% - ${long / 2}px)`)
  }

  const drawBar = (): void => {
    const { top } = insets()
    const isLight = style === "default" ? isDark() : style === "light-content"
    // Beside a cutout the two are in the middle of the space at its sides, otherwise in the corners.
    const isApart = device()?.cutout !== "none"
    const side = isApart ? "flex:0 0 33%;justify-content:center" : "flex:1 1 0"
    bar.style.cssText =
      `position:absolute;inset:0 0 auto;height:${top}px;display:${isHidden || top === 0 ? "none" : "flex"};` +
      `align-items:center;justify-content:space-between;padding:0 ${isApart ? 0 : 14}px;color:${isLight ? "#fff" : "#000"};` +
      `font-size:${isApart ? 17 : 13}px;font-weight:600`
    time.style.cssText = `display:flex;${side}`
    right.style.cssText = `display:flex;${side};${isApart ? "" : "justify-content:flex-end"}`
  }

  const draw = (): void => {
    const shown = device()
    drawn.style.display = shown === undefined ? "none" : ""
    if (shown === undefined) return
    const { corner, hasHomeIndicator } = shown
    corners.style.cssText = `position:absolute;inset:0;border-radius:${corner}px;box-shadow:0 0 0 ${corner}px #000`
    home.style.cssText =
      `position:absolute;bottom:8px;left:50%;width:36%;max-width:320px;height:5px;border-radius:3px;translate:-50%;` +
      `background:${isDark() ? "#fff" : "#000"};display:${hasHomeIndicator ? "block" : "none"}`
    drawCutout()
    drawBar()
  }

  document.documentElement.append(drawn)
  onDark(draw)
  window.addEventListener("resize", draw)
  draw()

  return {
    setStyle: (wanted: unknown): void => {
      style = wanted === "light-content" || wanted === "dark-content" ? wanted : "default"
      draw()
    },
    setHidden: (wanted: unknown): void => {
      isHidden = wanted === true
      draw()
    }
  }
}
