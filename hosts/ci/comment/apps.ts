/** The builds and previews of the commit that is reported. */
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { Client, PreviewListItem, ReplayCheck } from "../../client/index.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Settings } from "../settings/settings.ts"
import type { Source } from "./sourceRuns.ts"

/** An uploaded app, and the size of the same on the base branch, as far as there is one. */
export interface App {
  readonly kind: "build" | "preview"
  readonly id: string
  readonly url: string
  readonly platform: "ios" | "android" | undefined
  readonly sizeBytes: number
  readonly base: { readonly branch: string; readonly sizeBytes: number } | undefined
  /** What CI found when it opened it, where it did. */
  readonly replayCheck: ReplayCheck | undefined
}

type Asked = Pick<Settings, "app" | "base" | "branch" | "commit"> & Pick<Source, "owner" | "repo">

/** Nothing for a key without the scope, where there is nothing, and for a host that is too old to know. */
const unlessRefused = (error: unknown): undefined => {
  if (error instanceof SlipwayError && error.status !== undefined && [403, 404, 405].includes(error.status)) return
  throw error
}

/** The latest builds of the branch that are of the commit, each beside the latest one of the base branch. */
const readBuilds = async (
  client: Client,
  { app, base, branch, commit, owner, repo }: Asked,
  signal: AbortSignal
): Promise<ReadonlyArray<App>> => {
  const latest = async (of: string | undefined, platform: "ios" | "android", app: string | undefined) => {
    if (of === undefined) return undefined
    const query = { owner, repo, branch: of, platform, ...withoutUndefined({ app }) }
    const build = await client.builds.latest(query, { signal }).catch(unlessRefused)
    // A host that is too old to know apps answers the latest of all.
    if (build?.status !== "ready" || (app !== undefined && build.app !== app)) return undefined
    return { ...build, sizeBytes: build.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, build.bundleSizeBytes) }
  }
  const all = await Promise.all(
    (["ios", "android"] as const).map(async (platform) => {
      const build = await latest(branch, platform, app)
      if (build === undefined || build.commitSha !== commit) return []
      const { id, replayCheck, sizeBytes, url } = build
      const before = base === branch ? undefined : await latest(base, platform, build.app)
      return [
        {
          kind: "build",
          id,
          url,
          platform,
          sizeBytes,
          replayCheck,
          base: before?.app === build.app ? before : undefined
        } as const
      ]
    })
  )
  return all.flat()
}

/** How many pages of previews are searched for the latest one of the base branch. */
const searchedPages = 10

/** The previews of the commit, newest first, each beside the latest one of the base branch. */
const readPreviews = async (
  client: Client,
  { app, base, branch, commit, owner, repo }: Asked,
  signal: AbortSignal
): Promise<ReadonlyArray<App>> => {
  const read: Array<PreviewListItem> = []
  const own = () => read.filter(({ git }) => git.commitSha === commit && git.branch === branch)
  const baseOf = ({ git, platform }: PreviewListItem) =>
    base === branch
      ? undefined
      : read.find((one) => one.git.branch === base && one.platform === platform && one.git.app === git.app)
  for (let page = 1, cursor: string | undefined; page <= searchedPages; page += 1) {
    const query = { owner, repo, limit: 30, ...(cursor === undefined ? {} : { cursor }) }
    const found = await client.previews.list(query, { signal }).catch(unlessRefused)
    read.push(...(found?.previews ?? []).filter(({ git }) => app === undefined || git.app === app))
    cursor = found?.nextCursor
    if (cursor === undefined || base === undefined || own().every((one) => baseOf(one) !== undefined)) break
  }
  return own().map((one) => {
    const before = baseOf(one)
    return {
      kind: "preview",
      id: one.shareId,
      url: one.url,
      platform: one.platform,
      sizeBytes: one.sizeBytes,
      replayCheck: one.replayCheck,
      base: before && { branch: base ?? "", sizeBytes: before.sizeBytes }
    }
  })
}

/**
 * The builds and previews of the commit. Without those that the key has no scope for (`builds`, `preview_upload`), and none where the
 * commit isn't known.
 */
export const readApps = async (client: Client, asked: Asked, signal: AbortSignal): Promise<ReadonlyArray<App>> => {
  if (asked.commit === undefined) return []
  const [builds, previews] = await Promise.all([readBuilds(client, asked, signal), readPreviews(client, asked, signal)])
  return [...builds, ...previews]
}
