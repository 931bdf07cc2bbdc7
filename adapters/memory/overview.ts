import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Build, BuildView } from "../../core/model/Build.ts"
import type { TestRun, TestRunView } from "../../core/model/TestRun.ts"
import { branchWindow, OverviewStore } from "../../core/ports/OverviewStore.ts"
import { compareRuns } from "../../core/rules/testRuns.ts"
import { byText, linkedRepository } from "./state.ts"
import type { State } from "./state.ts"

const label = ({ name, prompt }: TestRun): string | undefined => name ?? prompt

export const overviewStore = (state: State) => {
  const linked = (account: AccountId) =>
    Array.from(state.links.values()).flatMap(({ linked, repository }) =>
      linked && repository.accountId === account ? [repository] : []
    )

  const view = (account: AccountId, build: Build): ReadonlyArray<BuildView> => {
    const repository = linked(account).find(({ id }) => id === build.repositoryId)
    const upload = state.reservations.get(build.shown)
    return repository && upload ? [{ build, repository, upload }] : []
  }

  const buildsOf = (repository: string) =>
    Array.from(state.builds.values())
      .filter((build) => build.repositoryId === repository)
      .toSorted((a, b) => byText(b.id, a.id))

  const runsOf = (account: AccountId): ReadonlyArray<TestRunView> =>
    [...state.runs.values()].toSorted(compareRuns).flatMap((run) => {
      const repository = linked(account).find(({ id }) => id === run.repositoryId)
      return repository === undefined ? [] : [{ run, repository }]
    })

  return OverviewStore.of({
    branches: ({ account, limit, repository: key }) =>
      Effect.sync(() => {
        const one = key === undefined ? undefined : linkedRepository(state, account, key)
        const repositories = key === undefined ? linked(account) : one === undefined ? [] : [one]
        const last = repositories.flatMap(({ id }) => {
          const seen = new Map<string, Build>()
          for (const build of buildsOf(id).slice(0, branchWindow)) {
            const line = `${build.platform}/${build.branch}`
            if (!seen.has(line)) seen.set(line, build)
          }
          return [...seen.values()]
        })
        return last
          .toSorted((a, b) => byText(b.id, a.id))
          .slice(0, limit)
          .flatMap((build) => view(account, build))
      }),
    builds: ({ account, after, branch, limit, platform, repository: key }) =>
      Effect.sync(() => {
        const repository = linkedRepository(state, account, key)
        return buildsOf(repository?.id ?? "")
          .filter(
            (build) =>
              (branch === undefined || build.branch === branch) &&
              (platform === undefined || build.platform === platform) &&
              (after === undefined || build.id < after)
          )
          .slice(0, limit)
          .flatMap((build) => view(account, build))
      }),
    uploads: (account, id, limit) =>
      Effect.sync(() => {
        const build = state.builds.get(id)
        if (build === undefined || view(account, build).length === 0) return []
        return Array.from(state.reservations.values())
          .filter((reservation) => reservation.buildId === id)
          .toSorted((a, b) => byText(b.id, a.id))
          .slice(0, limit)
      }),
    runs: (account, limit) => Effect.sync(() => runsOf(account).slice(0, limit)),
    runsOf: (account, preview, limit) =>
      Effect.sync(() =>
        runsOf(account)
          .filter(({ run }) => run.previewShareId === preview)
          .slice(0, limit)
      ),
    neighbours: (account, id) =>
      Effect.sync(() => {
        const all = runsOf(account)
        const own = all.find(({ run }) => run.id === id)?.run
        const alike = all.filter(
          ({ run }) => own !== undefined && run.repositoryId === own.repositoryId && label(run) === label(own)
        )
        const at = alike.findIndex(({ run }) => run.id === id)
        return {
          previous: at < 0 ? Option.none() : Option.fromUndefinedOr(alike[at + 1]),
          next: Option.fromUndefinedOr(alike[at - 1])
        }
      }),
    billedSince: (account, from) =>
      Effect.sync(
        () =>
          state.usage.filter(({ accountId, at }) => accountId === account && DateTime.isGreaterThanOrEqualTo(at, from))
            .length
      )
  })
}
