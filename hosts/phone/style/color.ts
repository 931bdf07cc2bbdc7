import { fieldsIn, listIn, numberIn } from "../runtime/decode.ts"
import { isDark } from "../runtime/device.ts"

/** The colours that iOS has names for, by day and by night. */
const semantic: Readonly<Record<string, readonly [day: string, night: string]>> = {
  label: ["#000", "#fff"],
  secondaryLabel: ["#3c3c4399", "#ebebf599"],
  tertiaryLabel: ["#3c3c434c", "#ebebf54c"],
  quaternaryLabel: ["#3c3c432d", "#ebebf52d"],
  placeholderText: ["#3c3c434c", "#ebebf54c"],
  systemBackground: ["#fff", "#000"],
  secondarySystemBackground: ["#f2f2f7", "#1c1c1e"],
  tertiarySystemBackground: ["#fff", "#2c2c2e"],
  systemGroupedBackground: ["#f2f2f7", "#000"],
  secondarySystemGroupedBackground: ["#fff", "#1c1c1e"],
  tertiarySystemGroupedBackground: ["#f2f2f7", "#2c2c2e"],
  systemFill: ["#78788033", "#7878805c"],
  secondarySystemFill: ["#78788028", "#78788052"],
  tertiarySystemFill: ["#7676801f", "#7676803d"],
  quaternarySystemFill: ["#74748014", "#7676802e"],
  separator: ["#3c3c434a", "#54545899"],
  opaqueSeparator: ["#c6c6c8", "#38383a"],
  link: ["#007aff", "#0984ff"],
  systemBlue: ["#007aff", "#0a84ff"],
  systemBrown: ["#a2845e", "#ac8e68"],
  systemCyan: ["#32ade6", "#64d2ff"],
  systemGreen: ["#34c759", "#30d158"],
  systemIndigo: ["#5856d6", "#5e5ce6"],
  systemMint: ["#00c7be", "#63e6e2"],
  systemOrange: ["#ff9500", "#ff9f0a"],
  systemPink: ["#ff2d55", "#ff375f"],
  systemPurple: ["#af52de", "#bf5af2"],
  systemRed: ["#ff3b30", "#ff453a"],
  systemTeal: ["#30b0c7", "#40c8e0"],
  systemYellow: ["#ffcc00", "#ffd60a"],
  systemGray: ["#8e8e93", "#8e8e93"],
  systemGray2: ["#aeaeb2", "#636366"],
  systemGray3: ["#c7c7cc", "#48484a"],
  systemGray4: ["#d1d1d6", "#3a3a3c"],
  systemGray5: ["#e5e5ea", "#2c2c2e"],
  systemGray6: ["#f2f2f7", "#1c1c1e"],
  darkText: ["#000", "#000"],
  lightText: ["#ffffff99", "#ffffff99"],
  clear: ["transparent", "transparent"]
}

/** Some colors of Android's theme and resources, by day and by night. */
const resources: Readonly<Record<string, readonly [day: string, night: string]>> = {
  colorPrimary: ["#212121", "#212121"],
  colorPrimaryDark: ["#757575", "#000"],
  colorAccent: ["#008577", "#80cbc4"],
  colorControlActivated: ["#008577", "#80cbc4"],
  colorBackground: ["#fafafa", "#303030"],
  textColor: ["#000000de", "#fff"],
  textColorPrimary: ["#000000de", "#fff"],
  textColorSecondary: ["#0000008a", "#ffffffb3"],
  textColorHint: ["#00000061", "#ffffff80"],
  white: ["#fff", "#fff"],
  black: ["#000", "#000"],
  transparent: ["transparent", "transparent"],
  holo_blue_bright: ["#00ddff", "#00ddff"],
  holo_blue_dark: ["#0099cc", "#0099cc"],
  holo_blue_light: ["#33b5e5", "#33b5e5"],
  holo_green_dark: ["#669900", "#669900"],
  holo_green_light: ["#99cc00", "#99cc00"],
  holo_orange_dark: ["#ff8800", "#ff8800"],
  holo_orange_light: ["#ffbb33", "#ffbb33"],
  holo_purple: ["#aa66cc", "#aa66cc"],
  holo_red_dark: ["#cc0000", "#cc0000"],
  holo_red_light: ["#ff4444", "#ff4444"],
  darker_gray: ["#aaa", "#aaa"]
}

const ofNumber = (value: number): string => {
  const bits = value >>> 0
  const opacity = Number(((bits >>> 24) / 255).toFixed(4))
  return `rgba(${(bits >> 16) & 255},${(bits >> 8) & 255},${bits & 255},${opacity})`
}

/** A colour as React Native passes it (a number, a platform's name, one for day and night) in CSS; `""` for none. */
export const color = (value: unknown): string => {
  if (typeof value === "string") return value
  const bits = numberIn(value)
  if (bits !== undefined) return ofNumber(bits)
  if (value === null || value === undefined) return ""
  const { dynamic, resource_paths: paths, semantic: names } = fieldsIn(value)
  if (dynamic !== undefined) {
    const { dark, light } = fieldsIn(dynamic)
    return color(isDark() && dark !== undefined && dark !== null ? dark : light)
  }
  for (const name of listIn(paths)) {
    const known = resources[String(name).replace(/^.*[/:]/, "")]
    if (known !== undefined) return known[isDark() ? 1 : 0]
  }
  for (const name of listIn(names)) {
    const known = typeof name === "string" ? semantic[name.replace(/Color$/, "")] : undefined
    if (known !== undefined) return known[isDark() ? 1 : 0]
  }
  return "gray"
}
