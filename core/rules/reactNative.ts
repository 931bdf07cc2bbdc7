/** Detects the React Native version in the text of a native bundle. */

/** A version of React Native. */
export interface Version {
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
  if (isForAndroid(bundle)) {
    return "It was made for Android. The phone here plays an iPhone: make the bundle with --platform ios."
  }
  return hasNativeNavigation(bundle)
    ? "It uses react-native-navigation, whose screens are native. Apps with React Navigation or expo-router run here."
    : undefined
}
