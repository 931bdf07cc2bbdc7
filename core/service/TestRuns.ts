import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { subjectOf } from "../model/Resource.ts"
import type { Caller, Reader } from "../model/ApiKey.ts"
import {
  InvalidRequest,
  type IdempotencyConflict,
  type NotFound,
  type PreviewNotReady,
  type QuotaExceeded,
  type Unavailable
} from "../model/Problem.ts"
import { OwnerName, RepoName, repositoryKey } from "../model/Repository.ts"
import { PullRequest } from "../model/Preview.ts"
import { TestRun, TestRunId, TestRunKind, TestRunStatus, type TestRunView } from "../model/TestRun.ts"
import { Sought } from "../model/Text.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { attemptsOf, ciRunFilter, sourceParts } from "../rules/attempts.ts"
import { fromCursor, pageWithin, toCursor } from "../rules/pages.ts"
import { zeroAmounts } from "../rules/limits.ts"
import { decideRun, pageSize, runOf, RunReport } from "../rules/testRuns.ts"
import { makeAuditEntries } from "./auditing.ts"
import { makeCommitRunDeletion, makeHistories, retryOnConflict } from "./commits.ts"
import { orNotFound, orNotLinked } from "./Authorization.ts"
import { Idempotency } from "./Idempotency.ts"
import { makeQuotas } from "./Usage.ts"
import { runRegistered } from "../rules/events.ts"
import { makeEventsPublisher } from "./webhooks.ts"
import { inSpan } from "./telemetry.ts"
import { decoded } from "./withInput.ts"

/** What a run is registered with, and the repository it belongs to. */
export const RegisterRun = Schema.Struct({ owner: OwnerName, repo: RepoName, report: RunReport })
export type RegisterRun = typeof RegisterRun.Type

/** Which runs to list. @see docs/interface.md#4.10 */
export const ListRuns = Schema.Struct({
  owner: Sought,
  repo: Sought,
  filter: Schema.Struct({
    branch: Schema.optional(Sought),
    commitSha: Schema.optional(Sought),
    kind: Schema.optional(TestRunKind),
    status: Schema.optional(TestRunStatus),
    source: Schema.optional(Sought),
    ciRun: Schema.optional(Sought),
    pr: Schema.optional(PullRequest),
    app: Schema.optional(Sought)
  }),
  limit: Schema.optional(Schema.Finite),
  cursor: Schema.optional(Sought)
})
export type ListRuns = typeof ListRuns.Type

const { accountId, branch, commitSha, createdAt, id, quarantined, repositoryId } = TestRun.fields

/** The stored answer to a request with an `Idempotency-Key`, without what can be derived from the request. */
const Registered = Schema.Struct({
  run: Schema.Struct({ accountId, branch, commitSha, createdAt, id, quarantined, repositoryId }),
  repository: Schema.Struct({ owner: Schema.String, repo: Schema.String })
})

/** A page is no larger, so that the largest takes no longer to read and write than the largest request. */
const bytesOfPage = 2 ** 20

const pageOfRuns = (found: ReadonlyArray<TestRunView>, size: number) =>
  pageWithin(found, { size, most: bytesOfPage, weightOf: ({ run }) => run.metadataBytes ?? 0 })

/** A page of runs, newest first, of at most 1 MiB unless a single run is larger. `nextCursor` continues after it; without it, this is the last page. */
export interface RunPage {
  readonly runs: ReadonlyArray<TestRunView>
  readonly nextCursor?: string
}

/** The runs of one test in one CI run, the latest attempt first. @see ../rules/attempts.ts */
export type Attempts = readonly [latest: TestRunView, ...earlier: ReadonlyArray<TestRunView>]

/** The tests of a CI run. `isWhole` is false when it has more runs than were read: the newest 1,000, of at most 32 MiB. */
export interface CiRun {
  readonly tests: ReadonlyArray<Attempts>
  readonly isWhole: boolean
}

/** How many runs of a CI run are read at most, and of how many bytes, since all are in memory together. */
const maxRunsOfCi = 1000
const maxBytesOfCi = 32 * 2 ** 20

const bytesOf = (runs: ReadonlyArray<TestRunView>): number =>
  runs.reduce((sum, { run }) => sum + (run.metadataBytes ?? 0), 0)

