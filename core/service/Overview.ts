import { Context, DateTime, Effect, Layer, Option } from "effect"
import { BuildId } from "../model/Build.ts"
import type { BuildReservation, BuildView, Platform } from "../model/Build.ts"
import type { ShareId } from "../model/Preview.ts"
import type { Reader } from "../model/Principal.ts"
import { NotFound } from "../model/Problem.ts"
import type { Unavailable } from "../model/Problem.ts"
import { repositoryKey } from "../model/Repository.ts"
import type { Repository } from "../model/Repository.ts"
import type { TestRunId, TestRunView } from "../model/TestRun.ts"
import { OverviewStore } from "../ports/OverviewStore.ts"
import type { RunNeighbours } from "../ports/OverviewStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { pageOf } from "../rules/pages.ts"

/** A page of a repository's builds, newest first. `next` continues behind it; without one it was the last. */
export interface BuildPage {
  readonly builds: ReadonlyArray<BuildView>
  readonly next?: BuildId
}

interface Named {
  readonly owner: string
  readonly repo: string
}

const onHome = { branches: 12, runs: 12 }
const branchesOfRepository = 50
const buildsOnPage = 20
const uploadsOfBuild = 20
const runsOfPreview = 20

/** What an account has, for its people to browse. Whether a caller's scopes allow that is for whoever asks to check. */
export class Overview extends Context.Service<
  Overview,
  {
    /** Every repository that is linked to the account. */
    readonly repositories: (reader: Reader) => Effect.Effect<ReadonlyArray<Repository>, Unavailable>
    /** The newest build of each of the 12 branches and platforms that were built last. */
    readonly branches: (reader: Reader) => Effect.Effect<ReadonlyArray<BuildView>, Unavailable>
    /** The newest 12 runs. */
    readonly runs: (reader: Reader) => Effect.Effect<ReadonlyArray<TestRunView>, Unavailable>
    /** How many test runs are billed in this month (UTC). */
    readonly billedThisMonth: (reader: Reader) => Effect.Effect<number, Unavailable>
    /**
     * A repository, with the newest build of each of the 50 branches and platforms that were built last. `NotFound` when it
     * is not linked to the account.
     */
    readonly repository: (
      reader: Reader,
      named: Named
    ) => Effect.Effect<
      { readonly repository: Repository; readonly branches: ReadonlyArray<BuildView> },
      NotFound | Unavailable
    >
    /**
     * A page of 20 builds of a repository, newest first: of one branch, of one platform and older than `after`, where given.
     * `NotFound` when the repository is not linked to the account.
     */
    readonly builds: (
      reader: Reader,
      query: Named & {
        readonly branch?: string | undefined
        readonly platform?: Platform | undefined
        readonly after?: string | undefined
      }
    ) => Effect.Effect<BuildPage, NotFound | Unavailable>
    /** The newest 20 reservations of a build; none when it is not the account's. */
    readonly uploads: (reader: Reader, build: BuildId) => Effect.Effect<ReadonlyArray<BuildReservation>, Unavailable>
    /** The newest 20 runs of a preview; none when it is not the account's. */
    readonly runsOf: (reader: Reader, preview: ShareId) => Effect.Effect<ReadonlyArray<TestRunView>, Unavailable>
    /** The runs just before and after one, of the same repository and name. */
    readonly neighbours: (reader: Reader, run: TestRunId) => Effect.Effect<RunNeighbours, Unavailable>
  }
>()("slipway/core/service/Overview") {
  static readonly layer = Layer.effect(
    Overview,
    Effect.gen(function* () {
      const store = yield* OverviewStore
      const linked = yield* RepositoryStore

      const find = Effect.fnUntraced(function* (reader: Reader, { owner, repo }: Named) {
        const found = yield* linked.find(reader.account.id, repositoryKey(owner, repo))
        return Option.isSome(found) ? found.value : yield* NotFound.answer
      })

      const repository = Effect.fn("Overview.repository")(function* (reader: Reader, named: Named) {
        const found = yield* find(reader, named)
        const key = repositoryKey(named.owner, named.repo)
        const query = { account: reader.account.id, repository: key, limit: branchesOfRepository }
        return { repository: found, branches: yield* store.branches(query) }
      })

      const builds = Effect.fn("Overview.builds")(function* (
        reader: Reader,
        { after, branch, owner, platform, repo }: Parameters<Overview["Service"]["builds"]>[1]
      ) {
        yield* find(reader, { owner, repo })
        const found = yield* store.builds({
          account: reader.account.id,
          repository: repositoryKey(owner, repo),
          branch,
          platform,
          after: after === undefined ? undefined : BuildId.make(after),
          limit: buildsOnPage + 1
        })
        const { last, page } = pageOf(found, buildsOnPage)
        return last === undefined ? { builds: page } : { builds: page, next: last.build.id }
      })

      const billedThisMonth = Effect.fn("Overview.billedThisMonth")(function* (reader: Reader) {
        return yield* store.billedSince(reader.account.id, DateTime.startOf(yield* DateTime.now, "month"))
      })

      return Overview.of({
        repositories: ({ account }) => linked.list(account.id),
        branches: ({ account }) => store.branches({ account: account.id, limit: onHome.branches }),
        runs: ({ account }) => store.runs(account.id, onHome.runs),
        billedThisMonth,
        repository,
        builds,
        uploads: ({ account }, build) => store.uploads(account.id, build, uploadsOfBuild),
        runsOf: ({ account }, preview) => store.runsOf(account.id, preview, runsOfPreview),
        neighbours: ({ account }, run) => store.neighbours(account.id, run)
      })
    })
  )
}
