import { Context, DateTime, Effect, Layer } from "effect"
import { BuildId, type BuildReservation, type BuildView, type Platform } from "../model/Build.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { Reader } from "../model/ApiKey.ts"
import type { InvalidRequest, NotFound, Unavailable } from "../model/Problem.ts"
import { ReservationId } from "../model/Reservation.ts"
import { repositoryKey, type Repository } from "../model/Repository.ts"
import type { TestRunId, TestRunView } from "../model/TestRun.ts"
import { OverviewStore, type RunNeighbours } from "../ports/OverviewStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { pageOf } from "../rules/pages.ts"
import { orNotFound } from "./Authorization.ts"
import { inSpan } from "./telemetry.ts"

/** A page of a repository's builds, newest first. `next` continues behind it; without one it was the last. */
export interface BuildPage {
  readonly builds: ReadonlyArray<BuildView>
  readonly next?: BuildId
}

/** A page of a repository's ready previews, newest first. `next` continues behind it; without one it was the last. */
export interface PreviewPage {
  readonly previews: ReadonlyArray<Preview>
  readonly next?: ReservationId
}

interface Named {
  readonly owner: string
  readonly repo: string
}

/** Lists of what an account has, for people to browse. The scopes of a key are not checked here: the viewer does that. */
export class Overview extends Context.Service<
  Overview,
  {
    /** Every repository that is linked to the account. */
    readonly repositories: (reader: Reader) => Effect.Effect<ReadonlyArray<Repository>, InvalidRequest | Unavailable>
    /** A repository by its name. `NotFound` when it is not linked to the account. */
    readonly repository: (
      reader: Reader,
      named: Named
    ) => Effect.Effect<Repository, NotFound | InvalidRequest | Unavailable>
    /**
     * The newest build of each branch, platform and app, for those that were built last and at most `limit` of them: of all
     * linked repositories, or of the one that is named.
     */
    readonly branches: (
      reader: Reader,
      query: { readonly repository?: Named; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<BuildView>, InvalidRequest | Unavailable>
    /** How many test runs are billed in this month (UTC). */
    readonly billedThisMonth: (reader: Reader) => Effect.Effect<number, InvalidRequest | Unavailable>
    /**
     * A page of at most `limit` builds of a repository, newest first: of one branch, of one platform, of one app and older than `after`,
     * where given. None when the repository is not linked to the account.
     */
    readonly builds: (
      reader: Reader,
      query: Named & {
        readonly branch?: string | undefined
        readonly platform?: Platform | undefined
        readonly app?: string | undefined
        readonly after?: string | undefined
        readonly limit: number
      }
    ) => Effect.Effect<BuildPage, InvalidRequest | Unavailable>
    /**
     * A page of at most `limit` ready previews of a repository, without those of test runs if `isTestRun` is `false`. None when the
     * repository is not linked to the account.
     */
    readonly previews: (
      reader: Reader,
      query: Named & {
        readonly isTestRun?: false | undefined
        readonly after?: string | undefined
        readonly limit: number
      }
    ) => Effect.Effect<PreviewPage, InvalidRequest | Unavailable>
    /** The newest reservations of a build, at most `limit`; none when it is not the account's. */
    readonly uploads: (
      reader: Reader,
      build: BuildId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BuildReservation>, InvalidRequest | Unavailable>
    /** The newest runs of a preview, at most `limit`; none when it is not the account's. */
    readonly runsOf: (
      reader: Reader,
      preview: ShareId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TestRunView>, InvalidRequest | Unavailable>
    /** The runs of the same test that were registered just before and after one. */
    readonly neighbours: (reader: Reader, run: TestRunId) => Effect.Effect<RunNeighbours, InvalidRequest | Unavailable>
  }
>()("slipway/core/service/Overview") {
  static readonly layer = Layer.effect(
    Overview,
    Effect.gen(function* () {
      const store = yield* OverviewStore
      const linked = yield* RepositoryStore

      const builds = Effect.fnUntraced(function* (
        reader: Reader,
        { after, limit, owner, repo, ...filter }: Parameters<Overview["Service"]["builds"]>[1]
      ) {
        const rows = yield* store.builds({
          ...filter,
          account: reader.account.id,
          repository: repositoryKey(owner, repo),
          after: after === undefined ? undefined : BuildId.make(after),
          limit: limit + 1
        })
        const { last, page } = pageOf(rows, limit)
        return last === undefined ? { builds: page } : { builds: page, next: last.build.id }
      }, inSpan("Overview.builds"))

      const previews = Effect.fnUntraced(function* (
        reader: Reader,
        { after, isTestRun, limit, owner, repo }: Parameters<Overview["Service"]["previews"]>[1]
      ) {
        const rows = yield* store.previews({
          isTestRun,
          account: reader.account.id,
          repository: repositoryKey(owner, repo),
          after: after === undefined ? undefined : ReservationId.make(after),
          limit: limit + 1
        })
        const { last, page } = pageOf(rows, limit)
        return last === undefined ? { previews: page } : { previews: page, next: last.id }
      }, inSpan("Overview.previews"))

      const billedThisMonth = Effect.fnUntraced(function* (reader: Reader) {
        return yield* store.billedSince(reader.account.id, DateTime.startOf(yield* DateTime.now, "month"))
      }, inSpan("Overview.billedThisMonth"))

      return Overview.of({
        repositories: ({ account }) => linked.list(account.id),
        repository: ({ account }, { owner, repo }) =>
          Effect.flatMap(linked.find(account.id, repositoryKey(owner, repo)), orNotFound),
        branches: ({ account }, { limit, repository }) =>
          store.branches({
            account: account.id,
            repository: repository && repositoryKey(repository.owner, repository.repo),
            limit
          }),
        billedThisMonth,
        builds,
        previews,
        uploads: ({ account }, build, limit) => store.uploads(account.id, build, limit),
        runsOf: ({ account }, preview, limit) => store.runsOf(account.id, preview, limit),
        neighbours: ({ account }, run) => store.neighbours(account.id, run)
      })
    })
  )
}
