import { Context, DateTime, Effect, Layer, Option, type Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { ByteRange } from "../model/Artifact.ts"
import {
  BuildId,
  type Platform,
  type Build,
  type BuildIdentity,
  type BuildReservation,
  type BuildView
} from "../model/Build.ts"
import { subjectOf } from "../model/Resource.ts"
import type { Caller, Reader } from "../model/ApiKey.ts"
import {
  NotFound,
  type IdempotencyConflict,
  type InvalidRequest,
  type PayloadTooLarge,
  type QuotaExceeded,
  type RangeNotSatisfiable,
  type RateLimited,
  type ReservationExpired,
  type Unavailable,
  type UploadIncomplete
} from "../model/Problem.ts"
import { repositoryKey } from "../model/Repository.ts"
import { BuildStore, type ReservedBuild } from "../ports/BuildStore.ts"
import type { OpenObject } from "../ports/ObjectStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { buildText } from "../rules/audit.ts"
import { normalizeIdentity, onFinalize, onReserve, reservationEnd } from "../rules/builds.ts"
import { declaredObjects } from "../rules/reservations.ts"
import { makeAuditEntries } from "./auditing.ts"
import { makeCommitBuildDeletion, retryOnConflict } from "./commits.ts"
import { orNotFound, orNotLinked } from "./Authorization.ts"
import { Idempotency } from "./Idempotency.ts"
import { inSpan } from "./telemetry.ts"
import { ObjectDeletions } from "./ObjectDeletions.ts"
import { ReserveBuild } from "./beforeReserve.ts"
import { makeReserveSteps, storedTicketOf, ticketOf } from "./reserveUpload.ts"
import { Uploads, type Upload } from "./Uploads.ts"
import { buildReady } from "../rules/events.ts"
import { makeEventPublisher } from "./webhooks.ts"

/** A reserved upload of a build. This is the only time that its token is shown. @see docs/interface.md#2.2 */
export const BuildTicket = ticketOf({ id: BuildId })
export type BuildTicket = typeof BuildTicket.Type

const StoredTicket = storedTicketOf({ id: BuildId })

/** Of which branch and platform, and of which app, to find the latest build. */
interface LatestBuild {
  readonly owner: string
  readonly repo: string
  readonly branch: string
  readonly platform: Platform
  readonly app?: string | undefined
}

/**
 * Builds. A caller sees and changes only what belongs to its own account.
 *
 * @see docs/interface.md#3, #4.1–4.5
 */
export class Builds extends Context.Service<
  Builds,
  {
    /**
     * Reserves an upload. The same identity always gets the same build id. `NotFound` when the repository is not linked to the
     * account, `PayloadTooLarge` and `InvalidRequest` for a declaration over a limit, `RateLimited` while the account has as
     * many open reservations as it may, `QuotaExceeded` when it would have more than its quotas allow. For idempotency keys, see `Idempotency`.
     *
     * @see docs/interface.md#4.1
     */
    readonly reserve: (
      caller: Caller,
      request: ReserveBuild,
      idempotencyKey?: string
    ) => Effect.Effect<
      BuildTicket,
      NotFound | InvalidRequest | PayloadTooLarge | IdempotencyConflict | RateLimited | QuotaExceeded | WriteFailure
    >
    /**
     * Verifies every declared object and makes the build ready. Repeated and concurrent calls with the same token get the same
     * answer. `NotFound` for a token that is not the account's, `ReservationExpired` past its life, `UploadIncomplete` while an
     * object is missing or other than declared. An error changes nothing.
     *
     * @see docs/interface.md#4.3
     */
    readonly finalize: (
      caller: Caller,
      token: string
    ) => Effect.Effect<BuildView, NotFound | InvalidRequest | ReservationExpired | UploadIncomplete | WriteFailure>
    /** One build; `NotFound` when it is not the account's or its repository is not linked. @see docs/interface.md#4.5 */
    readonly read: (caller: Reader, id: BuildId) => Effect.Effect<BuildView, NotFound | InvalidRequest | Unavailable>
    /** The latest build of a branch and platform, of `app` where it is given; `NotFound` as for `read`, `InvalidRequest` for a query that is none. @see docs/interface.md#4.4 */
    readonly latest: (
      caller: Caller,
      query: LatestBuild
    ) => Effect.Effect<BuildView, NotFound | InvalidRequest | Unavailable>
    /** The ready build of one identity, if the account has it in a linked repository. */
    readonly findReady: (
      caller: Reader,
      query: { readonly owner: string; readonly repo: string; readonly identity: BuildIdentity }
    ) => Effect.Effect<Option.Option<Build>, InvalidRequest | Unavailable>
    /**
     * Deletes a build with its uploads, including open ones: from the next request on it is not found, and its bytes are removed.
     * Open reads continue. The same identity can be reserved again, and gets another id. `NotFound` as for `read`.
     */
    readonly delete: (caller: Reader, id: BuildId) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure>
    /**
     * Opens what a ready build hosts until the scope closes: its bundle, or the file declared at `path`. `NotFound` as for
     * `read`, and when the build is not ready or has no such file.
     */
    readonly open: (
      caller: Reader,
      id: BuildId,
      what?: { readonly path?: string | undefined; readonly range?: ByteRange | undefined }
    ) => Effect.Effect<OpenObject, NotFound | InvalidRequest | RangeNotSatisfiable | Unavailable, Scope.Scope>
  }
>()("slipway/core/service/Builds") {
  static readonly layer = Layer.effect(
    Builds,
    Effect.gen(function* () {
      const store = yield* BuildStore
      const uploads = yield* Uploads
      const random = yield* SecureRandom
      const removals = yield* ObjectDeletions
      const commitDeletion = yield* makeCommitBuildDeletion
      const publish = yield* makeEventPublisher
      const entryOf = yield* makeAuditEntries
      const idempotency = yield* Idempotency
      const reserving = yield* makeReserveSteps

      const reserve = Effect.fnUntraced(function* (caller: Caller, request: ReserveBuild, idempotencyKey?: string) {
        const checked = yield* reserving.check(caller, { kind: "build", ...request })
        const key = repositoryKey(request.owner, request.repo)
        const identity = normalizeIdentity(request.identity)
        const load = Effect.flatMap(store.loadForReserve(caller.account.id, key, identity, checked.contents), (found) =>
          orNotLinked(found, request)
        )
        const once = yield* idempotency.of({
          caller,
          key: idempotencyKey,
          request: ["reserve build", request],
          answer: StoredTicket
        })
        const first = Effect.gen(function* () {
          const { build, repository, ...account } = yield* load
          const begun = yield* reserving.begin(checked, account)
          const [before, newId] = [Option.getOrUndefined(build), BuildId.make(yield* random.uuidV7())]
          const reservation: BuildReservation = {
            ...begun.upload,
            expiresAt: reservationEnd(before, begun.upload.expiresAt),
            buildId: before?.id ?? newId,
            declaration: { ...request.declaration, ...checked.set }
          }
          const next = onReserve(before, { id: newId, repository, identity, reservation })
          const ticket = { id: next.id, ...reserving.ticket(checked, begun, reservation) }
          const response = yield* reserving.answer(checked, ticket)
          yield* reserving.commit(begun, yield* once.store(ticket), (bounds) =>
            store.commitReserve({ build: next, reservation, ...bounds })
          )
          return response
        })
        return yield* retryOnConflict(once.respond((ticket) => reserving.answer(checked, ticket), first))
      }, inSpan("Builds.reserve"))

      const finalize = Effect.fnUntraced(function* (caller: Caller, token: string) {
        const upload: Upload<ReservedBuild> = {
          find: store.findByToken,
          commit: ({ build, repository, reservation }, event, contents) => {
            const next = { ...onFinalize(build, reservation, event), repository }
            const done = {
              action: build.readyAt === undefined ? "build.finalized" : "build.replaced",
              accountId: build.accountId,
              at: event.now,
              subject: subjectOf({ build: build.id }),
              repositoryId: build.repositoryId,
              detail: buildText(build)
            } as const
            return Effect.flatMap(entryOf(done), (entry) =>
              publish(buildReady(next), event.now, (event) =>
                Effect.as(store.commitFinalize({ ...next, event, entry, ...contents }), next)
              )
            )
          }
        }
        const { build, repository, reservation } = yield* uploads.finalize(upload, caller.account.id, token)
        // The build may show a later upload by now. The same token always gets the same answer: the build with its own upload.
        return { build: { ...build, currentUpload: reservation.id }, repository, upload: reservation }
      }, inSpan("Builds.finalize"))

      const read = (caller: Reader, id: BuildId) =>
        inSpan("Builds.read")(Effect.flatMap(store.findById(caller.account.id, id), orNotFound))

      const latest: Builds["Service"]["latest"] = Effect.fnUntraced(function* (caller, query) {
        const key = repositoryKey(query.owner, query.repo)
        const now = yield* DateTime.now
        const latest = yield* store.findLatest(caller.account.id, key, query.branch, query.platform, now, query.app)
        return yield* orNotFound(latest)
      }, inSpan("Builds.latest"))

      const deleteBuild = Effect.fnUntraced(function* (caller: Reader, id: BuildId) {
        yield* removals.begin(yield* commitDeletion(caller.account.id, id))
      }, inSpan("Builds.delete"))

      const open: Builds["Service"]["open"] = Effect.fnUntraced(function* (caller, id, what) {
        const { upload } = yield* read(caller, id)
        const object = declaredObjects(upload.declaration).find(({ path }) => path === what?.path)
        return object === undefined ? yield* NotFound.default : yield* uploads.open(upload, object, what?.range)
      }, inSpan("Builds.open"))

      return Builds.of({
        reserve,
        finalize,
        read,
        latest,
        findReady: Effect.fnUntraced(function* ({ account }, { identity, owner, repo }) {
          const loaded = yield* store.loadForReserve(
            account.id,
            repositoryKey(owner, repo),
            normalizeIdentity(identity)
          )
          return Option.filter(
            Option.flatMap(loaded, ({ build }) => build),
            ({ readyAt }) => readyAt !== undefined
          )
        }, inSpan("Builds.findReady")),
        delete: deleteBuild,
        open
      })
    })
  )
}
