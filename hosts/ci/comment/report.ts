import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { attemptsOf, ciRunFilter, sourceParts } from "../../../core/rules/attempts.ts"
import { isIncomplete, type KnownImports, withExpected } from "../../../core/rules/imports.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Client, ListTestRuns, PreviewListItem, ReplayCheck, TestRun } from "../../client/index.ts"
import type { quarantining } from "../history/quarantine.ts"
import { type Settings, unlessTooOld } from "../settings/settings.ts"

/** The runs of a test in one CI run, the latest attempt first: it decides. */
export type Attempts = readonly [latest: TestRun, ...earlier: ReadonlyArray<TestRun>]

/** The results of one CI run, by the latest attempt of each test. */
export interface Report {
  /** Failed, and not in quarantine. */
  readonly failed: ReadonlyArray<Attempts>
  /** Failed in quarantine: left out of conclusions. */
  readonly quarantined: ReadonlyArray<Attempts>
  /** Passed, but not at the first try of its runner. */
  readonly flaky: ReadonlyArray<Attempts>
  readonly passed: ReadonlyArray<Attempts>
  /** Whether all imports of the CI run have ended; `undefined` where nothing is known. */
  readonly imports: KnownImports | undefined
  /** The page of all of them, for who has a key. */
  readonly url: string
  /** The only app that it is of; of all if it is `undefined`. */
  readonly app?: string | undefined
}

/** Whether a run passed after a try that failed. */
const isFlaky = ({ attempts = [], status }: TestRun): boolean =>
  status === "passed" && attempts.some((attempt) => attempt.status === "failed")

/** What a run is called. */
export const nameOf = ({ name, prompt }: TestRun): string => name ?? prompt ?? "a test without a name"

/** Sorts the tests of a CI run by how they went, each kind by name. `runs` are newest first. */
const reportOf = (
  runs: ReadonlyArray<TestRun>,
  isQuarantined: ReturnType<typeof quarantining>,
  { app, imports, url }: Pick<Report, "app" | "imports" | "url">
): Report => {
  const tests = attemptsOf(runs, (run) => run).toSorted(
    ([a], [b]) => nameOf(a).localeCompare(nameOf(b)) || (a.id < b.id ? -1 : 1)
  )
  const failed = tests.filter(([{ status }]) => status === "failed")
  return {
    failed: failed.filter(([run]) => !isQuarantined(run)),
    quarantined: failed.filter(([run]) => isQuarantined(run)),
    flaky: tests.filter(([run]) => isFlaky(run)),
    passed: tests.filter(([run]) => run.status === "passed" && !isFlaky(run)),
    imports,
    url,
    app
  }
}

/** How many tests a report is of. */
export const countOf = ({ failed, flaky, passed, quarantined }: Report): number =>
  failed.length + quarantined.length + flaky.length + passed.length

/** The items of all pages of a list, until there are enough. */
export const allPages = async <A>(
  read: (cursor: { readonly cursor?: string }) => Promise<readonly [items: ReadonlyArray<A>, next: string | undefined]>,
  isEnough: (all: ReadonlyArray<A>) => boolean = () => false
): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for (let cursor: string | undefined; ;) {
    const [items, next] = await read(withoutUndefined({ cursor }))
    all.push(...items)
    if (next === undefined || isEnough(all)) return all
    cursor = next
  }
}

/** The test runs of a repository, newest first, until there are enough. */
export const readRuns = (
  client: Client,
  query: ListTestRuns,
  signal: AbortSignal,
  isEnough?: (all: ReadonlyArray<TestRun>) => boolean
): Promise<ReadonlyArray<TestRun>> =>
  allPages(async (cursor) => {
    const { nextCursor, testRuns } = await client.testRuns.list({ limit: 100, ...query, ...cursor }, { signal })
    return [testRuns, nextCursor]
  }, isEnough)

/** Whose runs are asked for. */
interface Source {
  readonly owner: string
  readonly repo: string
  readonly source: string
  /** The only app whose runs are asked for. */
  readonly app?: string | undefined
  /** The host's address. */
  readonly url: string
  /** How many imports the CI run has, where that is known. */
  readonly expectedImports?: number | undefined
}

/** The page of a CI run lies beside those of its runs; without a run, where the host itself would have it. */
const pageOf = ({ app, owner, repo, source, url }: Source, run: TestRun | undefined): string => {
  const base = run === undefined ? url.replace(/\/+$/, "") : run.traceUrl.replace(/\/runs\/[^/]*$/, "")
  const query = { owner, repo, source: sourceParts(source).ciRun, ...withoutUndefined({ app }) }
  return `${base}/sources?${new URLSearchParams(query)}`
}

/** Asks the host for the runs of every attempt at the CI run that the source names. */
export const readReport = async (
  client: Client,
  asked: Source,
  isQuarantined: ReturnType<typeof quarantining>,
  signal: AbortSignal
): Promise<Report> => {
  const { app, expectedImports, owner: org, repo, source } = asked
  const { ciRun } = sourceParts(source)
  const readImports = async () =>
    withExpected(
      (await client.sources.read(source, { org, repo, ...withoutUndefined({ app }) }, { signal }).catch(unlessTooOld))
        ?.imports,
      expectedImports
    )
  // Runs may be registered, and an import opened, while the list is read: what counts is complete before and after.
  const before = await readImports()
  const query = { org, repo, ...withoutUndefined({ app }), ...ciRunFilter(source) }
  const isOf = (run: TestRun) =>
    run.source !== undefined && sourceParts(run.source).ciRun === ciRun && (app === undefined || run.app === app)
  const runs = (await readRuns(client, query, signal)).filter(isOf)
  const imports = isIncomplete(before) ? before : await readImports()
  return reportOf(runs, isQuarantined, { app, imports, url: pageOf(asked, runs[0]) })
}

// The builds and previews of the commit that is reported.

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
export const unlessRefused = (error: unknown): undefined => {
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
