import { type DeviceName, devices, type Settings, usualSettings } from "../../phone/settings/settings.ts"

/** One of the frames that show the same screen under other settings. */
export interface Cell {
  readonly label: string
  readonly settings: Settings
  readonly scheme: "light" | "dark"
  readonly isTurned?: boolean
}

/** What a screen is looked at under, on a device: where layouts break first. */
export const gridCells = (device: DeviceName): ReadonlyArray<Cell> => {
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
