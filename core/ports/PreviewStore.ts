import { Context, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { HostedObject, ObjectKey, ObjectDeletion } from "../model/HostedObject.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { Conflict, WriteFailure } from "./WriteFailure.ts"
import type { Once } from "./IdempotencyStore.ts"
import type { QuotaCheck } from "./UsageStore.ts"

/** How many billed test runs an account finalized in a month, `2026-11`, in UTC. */
export interface MonthlyUsage {
  readonly month: string
  readonly billedTestRuns: number
}

/**
 * Stores previews and their billing records. Each commit is atomic, also when the engine fails in the middle. Every later read
 * sees a commit that has returned.
 */
export class PreviewStore extends Context.Service<
  PreviewStore,
  {
    /** The preview whose token has that SHA-256 (lower-case hex), of any account. */
    readonly findByToken: (tokenHash: string) => Effect.Effect<Option.Option<Preview>, Unavailable>
    /** The account's preview with that share id. */
    readonly findByShareId: (account: AccountId, shareId: ShareId) => Effect.Effect<Option.Option<Preview>, Unavailable>
    /**
     * Stores a new preview, and `once` with it. Its ids and its token hash are new, and its account is stored already.
     * `openBelow` bounds the account's open reservations and `within` what it uses, as for `BuildStore.commitReserve`.
     */
    readonly commitReserve: (change: {
      readonly preview: Preview
      readonly once?: Once | undefined
      readonly openBelow?: number | undefined
      readonly within?: QuotaCheck | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Stores the preview's `finalizedAt`, `hostedPrefix`, `digests` and `stored`; its other fields don't change. If it is `billed`, a
     * billing record of the account at `finalizedAt` is stored too, and outlives the preview. `event`, `entry` and the `hosted`
     * objects are stored as by `BuildStore.commitFinalize`. Fails with `Conflict` if the preview doesn't exist or is finalized
     * already, or because of hosted or shared objects as in `BuildStore.commitFinalize`.
     */
    readonly commitFinalize: (change: {
      readonly preview: Preview
      readonly billed: boolean
      readonly event?: SlipwayEvent | undefined
      readonly entry?: AuditEntry | undefined
      readonly hosted?: ReadonlyArray<HostedObject> | undefined
      readonly lost?: ReadonlyArray<ObjectKey> | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Deletes the preview and its share links, and stores the `removals`, as `BuildStore.commitDelete` does. Its runs and billing
     * records stay. Fails with `Conflict` and changes nothing if the account has no such preview.
     */
    readonly commitDelete: (change: {
      readonly preview: Pick<Preview, "accountId" | "shareId">
      readonly removals: ReadonlyArray<ObjectDeletion>
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /** The account's months with billed test runs, latest month first. */
    readonly usage: (account: AccountId) => Effect.Effect<ReadonlyArray<MonthlyUsage>, Unavailable>
  }
>()("slipway/core/ports/PreviewStore") {}
