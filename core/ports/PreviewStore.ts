import { Context } from "effect"
import type { Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Conflict } from "./Conflict.ts"
import type { Once } from "./IdempotencyStore.ts"

/** How many billed test runs an account finalized in a month, `2026-11`, in UTC. */
export interface MonthlyUsage {
  readonly month: string
  readonly billedTestRuns: number
}

/**
 * Keeps previews and what of them is billed.
 *
 * - `findByToken` answers the preview with that token hash, whichever account's it is. `findByShareId` answers the
 *   account's own only.
 * - `commitReserve` stores a new preview, and `once` with it. Its ids and its token hash are new; its account is there
 *   already. `openBelow` bounds the account's open reservations as for `BuildStore.commitReserve`.
 * - `commitFinalize` sets the preview's `finalizedAt` and `hostedPrefix` as given; nothing else of it changes. One that
 *   is not there, or is finalized already, is a `Conflict`. When it is `billed`, a row of the account's usage at
 *   `finalizedAt` is stored with it, which stays whatever becomes of the preview.
 * - `usage` answers an account's months that have any, the latest first.
 *
 * Each commit is atomic, also when the engine fails in the middle. A commit that answered is seen by every later read.
 */
export class PreviewStore extends Context.Service<
  PreviewStore,
  {
    readonly findByToken: (tokenHash: string) => Effect.Effect<Option.Option<Preview>, Unavailable>
    readonly findByShareId: (account: AccountId, shareId: ShareId) => Effect.Effect<Option.Option<Preview>, Unavailable>
    readonly commitReserve: (change: {
      readonly preview: Preview
      readonly once?: Once | undefined
      readonly openBelow?: number | undefined
    }) => Effect.Effect<void, Conflict | Unavailable>
    readonly commitFinalize: (change: {
      readonly preview: Preview
      readonly billed: boolean
    }) => Effect.Effect<void, Conflict | Unavailable>
    readonly usage: (account: AccountId) => Effect.Effect<ReadonlyArray<MonthlyUsage>, Unavailable>
  }
>()("slipway/core/ports/PreviewStore") {}