/**
 * Test runs. A caller sees and changes only what belongs to its own account.
 *
 * @see docs/interface.md#2.7, #3, #4.9, #4.10
 */
export class TestRuns extends Context.Service<
  TestRuns,
  {
    /**
     * Stores a run. `NotFound` when the repository is not linked to the account or the preview is not the account's,
     * `PreviewNotReady` when the preview is not finalized, `QuotaExceeded` when the account would have more than its quotas allow;
     * nothing is stored then. For idempotency keys, see `Idempotency`.
     *
     * @see docs/interface.md#4.9
     */
    readonly register: (
      caller: Caller,
      request: RegisterRun,
      idempotencyKey?: string
    ) => Effect.Effect<
      TestRunView,
      NotFound | InvalidRequest | PreviewNotReady | IdempotencyConflict | QuotaExceeded | WriteFailure
    >
    /**
     * A page of a repository's runs, newest first. `NotFound` when the repository is not linked to the account,
     * `InvalidRequest` for a cursor that is not from a page. Following the cursors to the end lists every run that was stored before
     * the first page exactly once.
     *
     * @see docs/interface.md#4.10
     */
    readonly list: (caller: Caller, query: ListRuns) => Effect.Effect<RunPage, NotFound | InvalidRequest | Unavailable>
    /**
     * The tests of the CI run that a source names, of all its attempts, those of the newest runs first. `NotFound`
     * when the repository is not linked to the account.
     */
    readonly ciRun: (
      caller: Reader,
      query: { readonly owner: string; readonly repo: string; readonly source: string }
    ) => Effect.Effect<CiRun, NotFound | InvalidRequest | Unavailable>
    /**
     * For each of these runs, all attempts of the same test in its CI run. The list of a run that no longer exists has only that
     * run.
     */
    readonly attempts: (
      caller: Caller,
      runs: ReadonlyArray<TestRunView>
    ) => Effect.Effect<ReadonlyArray<Attempts>, InvalidRequest | Unavailable>
    /** One run; `NotFound` when it is not the account's or its repository is not linked to the account. */
    readonly read: (
      caller: Reader,
      id: TestRunId
    ) => Effect.Effect<TestRunView, NotFound | InvalidRequest | Unavailable>
    /** Deletes a run, and ends the share links to it; its preview stays. `NotFound` as for `read`. */
    readonly delete: (caller: Reader, id: TestRunId) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure>
  }
