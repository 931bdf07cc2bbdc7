/** The device that an app sees: the frame, the settings of its page, and those of the person in front of it. */
import { decodeOrder, orderEvent } from "../settings/messages.ts"
import {
  decodeSettings,
  type Device,
  devices,
  type Insets,
  type Platform,
  type Settings,
  settingsName,
  usualDevices
} from "../settings/settings.ts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

let now = decodeSettings(parsed(document.documentElement.dataset[settingsName] ?? ""))
const listeners: Array<(before: Settings) => void> = []

const showTextSize = (): void => document.documentElement.style.setProperty("--device-text-size", String(now.textSize))
showTextSize()

/** The settings at this moment. */
export const settings = (): Settings => now

/** Calls `listener` after each change, with the settings before it. */
export const onSettings = (listener: (before: Settings) => void): void => {
  listeners.push(listener)
}

document.addEventListener(orderEvent, (event) => {
  const order = event instanceof CustomEvent ? decodeOrder(event.detail) : undefined
  if (order?.kind !== "settings") return
  const before = now
  now = order.settings
  showTextSize()
  for (const listener of listeners) listener(before)
})

/**
 * What the app is made for, and whether its window lies between the bars of the device: before Android 15, it does, and the
 * keyboard then takes some of its height.
 */
export const system: {
  platform: Platform
  isBelowStatusBar: boolean
  isAboveNavigationBar: boolean
  keyboardHeight: number
} = { platform: "ios", isBelowStatusBar: false, isAboveNavigationBar: false, keyboardHeight: 0 }

export const isAndroid = (): boolean => system.platform === "android"

/** The device that the page shows; `undefined` for a bare screen. Android has bars on every screen. */
export const device = (): Device | undefined => {
  const chosen: Device | undefined = now.device === undefined ? undefined : devices[now.device]
  if (chosen?.platform === system.platform) return chosen
  return isAndroid() ? { ...devices[usualDevices.android], ...plainBars, corner: chosen?.corner ?? 0 } : undefined
}

/** A screen of another size than those of the devices: its bars are as high as Android has them at least. */
const plainBars = {
  cutout: "none",
  insets: {
    upright: { top: 24, right: 0, bottom: 48, left: 0 },
    onSide: { top: 24, right: 48, bottom: 0, left: 0 }
  }
} as const

export const isOnSide = (): boolean => window.innerWidth > window.innerHeight

const bar = (side: keyof Insets): number => device()?.insets[isOnSide() ? "onSide" : "upright"][side] ?? 0

/** What of the screen belongs to the device, as it is held now. */
export const bars = (): Insets => ({ top: bar("top"), right: bar("right"), bottom: bar("bottom"), left: bar("left") })

/** The same of the window of the app: nothing of a window between the bars. */
export const insets = (): Insets => ({
  ...bars(),
  ...(system.isBelowStatusBar ? { top: 0 } : {}),
  ...(system.isAboveNavigationBar ? { right: 0, bottom: 0, left: 0 } : {})
})

/** What of the screen is outside of the window of the app. */
export const outsideWindow = (): Insets => {
  const [all, free] = [bars(), insets()]
  return {
    top: all.top - free.top,
    right: all.right - free.right,
    bottom: all.bottom - free.bottom,
    left: all.left - free.left
  }
}

/** The size of the window of the app: the screen, or the part between the bars. */
export const screenSize = (): { readonly width: number; readonly height: number } => {
  const { bottom, left, right, top } = outsideWindow()
  return { width: window.innerWidth - left - right, height: window.innerHeight - top - bottom }
}

/** The size in which the app is laid out: that of its window, above the keyboard that resizes it. */
export const layoutSize = (): { readonly width: number; readonly height: number } => {
  const { height, width } = screenSize()
  return { width, height: height - system.keyboardHeight }
}

const backs: Array<() => void> = []

/** Has the Back button of Android call `handler`, and none that was registered before; returns what ends that. */
export const onBack = (handler: () => void): (() => void) => {
  backs.push(handler)
  return () => {
    const at = backs.indexOf(handler)
    if (at >= 0) backs.splice(at, 1)
  }
}

/** Presses the Back button of Android. */
export const pressBack = (): void => backs.at(-1)?.()

const darkness = window.matchMedia("(prefers-color-scheme: dark)")
const motionQuery = window.matchMedia("(prefers-reduced-motion: reduce)")

/** The appearance that the app chose for itself, in place of the person's. */
let chosenScheme: "light" | "dark" | undefined
const darkListeners: Array<() => void> = []

export const isDark = (): boolean => (chosenScheme === undefined ? darkness.matches : chosenScheme === "dark")

/** Calls `listener` whenever the appearance may have changed. */
export const onDark = (listener: () => void): void => {
  darkListeners.push(listener)
  darkness.addEventListener("change", listener)
}

export const chooseScheme = (scheme: "light" | "dark" | undefined): void => {
  chosenScheme = scheme
  for (const listener of darkListeners) listener()
}

export const onReducedMotion = (listener: () => void): void => {
  motionQuery.addEventListener("change", listener)
  onSettings((before) => {
    if (before.hasReducedMotion !== now.hasReducedMotion) listener()
  })
}
export const hasReducedMotion = (): boolean => now.hasReducedMotion || motionQuery.matches

/** The language and region of the person. */
export const locale = (): string => now.locale ?? navigator.language

/** The same as iOS writes it: `zh-Hans_CN`. */
export const appleLocale = (): string => locale().replace(/-(?=[^-]*$)/, "_")

/** How many pixels of a device make one of a layout; assets are chosen by it. */
export const scale = (): number => device()?.scale ?? Math.max(2, Math.round(window.devicePixelRatio))

/** What the next start of an app depends on, in the hash of its document: whether it is read from right to left, or gets stubs. */
type StartFlag = "rtl" | "stubs"

const startFlags = () => new Set(location.hash.slice(1).split(","))

export const isStartedWith = (flag: StartFlag): boolean => startFlags().has(flag)

export const setStartFlag = (flag: StartFlag, isSet: boolean): void => {
  const flags = startFlags()
  if (isSet) flags.add(flag)
  else flags.delete(flag)
  location.hash = [...flags].filter((one) => one !== "").join()
}

/** The window and the screen as React Native's `Dimensions` has them. */
export const dimensions = () => {
  const density = { scale: scale(), fontScale: now.textSize }
  return {
    window: { ...screenSize(), ...density },
    screen: { width: window.innerWidth, height: window.innerHeight, ...density }
  }
}

/** Whether the app is read from right to left; an app may force that for when it next starts. */
export const reading = { isRtl: false }

/** The languages of the person in front of the phone, and what follows from them. */
export const locales = () =>
  (settings().locale === undefined ? navigator.languages : [locale()]).map((tag) => {
    const { language, region, script } = new Intl.Locale(tag).maximize()
    return { languageTag: tag, languageCode: language, countryCode: region ?? "US", scriptCode: script }
  })

export const isRtl = (language: string): boolean => /^(?:ar|dv|fa|he|ps|ur|yi)$/.test(language)

const part = (type: Intl.NumberFormatPartTypes, otherwise: string): string =>
  new Intl.NumberFormat(locale()).formatToParts(12345678.9).find((one) => one.type === type)?.value ?? otherwise

/** How numbers are written. */
export const separators = () => ({ decimalSeparator: part("decimal", "."), groupingSeparator: part("group", "") })

/** Whether the clock has 24 hours. */
export const has24Hours = (): boolean =>
  new Intl.DateTimeFormat(locale(), { hour: "numeric" }).resolvedOptions().hour12 !== true

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
