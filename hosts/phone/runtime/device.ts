/** The device that an app sees: the frame, and the settings of the person in front of it. */

export interface Insets {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

/** What of the screen belongs to the device. The frame is all the app's. */
export const insets: Insets = { top: 0, right: 0, bottom: 0, left: 0 }

const darkness = window.matchMedia("(prefers-color-scheme: dark)")
const calmness = window.matchMedia("(prefers-reduced-motion: reduce)")

export const isDark = (): boolean => darkness.matches
export const onDark = (listener: () => void): void => darkness.addEventListener("change", listener)
export const isCalm = (): boolean => calmness.matches

/** How many pixels of a device make one of a layout; assets are chosen by it. */
export const scale = (): number => Math.max(2, Math.round(window.devicePixelRatio))

export const screenSize = (): { readonly width: number; readonly height: number } => ({
  width: window.innerWidth,
  height: window.innerHeight
})

/** The screen as React Native's `Dimensions` has it. */
export const dimensions = () => {
  const screen = { ...screenSize(), scale: scale(), fontScale: 1 }
  return { window: screen, screen }
}

/** Whether the app is read from right to left; an app may force that for when it next starts. */
export const reading = { isRtl: false }
