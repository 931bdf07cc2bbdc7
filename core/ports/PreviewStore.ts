import { Context, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { HostedObject } from "../model/HostedObject.ts"
import type { ObjectKey } from "../model/ObjectKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Removal } from "../model/Removal.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { Conflict } from "./Conflict.ts"
import type { Once } from "./IdempotencyStore.ts"
import type { Within } from "./UsageStore.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** How many billed test runs an account finalized in a month, `2026-11`, in UTC. */
export interface MonthlyUsage {
  readonly month: string
  readonly billedTestRuns: number
}

/**
 * Keeps previews, and what of them is billed. Each commit is atomic, also when the engine fails in the middle. A commit that
 * answered is seen by every later read.
 */
export class PreviewStore extends Context.Service<
  PreviewStore,
  {
    /** The preview whose token has that SHA-256 (lower-case hex), of whichever account. */
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
      readonly within?: Within | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Stores the preview's `finalizedAt`, `hostedPrefix`, `digests` and `stored`; nothing else of it changes. When it is `billed`, a
     * row of the account's usage at `finalizedAt` is stored with it, and is kept whatever becomes of the preview. `event`, `entry` and
     * the `hosted` objects are stored with them, as by `BuildStore.commitFinalize`. `Conflict` when the preview is not there or is
     * finalized already, or for what is hosted or shared as there.
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
     * Removes the preview and the share links to it, and stores the `removals`, as `BuildStore.commitDelete` does. Runs that point
     * at it stay, and so does what was billed. `Conflict`, and nothing changes, when the account has no such preview.
     */
    readonly commitDelete: (change: {
      readonly preview: Pick<Preview, "accountId" | "shareId">
      readonly removals: ReadonlyArray<Removal>
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /** The account's months with billed test runs, latest month first. */
    readonly usage: (account: AccountId) => Effect.Effect<ReadonlyArray<MonthlyUsage>, Unavailable>
  }
>()("slipway/core/ports/PreviewStore") {}
