import { Context } from "effect"
import type { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Build, BuildId, BuildIdentity, BuildReservation, BuildView, Platform } from "../model/Build.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { Conflict } from "./Conflict.ts"
import type { Once } from "./IdempotencyStore.ts"

/** A repository of the account, and its build of one identity if there is one. */
export interface BuildSlot {
  readonly repository: Repository
  readonly build: Option.Option<Build>
}

/** A reservation with its build and the repository that build belongs to. */
export interface ReservedBuild {
  readonly reservation: BuildReservation
  readonly build: Build
  readonly repository: Repository
}

/**
 * Keeps builds and their reservations. All times are given; the store has no clock of its own.
 *
 * Reads answer only what belongs to the account and to a repository that is linked to it now: everything else is
 * `none`, as if it did not exist.
 *
 * - `findSlot` answers the account's repository of that key with its build of that identity (already normalized).
 * - `findByToken` answers the reservation with that token hash, whichever account's it is; `none` also when its
 *   repository is no longer linked to the account that reserved.
 * - `findById` and `findLatest` answer a build with the upload that it shows. The latest of a branch is what the rule
 *   `latestBuild` says at `now`.
 * - `commitReserve` stores the reservation (and `once`), and the build as it is given, when the build's stored version is
 *   `build.version - 1` (none stored counts as 0); otherwise `Conflict`. Also a `Conflict`: another build has the same
 *   identity; and, where `openBelow` is given, the account has that many open reservations at the reservation's
 *   `reservedAt` already, counted as `ReservationStore.countOpen` does. Commits that run in the same instant need not see
 *   each other there.
 * - `commitFinalize` changes build and reservation likewise. The reservation is there already; only its `finalizedAt` and
 *   `hostedPrefix` change. One that is not there, or is finalized already, is a `Conflict`.
 * - A commit never changes a build's account, repository, identity or `createdAt`.
 *
 * Each commit is atomic: both rows or neither, also when the engine fails in the middle. A commit that answered is
 * seen by every later read.
 */
export class BuildStore extends Context.Service<
  BuildStore,
  {
    readonly findSlot: (
      account: AccountId,
      repository: RepositoryKey,
      identity: BuildIdentity
    ) => Effect.Effect<Option.Option<BuildSlot>, Unavailable>
    readonly findByToken: (tokenHash: string) => Effect.Effect<Option.Option<ReservedBuild>, Unavailable>
    readonly findById: (account: AccountId, id: BuildId) => Effect.Effect<Option.Option<BuildView>, Unavailable>
    readonly findLatest: (
      account: AccountId,
      repository: RepositoryKey,
      branch: string,
      platform: Platform,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<BuildView>, Unavailable>
    readonly commitReserve: (change: {
      readonly build: Build
      readonly reservation: BuildReservation
      readonly once?: Once | undefined
      readonly openBelow?: number | undefined
    }) => Effect.Effect<void, Conflict | Unavailable>
    readonly commitFinalize: (change: {
      readonly build: Build
      readonly reservation: BuildReservation
    }) => Effect.Effect<void, Conflict | Unavailable>
  }
>()("slipway/core/ports/BuildStore") {}
