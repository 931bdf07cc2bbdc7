/** Detects what made a bundle, and whether it runs in the browser. */

/** The kinds of bundles: for browsers, or made for a phone by React Native's bundler. */
export type BundleKind = "web" | "ios" | "android" | "hermes"

const kinds: Readonly<Record<BundleKind, { readonly runs: boolean; readonly text: string }>> = {
  web: {
    runs: true,
    text: "It was made for browsers. It runs the same, whether you upload it for `ios` or for `android`."
  },
  ios: { runs: true, text: "It was made for iOS. It runs on an emulated iPhone." },
  android: { runs: true, text: "It was made for Android. It runs on an emulated Android phone." },
  hermes: {
    runs: false,
    text:
      "It is Hermes bytecode, which only the Hermes engine runs. Upload the JavaScript that it was compiled from:\n" +
      "npx react-native bundle --platform ios --dev false --entry-file index.js --bundle-output main.jsbundle --assets-dest .\n" +
      "or, with Expo:\n" +
      "npx expo export --platform ios --no-bytecode"
  }
}

/** Whether a bundle of a kind runs in the browser, and the reason: the text of pages, of `slipway-ci` and of docs/replay.md. */
export const browserSupport = (kind: BundleKind): { readonly runs: boolean; readonly text: string } => kinds[kind]

/** A version of React Native. */
interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

const exact = /\.major=(\d+),\w+\.minor=(\d+),\w+\.patch=(\d+)/

/** The first version of React Native that came with a version of React; most bundles name that one alone. */
const byReact: ReadonlyArray<readonly [react: RegExp, minor: number]> = [
  [/^18\.2/, 73],
  [/^18\.3/, 75],
  [/^19\.0/, 78],
  [/^19\.1/, 80],
  [/^19\.2/, 83]
]

const reactIn = (bundle: string): string | undefined => /\breconcilerVersion:"(\d+\.\d+\.\d+)/.exec(bundle)?.[1]

const exactIn = (bundle: string): Version | undefined => {
  const [whole, major, minor, patch] = exact.exec(bundle) ?? []
  return whole === undefined ? undefined : { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

/** The version of React Native in a bundle: as it says, or the first one with its React. */
export const versionIn = (bundle: string): Version => {
  const react = reactIn(bundle) ?? ""
  const minor = byReact.find(([pattern]) => pattern.test(react))?.[1] ?? 0
  return exactIn(bundle) ?? { major: 0, minor, patch: 0 }
}

/** The version of React Native in a bundle, for people. */
export const versionText = (bundle: string): string => {
  const version = exactIn(bundle)
  if (version !== undefined) return `React Native ${version.major}.${version.minor}.${version.patch}`
  const react = reactIn(bundle)
  return react === undefined ? "React Native" : `React Native, with React ${react}`
}

/** Whether a bundle was made for Android, according to React Native's own `Platform` in it. */
export const isForAndroid = (bundle: string): boolean => /\b__constants:\s*null,\s*OS:\s*["']android["']/.test(bundle)

/**
 * Whether a bundle is of a version that runs without a bridge, `old` when of an earlier one, `none` when of no phone at
 * all. Versions put more and more of themselves into the global object, and what they look for there stays in a bundle.
 */
export const ageOf = (bundle: string): "new" | "old" | "none" => {
  if (!bundle.includes("nativeFabricUIManager")) return "none"
  return bundle.includes("RN$AppRegistry") || bundle.includes("RN$SurfaceRegistry") ? "new" : "old"
}

/** Whether an app makes its first screen by react-native-navigation, which registers no app that could be run. */
const hasNativeNavigation = (bundle: string): boolean =>
  /\bRNN(?:Bridge|Turbo)Module\b/.test(bundle) && /\.setRoot\(\{/.test(bundle)

/** Why a phone's own bundle doesn't run on the phone of a replay, for people; `undefined` if it may. */
export const phoneObstacle = (bundle: string): string | undefined => {
  if (ageOf(bundle) === "old") {
    return "It was made by React Native 0.72 or before. Apps made by 0.73 and later run here."
  }
  return hasNativeNavigation(bundle)
    ? "It uses react-native-navigation, whose screens are native. Apps with React Navigation or expo-router run here."
    : undefined
}

/**
 * How many bytes of a bundle are examined. Metro puts React Native's polyfills first, so a few kilobytes are enough to
 * recognise a phone's bundle.
 */
export const sniffBytes = 64 * 1024

/** Names that only React Native's first polyfill uses; bundles for the web contain none of them. */
const mark = "nativeLoggingHook"

/** Whether a bundle that begins with these bytes is for a phone, whatever its declared type. */
export const isNative = (start: Uint8Array): boolean => new TextDecoder().decode(start).includes(mark)

const ascii = (text: string): ReadonlyArray<number> => Array.from(text, (character) => character.charCodeAt(0))

/** The first bytes of bundles that no browser can run, and the kind of each. */
const magics: ReadonlyArray<readonly [begins: ReadonlyArray<number>, what: string]> = [
  [[0xc6, 0x1f, 0xbc, 0x03, 0xc1, 0x03, 0x19, 0x1f], browserSupport("hermes").text],
  [
    [0xe5, 0xd1, 0x0b, 0xfb],
    "It is an indexed RAM bundle, which only React Native on a device reads. Upload a plain bundle."
  ],
  [[0x1f, 0x8b], "It is gzip, but was not declared as such: by its content type, or by Content-Encoding with the PUT."],
  [ascii("PK\x03\x04"), "It is a ZIP archive, as APK, AAB and IPA files are, and not JavaScript."],
  [[0x00, ...ascii("asm")], "It is WebAssembly, and not JavaScript."]
]

/** Explains why a bundle that begins with these bytes can't run in a browser; `undefined` if it may be worth trying. */
export const unsupportedFormat = (start: Uint8Array): string | undefined => {
  if (start.byteLength === 0) return "It is empty."
  const known = magics.find(([begins]) => begins.every((byte, index) => start[index] === byte))
  if (known !== undefined) return known[1]
  const text = new TextDecoder().decode(start)
  // UTF-16 is text, although it contains zero bytes.
  if (text.includes("\0") && !/^(?:\xff\xfe|\xfe\xff)/.test(String.fromCharCode(...start.subarray(0, 2)))) {
    return "It is binary, and not JavaScript."
  }
  // JavaScript may begin with `<!--`, which opens a comment, and with no other `<`.
  return /^\s*<(?!!--)/.test(text) ? "It is HTML or XML, and not JavaScript." : undefined
}

/** The files beside a bundle that are fonts of the app's binary: those in a folder `fonts`. A page names at most 200. */
export const linkedFontsIn = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.filter((path) => /(?:^|\/)fonts\/[^/]+\.(?:ttf|otf)$/i.test(path)).slice(0, 200)
