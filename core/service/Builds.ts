import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { BuildDeclaration, BuildIdentity, BuildReservation, BuildView, Platform } from "../model/Build.ts"
import { BuildId } from "../model/Build.ts"
import type {
  InvalidRequest,
  PayloadTooLarge,
  RangeNotSatisfiable,
  ReservationExpired,
  Unavailable,
  UploadIncomplete
} from "../model/Problem.ts"
import { NotFound } from "../model/Problem.ts"
import type { Principal } from "../model/Principal.ts"
import { repositoryKey } from "../model/Repository.ts"
import type { ByteRange } from "../model/Artifact.ts"
import type { OpenObject } from "../ports/ObjectStore.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import type { ReservedBuild } from "../ports/BuildStore.ts"
import { normalizeIdentity, onFinalize, onReserve, reservationEnd } from "../rules/builds.ts"
import { checkLimits } from "../rules/limits.ts"
import { decideFinalize, declaredObjects } from "../rules/reservations.ts"
import { hashSecret } from "../rules/secrets.ts"
import { decideAgain } from "./decideAgain.ts"
import { Settings } from "./Settings.ts"
import { Uploads } from "./Uploads.ts"
import type { Slot } from "./Uploads.ts"

type Caller = Principal["Service"]

/** Whose things are read: an account. */
type Reader = { readonly account: Pick<Caller["account"], "id"> }

/** What a build reservation asks for. @see interface §2.1 */
export interface ReserveBuild {
  readonly owner: string
  readonly repo: string
  readonly identity: BuildIdentity
  readonly declaration: BuildDeclaration
}

/** A build upload that was reserved: the only time its token is shown. @see interface §2.2 */
export interface BuildTicket {
  readonly id: BuildId
  readonly token: string
  readonly expiresAt: DateTime.Utc
  readonly bundle: Slot
  readonly files: ReadonlyArray<Slot>
}

/**
 * Builds: reserved, finalized, read. A caller sees and changes nothing but its own account's.
 *
 * - `reserve`: `NotFound` when the repository is not linked to the account; `PayloadTooLarge` and `InvalidRequest` for
 *   declarations over a limit. The same identity always gets the same build id. (§4.1)
 * - `finalize` verifies every declared object and makes the build ready. The same token again, also at the same time,
 *   gives the same answer. `NotFound` for a token that is not the account's, `ReservationExpired` past its life,
 *   `UploadIncomplete` while an object is missing or other than declared; an error changes nothing. (§4.3)
 * - `read` and `latest`: `NotFound` for what is not the account's or not linked to it. (§4.4, §4.5)
 * - `open` opens what a ready build hosts until the scope closes: its bundle, or the file declared at `path`. `NotFound`
 *   as for `read`, and for a build that is not ready or has no such file.
 *
 * @see interface §3, §4.1–4.5
 */
export class Builds extends Context.Service<
  Builds,
  {
    readonly reserve: (
      caller: Caller,
      request: ReserveBuild
    ) => Effect.Effect<BuildTicket, NotFound | InvalidRequest | PayloadTooLarge | Unavailable>
    readonly finalize: (
      caller: Caller,
      token: string
    ) => Effect.Effect<BuildView, NotFound | ReservationExpired | UploadIncomplete | Unavailable>
    readonly read: (caller: Reader, id: BuildId) => Effect.Effect<BuildView, NotFound | Unavailable>
    readonly latest: (
      caller: Caller,
      query: { readonly owner: string; readonly repo: string; readonly branch: string; readonly platform: Platform }
    ) => Effect.Effect<BuildView, NotFound | Unavailable>
    readonly open: (
      caller: Reader,
      id: BuildId,
      what?: { readonly path?: string | undefined; readonly range?: ByteRange | undefined }
    ) => Effect.Effect<OpenObject, NotFound | RangeNotSatisfiable | Unavailable, Scope.Scope>
  }
