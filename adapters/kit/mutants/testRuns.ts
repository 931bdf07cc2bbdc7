import { Effect, Option } from "effect"
import type { Preview } from "../../../core/model/Preview.ts"
import { TestRunId, type TestRun, type TestRunView } from "../../../core/model/TestRun.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { compareRuns } from "../../../core/rules/testRuns.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

type List = TestRunStore["Service"]["list"]

const listing = (otherwise: (query: Parameters<List>[0], list: List) => ReturnType<List>) =>
  altered(TestRunStore, ({ list }) => ({ list: (query) => otherwise(query, list) }))

const all = { filter: {}, after: Option.none(), limit: Infinity, bytes: 2 ** 53 }

const paged = (views: ReadonlyArray<TestRunView>, { after, limit }: Parameters<List>[0]) =>
  views
    .filter(({ run }) => Option.isNone(after) || compareRuns(run, after.value) > 0)
    .toSorted((a, b) => compareRuns(a.run, b.run))
    .slice(0, limit)

/** A store that keeps a run otherwise than it is given. */
const keeping = (change: (run: TestRun) => TestRun) =>
  altered(TestRunStore, (store) => ({ insert: (given) => store.insert({ ...given, run: change(given.run) }) }))

export const testRunMutants: MetadataFaults = {
  "a list ends with the first run with which their metadata is more than the bytes that are asked for": {
    "counts no bytes": listing((query, list) => list({ ...query, bytes: 2 ** 53 }))
  },
  "a run comes back with every field unchanged from each call that finds it, and with no other": {
    "keeps each tag once": keeping((run) => (run.tags === undefined ? run : { ...run, tags: [...new Set(run.tags)] }))
  },
  "a message of the greatest length, a device without a field, no attempts and no tags come back as they are": {
    "cuts messages at 1,024 characters": altered(TestRunStore, (store) => ({
      insert: (change) => {
        const { failureMessage } = change.run
        const run = failureMessage === undefined ? {} : { failureMessage: failureMessage.slice(0, 1024) }
        return store.insert({ ...change, run: { ...change.run, ...run } })
      }
    })),
    "takes an empty list for an absent one": keeping(({ tags, ...run }) =>
      tags === undefined || tags.length === 0 ? run : { ...run, tags }
    )
  },
  "any filters from any position, where a run is or none, select what the rule selects, in its order and within the limit":
    {
      "lists one more than was asked for": listing((query, list) => list({ ...query, limit: query.limit + 1 })),
      "lists runs in the order of their registration": altered(TestRunStore, (store) => {
        const came: Array<string> = []
        const later = (a: TestRunView, b: TestRunView) => came.indexOf(b.run.id) - came.indexOf(a.run.id)
        return {
          insert: (change) => Effect.tap(store.insert(change), () => Effect.sync(() => came.push(change.run.id))),
          list: (query) =>
            Effect.map(
              store.list(query),
              Option.map((views) => views.toSorted(later))
            )
        }
      }),
      "filters only the page that it would answer without filters": listing((query, list) =>
        Effect.gen(function* () {
          const page = yield* list({ ...query, filter: {} })
          const passing = yield* list({ ...query, limit: Infinity })
          if (Option.isNone(page) || Option.isNone(passing)) return Option.none()
          const ids = new Set(page.value.map(({ run }) => run.id))
          return Option.some(passing.value.filter(({ run }) => ids.has(run.id)))
        })
      )
    },
  "paging while runs are registered skips no earlier run and shows none twice": {
    "lists the run at which a page ended on the next page again": listing((query, list) =>
      list({
        ...query,
        after: Option.map(query.after, ({ createdAt, id }) => ({ createdAt, id: TestRunId.make(`${id}~`) }))
      })
    )
  },
  "the runs of an unlinked repository are neither listed nor found until it is linked again": {
    "answers an empty list for a repository that isn't linked": listing((query, list) =>
      Effect.map(list(query), (found) => Option.some(Option.getOrElse(found, () => [])))
    )
  },
  "texts of every kind in a run come back unchanged, and no two are the same": {
    "compares branches without regard to case": listing((query, list) => {
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
  "registering loads the account's repository and the account's preview, each if there is one": {
    "loads a preview of another account for a registration": bothAltered(
      PreviewStore,
      TestRunStore,
      (previews, runs) => {
        const reserved = new Map<string, Preview>()
        return [
          {
            commitReserve: (change) =>
              Effect.tap(previews.commitReserve(change), () =>
                Effect.sync(() => reserved.set(change.preview.shareId, change.preview))
              )
          },
          {
            loadForRegister: (account, repository, shareId) =>
              Effect.map(runs.loadForRegister(account, repository, shareId), (loaded) => ({
                ...loaded,
                preview: Option.fromUndefinedOr(reserved.get(shareId))
              }))
          }
        ]
      }
    )
  }
}
