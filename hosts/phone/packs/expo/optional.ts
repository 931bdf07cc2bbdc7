/** The names in calls of a function of Expo, in a minified bundle. */
const namesIn = (bundle: string, called: string): ReadonlySet<string> =>
  new Set(
    Array.from(bundle.matchAll(new RegExp(`\\b${called}\\)?\\((["'])([^"']*)\\1`, "g")), ([, , name = ""]) => name)
  )

/**
 * The modules that a bundle requests from Expo and works without, those that only a development build has, and the proxy of modules of before
 * Expo 55: without it, a bundle uses `NativeUnimoduleProxy`.
 */
export const optionalOfExpo = (bundle: string): ReadonlySet<string> =>
  new Set([
    "ExpoGo",
    "EXDevLauncher",
    "ExponentKernel",
    "NativeModulesProxy",
    ...namesIn(bundle, "requireOptionalNativeModule").difference(namesIn(bundle, "requireNativeModule"))
  ])
