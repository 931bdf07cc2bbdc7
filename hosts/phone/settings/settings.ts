/** The devices, and the settings of a device. */

/** Space at the edges of a screen that belongs to the device, in points. */
export interface Insets {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

/** What an app is made for. */
export type Platform = "ios" | "android"

/** A phone or tablet. Lengths are in points (dp on Android), as it is held upright. */
export interface Device {
  readonly label: string
  readonly platform: Platform
  readonly kind: "phone" | "pad"
  readonly width: number
  readonly height: number
  /** How many pixels make one point. */
  readonly scale: number
  /** The safe area, upright and on its side. */
  readonly insets: { readonly upright: Insets; readonly onSide: Insets }
  /** The radius of the corners of the screen. */
  readonly corner: number
  /** What is cut out of the screen at its top. */
  readonly cutout: "none" | "notch" | "island" | "hole"
  readonly hasHomeIndicator: boolean
}

const insets = (top: number, bottom: number, sides = 0): Insets => ({ top, right: sides, bottom, left: sides })

const withNotch = { platform: "ios", kind: "phone", scale: 3, cutout: "notch", hasHomeIndicator: true } as const
const withIsland = { platform: "ios", kind: "phone", scale: 3, cutout: "island", hasHomeIndicator: true } as const
const pad = {
  platform: "ios",
  kind: "pad",
  scale: 2,
  cutout: "none",
  hasHomeIndicator: true,
  insets: { upright: insets(24, 20), onSide: insets(24, 20) }
} as const

/** A phone with Android: its status bar is as high as its camera needs, and its navigation bar has three buttons. */
const withAndroid = (
  label: string,
  width: number,
  height: number,
  scale: number,
  statusBar: number,
  corner: number
) => ({
  platform: "android" as const,
  kind: "phone" as const,
  label,
  width,
  height,
  scale,
  insets: {
    upright: insets(statusBar, navigationBar),
    // The camera is at the left then, and the navigation bar at the right.
    onSide: { top: 24, right: navigationBar, bottom: 0, left: statusBar }
  },
  corner,
  cutout: "hole" as const,
  hasHomeIndicator: false
})

/** How high the navigation bar of Android is, in dp. */
const navigationBar = 48

/** The devices, by the names by which settings choose them. */
export const devices = {
  "iphone-17": {
    ...withIsland,
    label: "iPhone 17",
    width: 402,
    height: 874,
    insets: { upright: insets(62, 34), onSide: insets(0, 20, 62) },
    corner: 62
  },
  "iphone-17-pro-max": {
    ...withIsland,
    label: "iPhone 17 Pro Max",
    width: 440,
    height: 956,
    insets: { upright: insets(62, 34), onSide: insets(0, 20, 62) },
    corner: 62
  },
  "iphone-16": {
    ...withIsland,
    label: "iPhone 16",
    width: 393,
    height: 852,
    insets: { upright: insets(59, 34), onSide: insets(0, 21, 59) },
    corner: 55
  },
  "iphone-14": {
    ...withNotch,
    label: "iPhone 14",
    width: 390,
    height: 844,
    insets: { upright: insets(47, 34), onSide: insets(0, 21, 47) },
    corner: 47
  },
  "iphone-13-mini": {
    ...withNotch,
    label: "iPhone 13 mini",
    width: 375,
    height: 812,
    insets: { upright: insets(50, 34), onSide: insets(0, 21, 50) },
    corner: 44
  },
  "iphone-13-mini-zoomed": {
    ...withNotch,
    label: "iPhone 13 mini, larger text",
    width: 320,
    height: 693,
    insets: { upright: insets(43, 29), onSide: insets(0, 18, 43) },
    corner: 38
  },
  "iphone-se": {
    platform: "ios",
    kind: "phone",
    label: "iPhone SE",
    width: 375,
    height: 667,
    scale: 2,
    insets: { upright: insets(20, 0), onSide: insets(0, 0) },
    corner: 0,
    cutout: "none",
    hasHomeIndicator: false
  },
  "ipad-air": { ...pad, label: "iPad Air 11″", width: 820, height: 1180, corner: 18 },
  "ipad-pro": { ...pad, label: "iPad Pro 13″", width: 1032, height: 1376, corner: 30 },
  "pixel-9": withAndroid("Pixel 9", 411, 923, 2.625, 52, 40),
  "galaxy-s25": withAndroid("Galaxy S25", 360, 780, 3, 32, 30),
  "galaxy-a16": withAndroid("Galaxy A16", 384, 832, 2.8125, 30, 28)
} as const satisfies Readonly<Record<string, Device>>

export type DeviceName = keyof typeof devices

/** How a phone is set up, as its owner would. A page sends these to the frame of the app. */
export interface Settings {
  /** The device; `undefined` is a bare screen of the frame's size. */
  readonly device: DeviceName | undefined
  /** How large texts are: the factor that `PixelRatio.getFontScale` returns. */
  readonly textSize: number
  /** The language and region, such as `de-DE`; `undefined` is that of the browser. */
  readonly locale: string | undefined
  /** Whether the app is read from right to left, whatever it asks for. */
  readonly isRtl: boolean
  /** Whether motion is reduced; the browser's setting counts too. */
  readonly hasReducedMotion: boolean
  /** `slow` delays recorded responses; `offline` fails requests. */
  readonly network: (typeof networks)[number]
  /** The answer to a request for a permission; `ask` shows a dialog. */
  readonly permissions: (typeof permissionAnswers)[number]
}

const networks = ["online", "slow", "offline"] as const
const permissionAnswers = ["ask", "granted", "denied"] as const

/** Where the document of an app has its settings when it starts: the `data-` attribute of its root, as JSON. */
export const settingsName = "phoneSettings"

export const usualSettings: Settings = {
  device: undefined,
  textSize: 1,
  locale: undefined,
  isRtl: false,
  hasReducedMotion: false,
  network: "online",
  permissions: "ask"
}

/** The text sizes of iOS by their names, the last five of which are for accessibility. */
export const textSizes: Readonly<Record<string, number>> = {
  "Extra small": 0.823,
  Small: 0.882,
  Medium: 0.941,
  "Large (default)": 1,
  "Extra large": 1.118,
  "2 × extra large": 1.235,
  "3 × extra large": 1.353,
  "Accessibility 1": 1.786,
  "Accessibility 2": 2.143,
  "Accessibility 3": 2.643,
  "Accessibility 4": 3.143,
  "Accessibility 5": 3.571
}

/** Some languages to choose from. */
export const locales: Readonly<Record<string, string>> = {
  "en-US": "English (US)",
  "en-GB": "English (UK)",
  "de-DE": "German",
  "fr-FR": "French",
  "es-ES": "Spanish",
  "pt-BR": "Portuguese (Brazil)",
  "ja-JP": "Japanese",
  "zh-Hans-CN": "Chinese (simplified)",
  "hi-IN": "Hindi",
  "ru-RU": "Russian",
  "ar-SA": "Arabic",
  "he-IL": "Hebrew"
}

const isDeviceName = (value: unknown): value is DeviceName => typeof value === "string" && Object.hasOwn(devices, value)

/** Settings from the other side of a frame, where anything may have been sent: what isn't a setting is as usual. */
export const decodeSettings = (value: unknown): Settings => {
  const field = (name: keyof Settings): unknown =>
    typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined
  const [device, locale, textSize] = [field("device"), field("locale"), field("textSize")]
  return {
    device: isDeviceName(device) ? device : undefined,
    textSize: typeof textSize === "number" && textSize >= 0.5 && textSize <= 4 ? textSize : 1,
    locale: typeof locale === "string" && Object.hasOwn(locales, locale) ? locale : undefined,
    isRtl: field("isRtl") === true,
    hasReducedMotion: field("hasReducedMotion") === true,
    network: networks.find((one) => one === field("network")) ?? "online",
    permissions: permissionAnswers.find((one) => one === field("permissions")) ?? "ask"
  }
}

/** How far each side of a screen may be from that of a device to stand for it. */
const tolerance = 0.05

/** The device of an upload that declares no size, by its platform. */
export const usualDevices = { ios: "iphone-17", android: "pixel-9" } as const satisfies Record<Platform, DeviceName>

/**
 * The device of a screen's size, upright or on its side; `undefined` if none of the platform is of about that size. Without a
 * platform, it is an iPhone if there is one.
 */
export const deviceOf = (
  size: { readonly width: number; readonly height: number },
  platform: Platform | undefined
): DeviceName | undefined => {
  if (platform === undefined) return deviceOf(size, "ios") ?? deviceOf(size, "android")
  const [short, long] = size.width < size.height ? [size.width, size.height] : [size.height, size.width]
  const distance = ({ height, width }: Device): number =>
    Math.max(Math.abs(short - width) / width, Math.abs(long - height) / height)
  const [nearest] = Object.keys(devices)
    .filter(isDeviceName)
    .filter((name) => devices[name].platform === platform)
    .toSorted((one, other) => distance(devices[one]) - distance(devices[other]))
  return nearest !== undefined && distance(devices[nearest]) <= tolerance ? nearest : undefined
}
