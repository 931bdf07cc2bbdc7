import { Option } from "effect"
import type { Build, BuildView } from "../../core/model/Build.ts"
import { billedTestRun } from "../../core/model/Preview.ts"
import type { TestRunView } from "../../core/model/TestRun.ts"
import { branchWindow, OverviewStore } from "../../core/ports/OverviewStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"
import { buildView } from "./builds.ts"
import { orLeftOut, type Run, type Transaction } from "./KeyValueStore.ts"
import { below, builds, keyOf, previews, reservations, runs, take, timeKey, walk } from "./tables.ts"
import { linkedRepository, linksOf } from "./repositories.ts"
import { newer, older, runLists, runView } from "./testRuns.ts"

/** The ids of the newest build of each branch, platform and app among a repository's newest builds. */
const lastOfEach = async (tx: Transaction, repository: string): Promise<ReadonlyArray<string>> => {
  const newest = new Map<string, string>()
  const entries = await tx.list({ ...below("buildsOf", repository), limit: branchWindow, reverse: true })
  for (const { key, value } of entries) {
    if (!newest.has(value)) newest.set(value, decodeURIComponent(key.slice(key.lastIndexOf("/") + 1)))
  }
  return [...newest.values()]
}

const viewOf = async (tx: Transaction, account: Build["accountId"], id: string): Promise<BuildView | undefined> =>
  buildView(tx, account, await builds.find(tx, id))

export const overviewStore = (run: Run) => {
  const firstRun = async (
    tx: Transaction,
    account: string,
    bounds: { readonly from: string; readonly to: string },
    reverse: boolean
  ): Promise<Option.Option<TestRunView>> =>
    Option.fromUndefinedOr(
      (await take(1, walk(tx, { ...bounds, reverse }), ({ value }) => runView(tx, account, value)))[0]
    )

  return OverviewStore.of({
    branches: ({ account, limit, repository: key }) =>
      run(async (tx) => {
        const one = key === undefined ? undefined : await linkedRepository(tx, account, key)
        const repositories = key === undefined ? await linksOf(tx, account) : one === undefined ? [] : [one]
        const last: Array<string> = []
        for (const { id } of repositories) last.push(...(await lastOfEach(tx, id)))
        const ids = last.toSorted((a, b) => byCodeUnit(b, a)).slice(0, limit)
        const views = await Promise.all(ids.map((id) => orLeftOut(() => viewOf(tx, account, id))))
        return views.filter((view) => view !== undefined)
      }),
    builds: ({ account, after, app, branch, limit, platform, repository: key }) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return []
        const { from, to } = below("buildsOf", repository.id)
        const bounds = { from, to: after === undefined ? to : keyOf("buildsOf", repository.id, after) }
        return take(limit, walk(tx, { ...bounds, reverse: true }), async ({ key, value }) => {
          const [ofPlatform, ofBranch, ofApp] = JSON.parse(value)
          const isAsked =
            (platform === undefined || ofPlatform === platform) &&
            (branch === undefined || ofBranch === branch) &&
            (app === undefined || ofApp === app)
          return isAsked ? viewOf(tx, account, decodeURIComponent(key.slice(key.lastIndexOf("/") + 1))) : undefined
        })
      }),
    uploads: (account, id, limit) =>
      run(async (tx) => {
        const view = await buildView(tx, account, await builds.find(tx, id))
        if (view === undefined) return []
        return take(limit, walk(tx, { ...below("buildReservations", id), reverse: true }), ({ value }) =>
          reservations.find(tx, value)
        )
      }),
    runsOf: (account, preview, limit) =>
      run((tx) => {
        const list = runLists.preview({ accountId: account, previewShareId: preview })
        return take(limit, walk(tx, { ...below(...list), reverse: true }), ({ value }) => runView(tx, account, value))
      }),
    neighbours: (account, id) =>
      run(async (tx) => {
        const testRun = await runs.find(tx, id)
        if (testRun === undefined || (await runView(tx, account, id)) === undefined) {
          return { previous: Option.none(), next: Option.none() }
        }
        const list = runLists.test(testRun)
        return {
          previous: await firstRun(tx, account, older(list, testRun), true),
          next: await firstRun(tx, account, newer(list, testRun), false)
        }
      }),
    previews: ({ account, after, isTestRun, limit, repository: key }) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return []
        const { from, to } = below("previewsOf", repository.id)
        const bounds = { from, to: after === undefined ? to : keyOf("previewsOf", repository.id, after) }
        return take(limit, walk(tx, { ...bounds, reverse: true }), async ({ value }) => {
          const preview = await previews.find(tx, value)
          if (preview?.finalizedAt === undefined) return undefined
          return isTestRun === false && preview.declaration.billingKind === billedTestRun ? undefined : preview
        })
      }),
    billedSince: (account, from) =>
      run(async (tx) => {
        let count = 0
        const bounds = { from: keyOf("billed", account, timeKey(from)), to: below("billed", account).to }
        for await (const _ of walk(tx, { ...bounds, reverse: false })) count += 1
        return count
      })
  })
}
