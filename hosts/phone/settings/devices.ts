/** Space at the edges of a screen that belongs to the device, in points. */
export interface Insets {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

/** A phone or tablet. Lengths are in points, as it is held upright. */
export interface Device {
  readonly label: string
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
  readonly cutout: "none" | "notch" | "island"
  readonly hasHomeIndicator: boolean
}

const insets = (top: number, bottom: number, sides = 0): Insets => ({ top, right: sides, bottom, left: sides })

const withNotch = { kind: "phone", scale: 3, cutout: "notch", hasHomeIndicator: true } as const
const withIsland = { kind: "phone", scale: 3, cutout: "island", hasHomeIndicator: true } as const
const pad = {
  kind: "pad",
  scale: 2,
  cutout: "none",
  hasHomeIndicator: true,
  insets: { upright: insets(24, 20), onSide: insets(24, 20) }
} as const

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
  "ipad-pro": { ...pad, label: "iPad Pro 13″", width: 1032, height: 1376, corner: 30 }
} as const satisfies Readonly<Record<string, Device>>

export type DeviceName = keyof typeof devices
