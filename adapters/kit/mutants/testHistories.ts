import { DateTime, Effect, Option } from "effect"
import type { HistoryChange, TestHistory } from "../../../core/model/TestHistory.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"

import { altered, type MetadataFaults } from "./Mutant.ts"

type List = TestHistoryStore["Service"]["list"]

const listing = (otherwise: (query: Parameters<List>[0], list: List) => ReturnType<List>) =>
  altered(TestHistoryStore, ({ list }) => ({ list: (query) => otherwise(query, list) }))

/** A store that changes histories otherwise than the caller decided. */
const storing = (change: (history: HistoryChange) => HistoryChange) =>
  altered(TestRunStore, (store) => ({
    insert: ({ history, ...given }) =>
      store.insert({ ...given, ...(history === undefined ? {} : { history: change(history) }) })
  }))

const whole = "in a random walk, every history and total equals what the rules make of all runs that there are"
const refused = "a run whose history has another version than expected is refused, and nothing is stored of it"

export const testHistoryMutants: MetadataFaults = {
  "a history comes back with every field unchanged, of its branch and of all": {
    "forgets when a test was flaky last": storing((history) => ({
      ...history,
      tests: history.tests.map(({ next, ...write }) => {
        if (next === undefined) return { ...write, next }
        const { lastFlakyAt: _, ...rest } = next
        return { ...write, next: rest }
      })
    }))
  },
  "the slowest first, without tests that have no duration, within the limit": {
    "lists the fastest first": listing((query, list) =>
      query.order.by === "newest"
        ? list(query)
        : Effect.map(
            list({ ...query, limit: 1000 }),
            Option.map((tests) => tests.toReversed().slice(0, query.limit))
          )
    )
  },
  "a list of one branch counts the results of that branch alone; names differ by every byte": {
    "forgets the branch where a status is asked for": listing((query, list) => {
      const { branch: _, ...filter } = query.filter
      return list(query.filter.status === undefined ? query : { ...query, filter })
    })
  },
  "a list of flaky tests: with a flaky result that began at that very instant or later": {
    "leaves out results of the very instant": listing((query, list) => {
      const { flakySince, ...filter } = query.filter
      return flakySince === undefined
        ? list(query)
        : list({ ...query, filter: { ...filter, flakySince: DateTime.add(flakySince, { milliseconds: 1 }) } })
    })
  },
  "a list by a text: in a name, prompt, file or platform, ASCII letters in either case": {
    "looks at names alone": listing((query, list) => {
      const { text, ...filter } = query.filter
      if (text === undefined) return list(query)
      const has = (one: string | undefined) => one?.toLowerCase().includes(text.toLowerCase()) === true
      return Effect.map(
        list({ ...query, filter }),
        Option.map((tests) => tests.filter(({ name, prompt }) => has(name ?? prompt)))
      )
    })
  },
  "a list by a tag or a device: those of the last run of each test, while it is stored": {
    "asks for one of the two": listing((query, list) => {
      const { device, tag, ...filter } = query.filter
      return list(device === undefined || tag === undefined ? query : { ...query, filter: { ...filter, device } })
    })
  },
  "CI runs: by their start, then by key, of one branch or all, continued after any of them": {
    "lists CI runs of every branch": altered(TestHistoryStore, (store) => ({
      ciRuns: (query) => store.ciRuns({ ...query, branch: undefined })
    }))
  },
  "room: the tests of a repository, counted up to a limit, and at the limit the oldest with a single result": {
    "counts all tests": altered(TestHistoryStore, (store) => ({ room: (id) => store.room(id, 1000) }))
  },
  "nothing is read of another account's repository, nor of one that isn't linked": {
    "answers an empty list of tests for a repository that isn't linked": listing((query, list) =>
      Effect.map(list(query), (found) => Option.some(Option.getOrElse(found, () => [])))
    ),
    "finds tests of every account": altered(TestHistoryStore, (store) => ({
      findEach: (_, testIds, branch) =>
        Effect.map(
          Effect.forEach(testIds, (testId) =>
            store.loadForRun({ repositoryId: "" as never, testId, branch, ciRun: "" })
          ),
          (loaded) =>
            loaded.flatMap(({ all, branch }) => Option.toArray(Option.orElse(branch, () => all)) as Array<TestHistory>)
        )
    }))
  },
  [refused]: {
    "stores a run without the history that is refused": altered(TestRunStore, (store) => ({
      insert: ({ history, ...given }) =>
        Effect.catchTag(store.insert({ ...given, ...(history === undefined ? {} : { history }) }), "Conflict", () =>
          store.insert(given)
        )
    })),
    "checks the history of all branches alone": altered(TestRunStore, (store) => ({
      insert: ({ history, ...given }) =>
        history === undefined
          ? store.insert(given)
          : Effect.catchTag(store.insert({ ...given, history }), "Conflict", () =>
              store.insert({ ...given, history: { ...history, tests: history.tests.slice(0, 1) } })
            )
    }))
  },
  "a history is deleted with its last run, and can be stored again": {
    "keeps the histories of deleted runs": altered(TestRunStore, (store) => ({
      commitDelete: (run) => store.commitDelete(run)
    }))
  },
  [whole]: {
    "takes nothing off the totals of a CI run": altered(TestRunStore, (store) => ({
      commitDelete: (run, history) => store.commitDelete(run, history && { tests: history.tests, ciRun: undefined })
    })),
    "gives fewer stored runs than there are": altered(TestHistoryStore, (store) => ({
      storedRuns: (testId, { bytes }) => store.storedRuns(testId, { limit: 5, bytes })
    }))
  },
  "storedRuns: the runs of a test, registered last first, whole and within the limits": {
    "reads runs of any size": altered(TestHistoryStore, (store) => ({
      storedRuns: (testId, { limit }) => store.storedRuns(testId, { limit, bytes: Infinity })
    }))
  },
  "searchTests: the account's tests by a part of a name, prompt or file, the last one first": {
    "minds the case of letters": altered(TestHistoryStore, (store) => ({
      searchTests: (account, text, limit) =>
        Effect.map(store.searchTests(account, text, limit), (tests) =>
          tests.filter(({ test }) => [test.name, test.prompt, test.file].some((one) => one?.includes(text) === true))
        )
    }))
  },
  "searchCiRuns: by branch, pull request, or the beginning of a commit, the last one first": {
    "answers one more than asked for": altered(TestHistoryStore, (store) => ({
      searchCiRuns: (account, by, limit) => store.searchCiRuns(account, by, limit + 1)
    }))
  },
  "an evicted test is on no branch, and others are as before": {
    "evicts nothing": storing(({ ciRun, tests }) => ({ ciRun, tests }))
  }
}
