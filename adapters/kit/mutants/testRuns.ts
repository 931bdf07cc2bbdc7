import { Context, Effect, Layer, Option } from "effect"
import type { Preview } from "../../../core/model/Preview.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { compareRuns } from "../../../core/rules/testRuns.ts"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

type List = TestRunStore["Service"]["list"]

const listing = (otherwise: (list: List) => List) =>
  altered(TestRunStore, (store) => ({ ...store, list: otherwise(store.list) }))

const all = { filter: {}, after: Option.none(), limit: Infinity }

const paged = (views: ReadonlyArray<TestRunView>, { after, limit }: Parameters<List>[0]) =>
  views
    .filter(({ run }) => Option.isNone(after) || compareRuns(run, after.value) > 0)
    .toSorted((a, b) => compareRuns(a.run, b.run))
    .slice(0, limit)

export const testRunMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "lists what passes any of the filters",
    caughtBy: "TestRunStore > every filter and every pair of filters selects what the rule selects, in its order",
    adapter: listing((list) => (query) => {
      const filters = Object.entries(query.filter).map(([name, value]) => ({ [name]: value }))
      if (filters.length < 2) return list(query)
      return Effect.gen(function* () {
        const found = new Map<string, TestRunView>()
        for (const filter of filters) {
          const views = yield* list({ ...query, ...all, filter })
          if (Option.isNone(views)) return views
          for (const view of views.value) found.set(view.run.id, view)
        }
        return Option.some(paged([...found.values()], query))
      })
    })
  },
  {
    fault: "filters only what it was going to answer",
    caughtBy:
      "TestRunStore > any filters from any position select what the rule selects, in its order and within the limit",
    adapter: listing(
      (list) => (query) =>
        Effect.gen(function* () {
          const page = yield* list({ ...query, filter: {} })
          const passing = yield* list({ ...query, limit: Infinity })
          if (Option.isNone(page) || Option.isNone(passing)) return Option.none()
          const ids = new Set(page.value.map(({ run }) => run.id))
          return Option.some(passing.value.filter(({ run }) => ids.has(run.id)))
        })
    )
  },
  {
    fault: "skips the runs of one millisecond with that at which a page ended",
    caughtBy: "TestRunStore > a list is ordered newest first, and by descending id within a millisecond",
    adapter: listing(
      (list) => (query) =>
        list({ ...query, after: Option.map(query.after, ({ createdAt }) => ({ createdAt, id: TestRunId.make("") })) })
    )
  },
  {
    fault: "lists the oldest first",
    caughtBy: "TestRunStore > a list is ordered newest first, and by descending id within a millisecond",
    adapter: listing(
      (list) => (query) =>
        Effect.map(
          list(query),
          Option.map((views) => views.toReversed())
        )
    )
  },
  {
    fault: "lists one more than was asked for",
    caughtBy: "TestRunStore > a list is ordered newest first, and by descending id within a millisecond",
    adapter: listing((list) => (query) => list({ ...query, limit: query.limit + 1 }))
  },
  {
    fault: "meets the run at which a page ended again",
    caughtBy: "TestRunStore > paging while runs are registered skips no earlier run and shows none twice",
    adapter: listing(
      (list) => (query) =>
        list({
          ...query,
          after: Option.map(query.after, ({ createdAt, id }) => ({ createdAt, id: TestRunId.make(`${id}~`) }))
        })
    )
  },
  {
    fault: "lists the runs that were registered last first",
    caughtBy:
      "TestRunStore > a list is ordered by the times that are given, not by the engine's clock or the order of registration",
    adapter: altered(TestRunStore, (store) => {
      const came: Array<string> = []
      const later = (a: TestRunView, b: TestRunView) => came.indexOf(b.run.id) - came.indexOf(a.run.id)
      return {
        ...store,
        insert: (change) =>
          Effect.andThen(
            Effect.sync(() => came.push(change.run.id)),
            store.insert(change)
          ),
        list: (query) =>
          Effect.map(
            store.list(query),
            Option.map((views) => views.toSorted(later))
          )
      }
    })
  },
  {
    fault: "lists nothing, and not none, for a repository that isn't linked",
    caughtBy: "TestRunStore > the runs of an unlinked repository are neither listed nor found until it is linked again",
    adapter: listing(
      (list) => (query) => Effect.map(list(query), (found) => Option.some(Option.getOrElse(found, () => [])))
    )
  },
  {
    fault: "answers none for a list without runs",
    caughtBy: "TestRunStore > a list holds only its repository's runs, and is an empty list when there are none",
    adapter: listing(
      (list) => (query) =>
        Effect.map(
          list(query),
          Option.filter((views) => views.length > 0)
        )
    )
  },
  {
    fault: "compares branches without regard to case",
    caughtBy:
      "TestRunStore > branches and sources that differ in case, a space, their form or their last character are different",
    adapter: listing((list) => (query) => {
      const { branch, ...filter } = query.filter
      if (branch === undefined) return list(query)
      return Effect.map(
        list({ ...query, ...all, filter }),
        Option.map((views) =>
          paged(
            views.filter(({ run }) => run.branch?.toLowerCase() === branch.toLowerCase()),
            query
          )
        )
      )
    })
  },
  {
    fault: "forgets the account of a preview that a run is to show",
    caughtBy:
      "TestRunStore > registering loads the account's repository and the account's preview, each if there is one",
    adapter: Layer.flatMap(layerMetadata, (memory) => {
      const previews = Context.get(memory, PreviewStore)
      const runs = Context.get(memory, TestRunStore)
      const reserved = new Map<string, Preview>()
      return Layer.succeedContext(
        memory.pipe(
          Context.add(PreviewStore, {
            ...previews,
            commitReserve: (change) =>
              Effect.tap(previews.commitReserve(change), () =>
                Effect.sync(() => reserved.set(change.preview.shareId, change.preview))
              )
          }),
          Context.add(TestRunStore, {
            ...runs,
            loadForRegister: (account, repository, shareId) =>
              Effect.map(runs.loadForRegister(account, repository, shareId), (loaded) => ({
                ...loaded,
                preview: Option.fromUndefinedOr(reserved.get(shareId))
              }))
          })
        )
      )
    })
  },
  {
    fault: "cuts messages at 1,024 characters",
    caughtBy: "TestRunStore > texts of the greatest length come back unchanged",
    adapter: altered(TestRunStore, (store) => ({
      ...store,
      insert: (change) => {
        const { failureMessage } = change.run
        const run = failureMessage === undefined ? {} : { failureMessage: failureMessage.slice(0, 1024) }
        return store.insert({ ...change, run: { ...change.run, ...run } })
      }
    }))
  }
]
