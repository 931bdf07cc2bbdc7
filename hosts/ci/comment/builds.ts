import { bytesText, sizeChangeText } from "../../../core/rules/amounts.ts"
import type { Build, Client } from "../../client/index.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Settings } from "../settings/settings.ts"
import type { Source } from "./sourceRuns.ts"

/** A build of the commit that is reported, beside that of the base branch, as far as there are any. */
export interface BuildChange {
  readonly build: Build
  readonly base: Build | undefined
}

/** The size of everything that a build hosts, in bytes. */
const sizeOf = ({ bundleSizeBytes, files }: Build): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, bundleSizeBytes)

/**
 * The builds of the commit, each beside the latest one of the base branch. Empty for a key without the scope `builds`, and where branch
 * or commit are not known.
 */
export const readBuilds = async (
  client: Client,
  { base, branch, commit, owner, repo }: Pick<Settings, "base" | "branch" | "commit"> & Pick<Source, "owner" | "repo">,
  signal: AbortSignal
): Promise<ReadonlyArray<BuildChange>> => {
  const latest = (of: string | undefined, platform: "ios" | "android") =>
    of === undefined
      ? undefined
      : client.builds.latest({ owner, repo, branch: of, platform }, { signal }).catch((error: unknown) => {
          if (error instanceof SlipwayError && (error.status === 403 || error.status === 404)) return undefined
          throw error
        })
  const all = await Promise.all(
    (["ios", "android"] as const).map(async (platform) => {
      const build = await latest(branch, platform)
      if (build?.status !== "ready" || build.commitSha !== commit) return []
      return [{ build, base: base === branch ? undefined : await latest(base, platform) }]
    })
  )
  return all.flat()
}

const names = { ios: "iOS", android: "Android" }

/** What a report says of builds, as Markdown: a line for each. `plain` makes a text Markdown that means nothing but itself. */
export const buildLines = (
  builds: ReadonlyArray<BuildChange>,
  plain: (text: string) => string
): ReadonlyArray<string> =>
  builds.map(({ base, build }) => {
    const now = sizeOf(build)
    const change =
      base === undefined ? "" : `, ${sizeChangeText(now, sizeOf(base))} compared with ${plain(base.branch)}`
    return `- [Open the ${names[build.platform]} build in the browser](${build.url}) · ${bytesText(now)}${change}`
  })
