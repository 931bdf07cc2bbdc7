import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import type { Build, BuildId, BuildIdentity, BuildReservation, BuildView, Platform } from "../model/Build.ts"
import type { HostedObject } from "../model/HostedObject.ts"
import type { ObjectKey } from "../model/ObjectKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Removal } from "../model/Removal.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { Conflict } from "./Conflict.ts"
import type { Once } from "./IdempotencyStore.ts"
import type { KeyOwner } from "./KeyStore.ts"
import type { Within } from "./UsageStore.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A repository of the account, and its build of one identity if there is one. */
export interface LoadedForReserve {
  readonly repository: Repository
  readonly build: Option.Option<Build>
}

/** A reservation with its build and the repository that build belongs to. */
export interface ReservedBuild {
  readonly reservation: BuildReservation
  readonly build: Build
  readonly repository: Repository
}

/** A build, and all its reservations in whichever order: those that were finalized, that are open, and that are over. */
export interface LoadedForDelete {
  readonly build: Build
  readonly reservations: ReadonlyArray<Reservation>
}

/** An API key with its account, and a build as that account reads it. */
export interface BuildWithKey {
  readonly owner: KeyOwner
  readonly build: Option.Option<BuildView>
}

/**
 * Keeps builds and their reservations. All times are given; the store has no clock of its own.
 *
 * Reads answer only what belongs to the account and to a repository that is linked to it now; everything else is `none`, as
 * if it did not exist. Each commit is atomic, also when the engine fails in the middle: both rows or neither. A commit that
 * answered is seen by every later read. No commit changes a build's account, repository, identity, `createdAt` or
 * `keptAt`.
 */
export class BuildStore extends Context.Service<
  BuildStore,
  {
    /**
     * The account's repository of that key, and its build of that identity (which is normalized already) if there is one.
     */
    readonly loadForReserve: (
      account: AccountId,
      repository: RepositoryKey,
      identity: BuildIdentity
    ) => Effect.Effect<Option.Option<LoadedForReserve>, Unavailable>
    /**
     * The reservation whose token has that SHA-256 (lower-case hex), of whichever account. `none` also when its repository
     * is no longer linked to the account that reserved.
     */
    readonly findByToken: (tokenHash: string) => Effect.Effect<Option.Option<ReservedBuild>, Unavailable>
    /** The build with that id, and the upload that it shows. */
    readonly findById: (account: AccountId, id: BuildId) => Effect.Effect<Option.Option<BuildView>, Unavailable>
    /**
     * What `KeyStore.findByHash` answers for `keyHash`, and what `findById` answers for that key's account, in one round trip to
     * the engine.
     */
    readonly findByIdWithKey: (keyHash: string, id: BuildId) => Effect.Effect<Option.Option<BuildWithKey>, Unavailable>
    /** The latest build of a branch and platform, by the rule `latestBuild` at `now`, and the upload that it shows. */
    readonly findLatest: (
      account: AccountId,
      repository: RepositoryKey,
      branch: string,
      platform: Platform,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<BuildView>, Unavailable>
    /**
     * Stores the reservation, `once` with it, and the build as it is given.
     *
     * `Conflict`, and nothing is stored, when the build's stored version is not `build.version - 1` (none stored counts as 0),
     * when another build has the same identity, or when the account has `openBelow` open reservations at `reservedAt`
     * already, as `ReservationStore.countOpen` counts them, or when it would exceed a quota of `within`, as `UsageStore.find`
     * counts. Commits that run in the same instant need not count each other.
     */
    readonly commitReserve: (change: {
      readonly build: Build
      readonly reservation: BuildReservation
      readonly once?: Once | undefined
      readonly openBelow?: number | undefined
      readonly within?: Within | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Stores the build as it is given, and the reservation's `finalizedAt`, `hostedPrefix`, `digests` and `stored`; nothing else of
     * it changes. The build's other finalized reservations get that `finalizedAt` as their `supersededAt`, unless they have one.
     * `event` (`Outbox`) and `entry` (`AuditLog`) are stored with them, and so are the `hosted` objects; no two of them have the same
     * content. Of a content whose object has one of the keys in `lost`, the new object takes its place.
     *
     * `Conflict`, and nothing is stored, when the build's stored version is not `build.version - 1`, or when the reservation is
     * not there or is finalized already; when one of the `hosted` contents is hosted already by an object that is not `lost`; or when
     * something that the upload shares with others (`sharedWithOthers`) is not hosted any more. So bytes are stored once, and what is
     * shared stays.
     */
    readonly commitFinalize: (change: {
      readonly build: Build
      readonly reservation: BuildReservation
      readonly event?: SlipwayEvent | undefined
      readonly entry?: AuditEntry | undefined
      readonly hosted?: ReadonlyArray<HostedObject> | undefined
      readonly lost?: ReadonlyArray<ObjectKey> | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /** The build with that id, and every reservation of it, as they are at one moment. */
    readonly loadForDelete: (
      account: AccountId,
      id: BuildId
    ) => Effect.Effect<Option.Option<LoadedForDelete>, Unavailable>
    /**
     * Removes the build with its reservations, and stores the `removals` (`RemovalStore`). What the account has hosted below one
     * of their prefixes, and neither the upload that stored it nor one that shares it is there, is hosted no longer
     * (`ReservationStore.findHosted`). Its identity may be reserved anew, for a build of another id.
     *
     * `Conflict`, and nothing changes, when the account has no such build, or its stored version is not `build.version`.
     */
    readonly commitDelete: (change: {
      readonly build: Pick<Build, "accountId" | "id" | "version">
      readonly removals: ReadonlyArray<Removal>
    }) => Effect.Effect<void, Conflict | WriteFailure>
  }
>()("slipway/core/ports/BuildStore") {}
