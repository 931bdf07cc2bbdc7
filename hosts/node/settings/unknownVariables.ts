import { settingNames } from "./settings.ts"

/** What the other commands read: those of CI, the conformance suite, and the tests. */
const ofOthers = /^SLIPWAY_(?:KEY|OWNER|REPO|BRANCH|COMMIT|PR|SOURCE|(?:CONFORMANCE|TEST)_\w+)$/

/** The variables of an environment that are named like settings of a host and aren't any: mistyped, most likely. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const known = new Set(settingNames.map(({ env }) => env))
  return Object.keys(env).filter((name) => name.startsWith("SLIPWAY_") && !known.has(name) && !ofOthers.test(name))
}