>()("slipway/core/service/TestRuns") {
  static readonly layer = Layer.effect(
    TestRuns,
    Effect.gen(function* () {
      const store = yield* TestRunStore
      const random = yield* SecureRandom
      const idempotency = yield* Idempotency
      const publish = yield* makeEventsPublisher
      const entryOf = yield* makeAuditEntries
      const commitDeletion = yield* makeCommitRunDeletion
      const quotas = yield* makeQuotas
      const histories = yield* makeHistories

      const register = Effect.fnUntraced(function* (caller: Caller, request: RegisterRun, idempotencyKey?: string) {
        const key = repositoryKey(request.owner, request.repo)
        const once = yield* idempotency.of({
          caller,
          key: idempotencyKey,
          request: ["register test run", request],
          answer: Registered
        })

        const repeat = ({ repository, run }: typeof Registered.Type) => {
          const marked = withoutUndefined({ quarantined: run.quarantined })
          return Effect.succeed({ repository, run: { ...runOf(request.report, run), ...marked } })
        }
        const first = Effect.gen(function* () {
          const loaded = yield* store.loadForRegister(caller.account.id, key, request.report.previewShareId)
          yield* orNotLinked(loaded.repository, request)
          const now = yield* DateTime.now
          const id = TestRunId.make(yield* random.uuidV7())
          const decided = yield* Effect.fromResult(decideRun(request.report, loaded, { id, now }))
          const addedUsage = { ...zeroAmounts, bytesStored: decided.run.metadataBytes ?? 0, runsPerMonth: 1 }
          const within = yield* quotas(caller.account.id, addedUsage, now)
          const { events: changes, history, run } = yield* histories.withRun(decided)
          const response = { ...decided, run }
          const storedResponse = yield* once.store(response)
          const entry = yield* entryOf({
            action: "run.registered",
            accountId: run.accountId,
            at: now,
            subject: subjectOf({ run: run.id }),
            repositoryId: run.repositoryId,
            detail: run.name ?? run.prompt
          })
          yield* publish([runRegistered(response), ...changes], now, (events) =>
            store.insert({ run, history, once: storedResponse, events, entry, within })
          )
          return response
        })
        return yield* retryOnConflict(once.respond(repeat, first))
      }, inSpan("TestRuns.register"))

      const list = Effect.fnUntraced(function* (caller: Caller, query: ListRuns) {
        const after = query.cursor === undefined ? Option.none() : fromCursor(query.cursor)
        if (query.cursor !== undefined && Option.isNone(after)) {
          return yield* new InvalidRequest({
            detail: "The request does not fit; see issues.",
            issues: [{ path: "cursor", message: "must be the nextCursor of an earlier page" }]
          })
        }
        const limit = pageSize(query.limit)
        const rows = yield* store.list({
          account: caller.account.id,
          repository: repositoryKey(query.owner, query.repo),
          filter: query.filter,
          after,
          limit: limit + 1,
          bytes: bytesOfPage
        })
        const { last, page: runs } = pageOfRuns(yield* orNotLinked(rows, query), limit)
        return last === undefined ? { runs } : { runs, nextCursor: toCursor(last.run) }
      }, inSpan("TestRuns.list"))

      const ciRun = Effect.fnUntraced(function* (
        caller: Reader,
        { owner, repo, source }: { readonly owner: string; readonly repo: string; readonly source: string },
        most: number = maxBytesOfCi
      ) {
        const limit = pageSize(Infinity)
        const views: Array<TestRunView> = []
        let last: TestRunView | undefined
        let bytes = 0
        do {
          const listed = yield* store.list({
            account: caller.account.id,
            repository: repositoryKey(owner, repo),
            filter: ciRunFilter(source),
            after: Option.fromUndefinedOr(last?.run),
            limit: limit + 1,
            bytes: bytesOfPage
          })
          const page = pageOfRuns(yield* orNotLinked(listed, { owner, repo }), limit)
          views.push(...page.page)
          bytes += bytesOf(page.page)
          last = page.last
        } while (last !== undefined && views.length < maxRunsOfCi && bytes < most)
        const { ciRun } = sourceParts(source)
        const runs = views.filter(({ run }) => run.source !== undefined && sourceParts(run.source).ciRun === ciRun)
        return { tests: attemptsOf(runs, ({ run }) => run), isWhole: last === undefined }
      }, inSpan("TestRuns.ciRun"))

      const attempts = Effect.fnUntraced(function* (caller: Caller, runs: ReadonlyArray<TestRunView>) {
        const ciRuns = new Map(
          runs.flatMap(({ repository, run }) =>
            run.source === undefined
              ? []
              : [
                  [
                    JSON.stringify([run.repositoryId, sourceParts(run.source).ciRun]),
                    { ...repository, source: run.source }
                  ]
                ]
          )
        )
        const read = yield* Effect.forEach(
          ciRuns.values(),
          (query) =>
            Effect.catchTag(ciRun(caller, query, maxBytesOfCi / ciRuns.size), "NotFound", () =>
              Effect.succeed({ tests: [] })
            ),
          { concurrency: "unbounded" }
        )
        const tests = new Map(
          read.flatMap(({ tests }) => tests.flatMap((test) => test.map(({ run }) => [run.id, test])))
        )
        return runs.map((view): Attempts => tests.get(view.run.id) ?? [view])
      }, inSpan("TestRuns.attempts"))

      const read = Effect.fnUntraced(function* (caller: Reader, id: TestRunId) {
        return decoded(yield* Effect.flatMap(store.find(caller.account.id, id), orNotFound))
      }, inSpan("TestRuns.read"))

      const deleteRun = Effect.fnUntraced(function* (caller: Reader, id: TestRunId) {
        yield* commitDeletion(caller.account.id, id)
      }, inSpan("TestRuns.delete"))

      return TestRuns.of({
        register,
        list,
        ciRun,
        attempts,
        read,
        delete: deleteRun
      })
    })
  )
}
