import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { ByteRange } from "../model/Artifact.ts"
import { billedTestRun, PreviewDeclaration, ShareId, type Preview } from "../model/Preview.ts"
import { subjectOf } from "../model/Resource.ts"
import type { Caller, Reader } from "../model/ApiKey.ts"
import {
  NotFound,
  type IdempotencyConflict,
  type InsufficientScope,
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
import type { OpenObject } from "../ports/ObjectStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { isBilled, onPreviewFinalize } from "../rules/builds.ts"
import { previewText } from "../rules/audit.ts"
import { declaredObjects } from "../rules/reservations.ts"
import { Authorization, orNotFound, orNotLinked } from "./Authorization.ts"
import { makeAuditEntries } from "./auditing.ts"
import { makeCommitPreviewDeletion, retryOnConflict } from "./commits.ts"
import { Idempotency } from "./Idempotency.ts"
import { inSpan } from "./telemetry.ts"
import { makeRandomText } from "./randomText.ts"
import { ObjectDeletions } from "./ObjectDeletions.ts"
import { makeReserveSteps, storedTicketOf, ticketOf } from "./reserveUpload.ts"
import { Uploads, type Upload } from "./Uploads.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { previewHosted } from "../rules/events.ts"
import { makeEventPublisher } from "./webhooks.ts"
import { decoded } from "./withInput.ts"

/** A reserved upload of a preview. This is the only time that its token is shown. @see docs/interface.md#2.6 */
export const PreviewTicket = ticketOf({ shareId: ShareId })
export type PreviewTicket = typeof PreviewTicket.Type

const StoredTicket = storedTicketOf({ shareId: ShareId })

/**
 * Previews. A caller sees and changes only what belongs to its own account.
 *
 * @see docs/interface.md#2.6, #3, #4.6–4.8
 */
export class Previews extends Context.Service<
  Previews,
  {
    /**
     * Reserves an upload. `NotFound` when it names a repository that is not linked to the account, `InsufficientScope` when it is
     * billed as a test run and the caller lacks `test_runs`, `PayloadTooLarge` and `InvalidRequest` for a declaration over a
     * limit, `RateLimited` while the account has as many open reservations as it may, `QuotaExceeded` when it would have more
     * than its quotas allow. For idempotency keys, see `Idempotency`.
     *
     * @see docs/interface.md#4.6
     */
    readonly reserve: (
      caller: Caller,
      declaration: PreviewDeclaration,
      idempotencyKey?: string
    ) => Effect.Effect<
      PreviewTicket,
      | NotFound
      | InsufficientScope
      | InvalidRequest
      | PayloadTooLarge
      | IdempotencyConflict
      | RateLimited
      | QuotaExceeded
      | WriteFailure
    >
    /**
     * Verifies every declared object and hosts the preview, with the errors of `Builds.finalize`. A billed test run counts in the
     * account's usage from then on.
     *
     * @see docs/interface.md#4.7
     */
    readonly finalize: (
      caller: Caller,
      token: string
    ) => Effect.Effect<Preview, NotFound | InvalidRequest | ReservationExpired | UploadIncomplete | WriteFailure>
    /** One preview; `NotFound` when it is not the account's. @see docs/interface.md#4.8 */
    readonly read: (caller: Reader, shareId: ShareId) => Effect.Effect<Preview, NotFound | InvalidRequest | Unavailable>
    /**
     * Deletes a preview as `Builds.delete` deletes a build, and ends the share links to it. Its test runs and billing records
     * stay. `NotFound` as for `read`.
     */
    readonly delete: (caller: Reader, shareId: ShareId) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure>
    /**
     * Opens an object of a ready preview until the scope closes, by its name: `bundle`, `files/0`, `recordings/0`. `NotFound` as
     * for `read`, and when the preview is not ready or has no such object.
     */
    readonly open: (
      caller: Reader,
      shareId: ShareId,
      what: { readonly name: string; readonly range?: ByteRange | undefined }
    ) => Effect.Effect<OpenObject, NotFound | InvalidRequest | RangeNotSatisfiable | Unavailable, Scope.Scope>
    /** Like `open`, for a preview that the same request has loaded already. */
    readonly openIn: (
      preview: Preview,
      what: { readonly name: string; readonly range?: ByteRange | undefined }
    ) => Effect.Effect<OpenObject, NotFound | InvalidRequest | RangeNotSatisfiable | Unavailable, Scope.Scope>
  }
>()("slipway/core/service/Previews") {
  static readonly layer = Layer.effect(
    Previews,
    Effect.gen(function* () {
      const store = yield* PreviewStore
      const repositories = yield* RepositoryStore
      const reservations = yield* ReservationStore
      const authorization = yield* Authorization
      const uploads = yield* Uploads
      const randomText = yield* makeRandomText
      const removals = yield* ObjectDeletions
      const commitDeletion = yield* makeCommitPreviewDeletion
      const publish = yield* makeEventPublisher
      const entryOf = yield* makeAuditEntries
      const idempotency = yield* Idempotency
      const reserving = yield* makeReserveSteps

      /** The repository that a preview names, if any; it must be the account's. */
      const repositoryOf = Effect.fnUntraced(function* (caller: Caller, { owner, repo }: PreviewDeclaration["git"]) {
        if (owner === undefined || repo === undefined) return undefined
        const linked = yield* repositories.find(caller.account.id, repositoryKey(owner, repo))
        return (yield* orNotLinked(linked, { owner, repo })).id
      })

      const reserve = Effect.fnUntraced(function* (
        caller: Caller,
        declaration: PreviewDeclaration,
        idempotencyKey?: string
      ) {
        if (declaration.billingKind === billedTestRun) {
          yield* authorization.require(caller, ["preview_upload", "test_runs"])
        }
        const checked = yield* reserving.check(caller, { kind: "preview", declaration })
        const once = yield* idempotency.of({
          caller,
          key: idempotencyKey,
          request: ["reserve preview", declaration],
          answer: StoredTicket
        })
        const first = Effect.gen(function* () {
          const [repositoryId, account] = yield* Effect.all(
            [repositoryOf(caller, declaration.git), reservations.findForReserve(caller.account.id, checked.contents)],
            { concurrency: "unbounded" }
          )
          const begun = yield* reserving.begin(checked, account, { previewsPerMonth: 1 })
          const preview: Preview = {
            ...begun.upload,
            shareId: ShareId.make(yield* randomText(22)),
            declaration: { ...declaration, git: { ...declaration.git, ...checked.set } },
            ...withoutUndefined({ repositoryId })
          }
          const ticket = { shareId: preview.shareId, ...reserving.ticket(checked, begun, preview) }
          const response = yield* reserving.answer(checked, ticket)
          yield* reserving.commit(begun, yield* once.store(ticket), (bounds) =>
            store.commitReserve({ preview, ...bounds })
          )
          return response
        })
        return yield* retryOnConflict(once.respond((ticket) => reserving.answer(checked, ticket), first))
      }, inSpan("Previews.reserve"))

      const upload: Upload<{ readonly reservation: Preview }> = {
        find: (tokenHash) =>
          Effect.map(
            store.findByToken(tokenHash),
            Option.map((reservation) => ({ reservation }))
          ),
        commit: (before, event, contents) => {
          const preview = onPreviewFinalize(before.reservation, event)
          const { accountId, shareId } = preview
          const done = {
            action: "preview.finalized",
            accountId,
            at: event.now,
            subject: subjectOf({ preview: shareId }),
            repositoryId: preview.repositoryId,
            detail: previewText(preview.declaration)
          } as const
          return Effect.flatMap(entryOf(done), (entry) =>
            publish(previewHosted(preview), event.now, (event) =>
              Effect.as(store.commitFinalize({ preview, billed: isBilled(preview), event, entry, ...contents }), {
                reservation: preview
              })
            )
          )
        }
      }

      const finalize = Effect.fnUntraced(function* (caller: Caller, token: string) {
        return (yield* uploads.finalize(upload, caller.account.id, token)).reservation
      }, inSpan("Previews.finalize"))

      const read = Effect.fnUntraced(function* (caller: Reader, shareId: ShareId) {
        return decoded(yield* Effect.flatMap(store.findByShareId(caller.account.id, shareId), orNotFound))
      }, inSpan("Previews.read"))

      const deletePreview = Effect.fnUntraced(function* (caller: Reader, shareId: ShareId) {
        yield* removals.begin(yield* commitDeletion(caller.account.id, shareId))
      }, inSpan("Previews.delete"))

      const openIn: Previews["Service"]["openIn"] = (preview, { name, range }) => {
        const object = declaredObjects(preview.declaration).find((object) => object.name === name)
        return object === undefined ? Effect.fail(NotFound.default) : uploads.open(preview, object, range)
      }

      const open: Previews["Service"]["open"] = Effect.fnUntraced(function* (caller, shareId, what) {
        return yield* openIn(yield* read(caller, shareId), what)
      }, inSpan("Previews.open"))

      return Previews.of({
        reserve,
        finalize,
        read,
        delete: deletePreview,
        open,
        openIn
      })
    })
  )
}
