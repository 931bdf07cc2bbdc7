import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { BuildId } from "../model/Build.ts"
import type { ShareId } from "../model/Preview.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { AccountRetention, RetentionRules } from "../model/Retention.ts"
import type { TestRunId } from "../model/TestRun.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A build, a preview or a run, of an account or of whichever. */
export type Keepable = { readonly build: BuildId } | { readonly preview: ShareId } | { readonly run: TestRunId }

/** Since when a thing is kept, and whose it is. */
export interface KeptResource {
  readonly at: DateTime.Utc
  readonly accountId: AccountId
}

/** What the rules hold for again: whose it is, and since when it was kept, if it was. */
export interface ReleasedResource {
  readonly keptAt?: DateTime.Utc | undefined
  readonly accountId: AccountId
}

/** Keeps what accounts say of how long things are kept: their rules, and what they keep whatever the rules say. */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** The account's rules, if it has any. */
    readonly rules: (account: AccountId) => Effect.Effect<Option.Option<RetentionRules>, Unavailable>
    /** Stores an account's rules, in the place of those that it has. Rules of which none is given are forgotten. */
    readonly setRules: (retention: AccountRetention) => Effect.Effect<void, WriteFailure>
    /**
     * Sets `keptAt` of a thing: of the account, where it is given, and of whichever else. It is kept from then on, whatever the
     * rules of retention say; with a run its preview is. What is kept already stays as it is. Answers since when it is kept and whose it
     * is; `none` when there is no such thing, whether its repository is linked or not.
     */
    readonly keep: (
      resource: Keepable,
      at: DateTime.Utc,
      account?: AccountId
    ) => Effect.Effect<Option.Option<KeptResource>, WriteFailure>
    /**
     * The rules of retention hold for a thing again. Answers whose it is, and since when it was kept until now; `none` when there is no
     * such thing. One that isn't kept is no error.
     */
    readonly release: (
      resource: Keepable,
      account?: AccountId
    ) => Effect.Effect<Option.Option<ReleasedResource>, WriteFailure>
  }
>()("slipway/core/ports/RetentionStore") {}
