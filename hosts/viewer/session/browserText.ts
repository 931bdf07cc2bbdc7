import { shortText } from "../ui/text.ts"

/** Patterns for `User-Agent`. Most browsers also name others, so the first match is the right one. */
const browsers: ReadonlyArray<readonly [says: RegExp, name: string]> = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPX|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:\b(?:Headless)?Chrome|\bCriOS)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"]
]

const systems: ReadonlyArray<readonly [says: RegExp, name: string]> = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"]
]

const nameIn = (names: typeof browsers, userAgent: string): string | undefined =>
  names.find(([says]) => says.test(userAgent))?.[1]

/** A browser's name from its `User-Agent`; for an unknown browser, the beginning of that header. */
export const browserText = (userAgent: string | undefined): string => {
  if (userAgent === undefined) return "Unknown browser"
  const [browser, system] = [nameIn(browsers, userAgent), nameIn(systems, userAgent)]
  if (browser === undefined) return shortText(userAgent, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
