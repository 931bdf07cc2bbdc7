/** Texts and contents are compared by every byte of them, and lists are ordered by code unit. */
import { Effect, Option } from "effect"
import { repositoryKey } from "../../../core/model/Repository.ts"
import type { TestRun, TestRunView } from "../../../core/model/TestRun.ts"
import { AccountStore, NameTaken } from "../../../core/ports/AccountStore.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { compareRuns, testIdOf } from "../../../core/rules/testRuns.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

/** Treats two names as the same when `form` makes them equal. */
const comparing = (form: (name: string) => string) =>
  altered(AccountStore, (store) => ({
    insert: (account) =>
      Effect.flatMap(store.list, (all) =>
        all.some(({ name }) => form(name) === form(account.name)) ? Effect.fail(new NameTaken()) : store.insert(account)
      )
  }))

const ordering = (compare: (a: string, b: string) => number) =>
  altered(AccountStore, (store) => ({
    list: Effect.map(store.list, (all) => all.toSorted((a, b) => compare(a.name, b.name)))
  }))

type List = TestRunStore["Service"]["list"]

const listing = (otherwise: (query: Parameters<List>[0], list: List) => ReturnType<List>) =>
  altered(TestRunStore, ({ list }) => ({ list: (query) => otherwise(query, list) }))

const all = { filter: {}, after: Option.none(), limit: Infinity, bytes: 2 ** 53 }

const paged = (views: ReadonlyArray<TestRunView>, { after, limit }: Parameters<List>[0]) =>
  views
    .filter(({ run }) => Option.isNone(after) || compareRuns(run, after.value) > 0)
    .toSorted((a, b) => compareRuns(a.run, b.run))
    .slice(0, limit)

const cut = (run: TestRun): TestRun => (run.name === undefined ? run : { ...run, name: run.name.slice(0, 256) })

const label = ({ name, prompt }: TestRun): string => name ?? prompt ?? ""

/** Alters how the neighbours of a run are found among the account's similar runs. */
const neighboursAmong = (isAlike: (run: TestRun, own: TestRun) => boolean) =>
  altered(OverviewStore, (store) => ({
    neighbours: Effect.fnUntraced(function* (account, id) {
      const all = yield* store.runs(account, Infinity)
      const own = all.find(({ run }) => run.id === id)?.run
      const alike = all.filter(({ run }) => own !== undefined && (run === own || isAlike(run, own)))
      const at = alike.findIndex(({ run }) => run.id === id)
      return {
        previous: at < 0 ? Option.none() : Option.fromUndefinedOr(alike[at + 1]),
        next: Option.fromUndefinedOr(alike[at - 1])
      }
    })
  }))

export const comparisonMutants: MetadataFaults = {
  "AccountStore > texts of every kind in an account come back unchanged, and no two are the same": {
    "compares names in their Unicode normal form": comparing((name) => name.normalize("NFC")),
    "loses characters of the private use planes": altered(AccountStore, (store) => ({
      insert: (account) => store.insert({ ...account, name: account.name.replaceAll(/[\u{f0000}-\u{10ffff}]/gu, "?") })
    }))
  },
  "AccountStore > the list is ordered by name by code unit, not as a language or UTF-8 would": {
    "lists accounts in the order of UTF-8": ordering((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  },
  "RepositoryStore > letter case is decided by the key and not by the rules of a language": {
    "folds case as a language does": altered(RepositoryStore, (store) => {
      const folded = (text: string) => text.toUpperCase().toLowerCase().replaceAll("ς", "σ")
      return {
        link: (repository) =>
          Effect.map(store.link({ ...repository, repo: folded(repository.repo) }), (link) => ({
            ...link,
            repo: repository.repo
          })),
        find: (account, { owner, repo }) => store.find(account, repositoryKey(owner, folded(repo)))
      }
    })
  },
  "TestRunStore > texts of every kind in a run come back unchanged, and no two are the same": {
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
  "OverviewStore > neighbours: the runs next to one of its test: same repository, kind, name or prompt, file, platform and app":
    {
      "compares the first 256 characters of names": neighboursAmong(
        (run, own) => testIdOf(cut(run)) === testIdOf(cut(own))
      ),
      "compares repositories and names alone": neighboursAmong(
        (run, own) => run.repositoryId === own.repositoryId && label(run) === label(own)
      )
    }
}
