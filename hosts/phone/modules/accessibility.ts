import { hasReducedMotion, onReducedMotion } from "../runtime/device.ts"
import type { Modules } from "./Host.ts"
import { element } from "../views/element.ts"

const answers =
  (value: () => boolean) =>
  (callback: (value: boolean) => void): void =>
    callback(value())

/** What people set up for themselves: what a browser knows of it; and what is read out to them. */
export const accessibility: Modules = ({ callable, surface }) => {
  onReducedMotion(() => callable.emit("reduceMotionChanged", hasReducedMotion()))
  const spoken = element("")
  spoken.setAttribute("aria-live", "polite")
  spoken.style.cssText = "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
  const announce = (text: string): void => {
    if (spoken.parentElement === null) document.documentElement.append(spoken)
    spoken.textContent = text
  }
  const no = answers(() => false)
  return {
    AccessibilityManager: {
      getCurrentBoldTextState: no,
      getCurrentGrayscaleState: no,
      getCurrentInvertColorsState: no,
      getCurrentReduceMotionState: answers(hasReducedMotion),
      getCurrentDarkerSystemColorsState: no,
      getCurrentPrefersCrossFadeTransitionsState: no,
      getCurrentReduceTransparencyState: no,
      getCurrentVoiceOverState: no,
      setAccessibilityContentSizeMultipliers: () => {},
      setAccessibilityFocus: (tag: number) => {
        const found = surface.tree.byTag.get(tag)?.drawing.element
        if (found instanceof HTMLElement) found.focus()
      },
      announceForAccessibility: announce,
      announceForAccessibilityWithOptions: announce
    }
  }
}