>()("slipway/core/service/Builds") {
  static readonly layer = Layer.effect(
    Builds,
    Effect.gen(function* () {
      const store = yield* BuildStore
      const uploads = yield* Uploads
      const random = yield* SecureRandom
      const settings = yield* Settings

      const orNotFound = <A>(found: Option.Option<A>) =>
        Effect.mapError(Effect.fromOption(found), () => NotFound.answer)

      const reserve = Effect.fn("Builds.reserve")(function* (caller: Caller, request: ReserveBuild) {
        const key = repositoryKey(request.owner, request.repo)
        const identity = normalizeIdentity(request.identity)
        const objects = declaredObjects(request.declaration)
        yield* Effect.fromResult(checkLimits(objects, settings.limits))
        const ticket = yield* uploads.ticket
        const newId = BuildId.make(yield* random.uuidV7())

        const { build, reservation } = yield* decideAgain(
          Effect.gen(function* () {
            const slot = yield* Effect.flatMap(store.findSlot(caller.account.id, key, identity), orNotFound)
            const before = Option.getOrUndefined(slot.build)
            const reservedAt = yield* DateTime.now
            const reservation: BuildReservation = {
              id: ticket.id,
              tokenHash: ticket.tokenHash,
              accountId: caller.account.id,
              buildId: before?.id ?? newId,
              declaration: request.declaration,
              reservedAt,
              expiresAt: reservationEnd(before, DateTime.addDuration(reservedAt, settings.reservationTtl))
            }
            const build = onReserve(before, { id: newId, repository: slot.repository, identity, reservation })
            yield* store.commitReserve({ build, reservation })
            return { build, reservation }
          })
        )

        const [bundle, ...files] = yield* uploads.slots(reservation, objects)
        if (bundle === undefined) return yield* Effect.die("every declaration has a bundle")
        return { id: build.id, token: ticket.token, expiresAt: reservation.expiresAt, bundle, files }
      })

      /** What a finalized reservation is answered with, now and ever after: the build as that upload left it. */
      const answer = ({ build, repository, reservation }: ReservedBuild): BuildView => ({
        build: { ...build, shown: reservation.id },
        repository,
        upload: reservation
      })

      const load = Effect.fnUntraced(function* (caller: Caller, token: string) {
        const found = Option.getOrUndefined(yield* store.findByToken(hashSecret(token)))
        const step = yield* Effect.fromResult(
          decideFinalize(found?.reservation, caller.account.id, yield* DateTime.now)
        )
        return found === undefined ? yield* NotFound.answer : { found, step }
      })

      const finalize = Effect.fn("Builds.finalize")(function* (caller: Caller, token: string) {
        const first = yield* load(caller, token)
        if (first.step === "answer-again") return answer(first.found)
        const { reservation } = first.found
        const objects = declaredObjects(reservation.declaration)

        // Someone else may have finalized this token, and cleared its staging, while this attempt was looking.
        const answeredMeanwhile = <E>(error: E) =>
          Effect.flatMap(store.findByToken(hashSecret(token)), (found) =>
            Option.isSome(found) && found.value.reservation.finalizedAt !== undefined
              ? Effect.succeed(found.value)
              : Effect.fail(error)
          )

        const hosted = yield* Effect.result(uploads.collect(reservation, objects))
        if (hosted._tag === "Failure") {
          return hosted.failure._tag === "UploadIncomplete"
            ? answer(yield* answeredMeanwhile(hosted.failure))
            : yield* hosted.failure
        }

        const commit = Effect.gen(function* () {
          const found = yield* Effect.flatMap(store.findByToken(hashSecret(token)), orNotFound)
          if (found.reservation.finalizedAt !== undefined) return found
          const now = yield* DateTime.now
          const next = onFinalize(found.build, found.reservation, { now, hostedPrefix: hosted.success })
          yield* store.commitFinalize(next)
          return { ...next, repository: found.repository }
        })
        // When this fails, what was collected stays: a commit whose answer was lost may have happened all the same.
        const settled = yield* decideAgain(commit)
        if (settled.reservation.hostedPrefix === hosted.success) yield* uploads.settle(reservation, objects)
        else yield* uploads.discard(hosted.success, objects)
        return answer(settled)
      })

      const read = Effect.fn("Builds.read")(function* (caller: Reader, id: BuildId) {
        return yield* Effect.flatMap(store.findById(caller.account.id, id), orNotFound)
      })

      const latest = Effect.fn("Builds.latest")(function* (
        caller: Caller,
        query: { readonly owner: string; readonly repo: string; readonly branch: string; readonly platform: Platform }
      ) {
        const now = yield* DateTime.now
        const key = repositoryKey(query.owner, query.repo)
        return yield* Effect.flatMap(
          store.findLatest(caller.account.id, key, query.branch, query.platform, now),
          orNotFound
        )
      })

      const open = Effect.fn("Builds.open")(function* (
        caller: Reader,
        id: BuildId,
        what?: { readonly path?: string | undefined; readonly range?: ByteRange | undefined }
      ) {
        const { upload } = yield* read(caller, id)
        const object = declaredObjects(upload.declaration).find(({ path }) => path === what?.path)
        if (upload.hostedPrefix === undefined || object === undefined) return yield* NotFound.answer
        return yield* uploads.open(upload.hostedPrefix + object.name, what?.range)
      })

      return Builds.of({ reserve, finalize, read, latest, open })
    })
  )
}
