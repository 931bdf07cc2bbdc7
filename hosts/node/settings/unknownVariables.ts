import { settingNames } from "./settings.ts"

/** What the other commands read: those of CI, the conformance suite, and the tests. */
const ofOthers = /^SLIPWAY_(?:KEY|OWNER|REPO|BRANCH|COMMIT|PR|SOURCE|(?:CONFORMANCE|TEST)_\w+)$/

/** The variables of an environment that are named like settings of a host and aren't any: mistyped, most likely. */
export const unknownVariables = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const known = new Set(settingNames.map(({ env }) => env))
  return Object.keys(env).filter((name) => name.startsWith("SLIPWAY_") && !known.has(name) && !ofOthers.test(name))
}

/** How many letters have to be typed, deleted or replaced to make one text of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1)
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** The setting that a mistyped variable most likely means. */
export const meantSetting = (unknown: string): string | undefined => {
  const [nearest] = settingNames
    .map(({ env }) => ({ env, away: distance(unknown, env) }))
    .toSorted((one, other) => one.away - other.away)
  return nearest !== undefined && nearest.away <= 3 ? nearest.env : undefined
}
