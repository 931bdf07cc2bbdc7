import type { CheckResult, Report, Verdict } from "./Report.ts"

type ProfileName = CheckResult["profile"]

/** The names of the profiles. */
export const profileNames: Readonly<Record<ProfileName, string>> = {
  builds: "builds",
  previews: "previews",
  testRuns: "test runs"
}

/** `builds, previews and test runs`. */
export const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** `1 check`, `2 checks`. */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`

/** A length of time: `250 ms`, `2.1 s`, `3 min 5 s`. */
export const durationText = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toLocaleString("en-GB", { maximumFractionDigits: 1 })} s`
  return `${Math.floor(Math.round(seconds) / 60)} min ${Math.round(seconds) % 60} s`
}

/** The names of the kinds of resources that a run creates. */
export const resourceNames = { build: "build", preview: "preview", testRun: "test run" } as const

/** `3 builds and 1 preview`. */
export const resourcesText = (ledger: Report["ledger"]): string =>
  listed([...Map.groupBy(ledger, ({ what }) => what)].map(([what, all]) => counted(all.length, resourceNames[what])))

/** The profiles that a report judges, with their verdicts, in the order in which they are claimed. */
export const verdictsIn = (
  report: Pick<Report, "config" | "verdicts">
): ReadonlyArray<{ readonly profile: ProfileName; readonly name: string; readonly verdict: Verdict }> =>
  report.config.profiles.flatMap((profile) => {
    const verdict = report.verdicts[profile]
    return verdict === undefined ? [] : [{ profile, name: profileNames[profile], verdict }]
  })

/**
 * `Harbour 2.1 of Acme (ci@acme.example)`: whose implementation a report is about; empty if the config doesn't name it.
 */
export const implementationText = ({ config: { implementation } }: Pick<Report, "config">): string => {
  if (implementation === undefined) return ""
  const { contact, name, organisation, version } = implementation
  return `${name}${version === undefined ? "" : ` ${version}`} of ${organisation}${contact === undefined ? "" : ` (${contact})`}`
}

/** What each verdict means. */
export const verdictMeanings: Readonly<Record<Verdict, string>> = {
  conformant: "every check of a sentence that binds (MUST) was made and passed",
  partial: "no such check failed, but some were skipped, are expected to fail or were not made",
  failed: "a check of a sentence that binds failed, or the target gave no answer to it"
}
