import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import type { Build, BuildId, BuildIdentity, BuildReservation, BuildView, Platform } from "../model/Build.ts"
import type { Content, HostedObject, ObjectKey, ObjectDeletion } from "../model/HostedObject.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { Conflict, WriteFailure } from "./WriteFailure.ts"
import type { Once } from "./IdempotencyStore.ts"
import type { AccountForReserve } from "./ReservationStore.ts"
import type { QuotaCheck } from "./UsageStore.ts"

/** A repository of the account, its build of one identity if there is one, and what a reserve needs of the account. */
export interface LoadedForReserve extends AccountForReserve {
  readonly repository: Repository
  readonly build: Option.Option<Build>
}

/** A reservation with its build and the repository that build belongs to. */
export interface ReservedBuild {
  readonly reservation: BuildReservation
  readonly build: Build
  readonly repository: Repository
}

/** A build and all its reservations in any order: finalized, open and expired ones. */
export interface LoadedForDelete {
  readonly build: Build
  readonly reservations: ReadonlyArray<Reservation>
}

/**
 * Stores builds and their reservations. All times are given; the store has no clock of its own.
 *
 * Reads return only what belongs to the account and to a repository that is currently linked to it. Everything else is `none`,
 * as if it did not exist. Each commit is atomic, also when the engine fails in the middle. Every later read sees a commit that
 * has returned. No commit changes a build's account, repository, identity, `createdAt` or `keptAt`.
 */
export class BuildStore extends Context.Service<
  BuildStore,
  {
    /**
     * The account's repository of that key, its build of that identity, if any, and the result of `ReservationStore.findForReserve`
     * for these contents, in one round trip to the engine. The identity must be normalized.
     */
    readonly loadForReserve: (
      account: AccountId,
      repository: RepositoryKey,
      identity: BuildIdentity,
      contents?: ReadonlyArray<Content>
    ) => Effect.Effect<Option.Option<LoadedForReserve>, Unavailable>
    /**
     * The reservation, of any account, whose token has that SHA-256 (lower-case hex). Also `none` if its repository is no longer
     * linked to the account that reserved.
     */
    readonly findByToken: (tokenHash: string) => Effect.Effect<Option.Option<ReservedBuild>, Unavailable>
    /** The build with that id, and its current upload. */
    readonly findById: (account: AccountId, id: BuildId) => Effect.Effect<Option.Option<BuildView>, Unavailable>
    /**
     * The latest build of a branch and platform, by the rule `latestBuild` at `now`, and its current upload: of one app where `app` is
     * given, else of all builds, with an app and without.
     */
    readonly findLatest: (
      account: AccountId,
      repository: RepositoryKey,
      branch: string,
      platform: Platform,
      now: DateTime.Utc,
      app?: string
    ) => Effect.Effect<Option.Option<BuildView>, Unavailable>
    /**
     * Stores the reservation, `once` and the given build.
     *
     * Fails with `Conflict` and stores nothing if one of these is true:
     *
     * - The build's stored version is not `build.version - 1`. The version of a build that isn't stored is 0.
     * - Another build has the same identity.
     * - The account has `openBelow` open reservations at `reservedAt` already (`ReservationStore.countOpen`).
     * - The account would exceed a quota of `within` (`UsageStore.find`).
     *
     * Concurrent commits don't exceed a limit together.
     */
    readonly commitReserve: (change: {
      readonly build: Build
      readonly reservation: BuildReservation
      readonly once?: Once | undefined
      readonly openBelow?: number | undefined
      readonly within?: QuotaCheck | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Stores the given build, and the reservation's `finalizedAt`, `hostedPrefix`, `digests` and `stored`; its other fields don't
     * change. The build's other finalized reservations get that `finalizedAt` as their `supersededAt`, unless they have one.
     * `event` (`Outbox`), `entry` (`AuditLog`) and the `hosted` objects are stored in the same commit. The contents of the `hosted`
     * objects are distinct. A new object replaces one of the same content whose key is in `lost`.
     *
     * Fails with `Conflict` and stores nothing if one of these is true:
     *
     * - The build's stored version is not `build.version - 1`.
     * - The reservation doesn't exist or is finalized already.
     * - One of the `hosted` contents is hosted already by an object that is not `lost`. So bytes are stored once.
     * - An object that the upload shares with others (`sharedWithOthers`) is no longer hosted. So shared objects stay.
     */
    readonly commitFinalize: (change: {
      readonly build: Build
      readonly reservation: BuildReservation
      readonly event?: SlipwayEvent | undefined
      readonly entry?: AuditEntry | undefined
      readonly hosted?: ReadonlyArray<HostedObject> | undefined
      readonly lost?: ReadonlyArray<ObjectKey> | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /** A consistent read of the build with that id and all its reservations. */
    readonly loadForDelete: (
      account: AccountId,
      id: BuildId
    ) => Effect.Effect<Option.Option<LoadedForDelete>, Unavailable>
    /**
     * Deletes the build with its reservations, and stores the `removals` (`ObjectDeletionStore`). An object below one of their prefixes
     * that no remaining upload stored or shares is no longer hosted (`ReservationStore.findHosted`). The identity can be reserved
     * again, for a build with another id.
     *
     * Fails with `Conflict` and changes nothing if the account has no such build, or its stored version is not `build.version`.
     */
    readonly commitDelete: (change: {
      readonly build: Pick<Build, "accountId" | "id" | "version">
      readonly removals: ReadonlyArray<ObjectDeletion>
    }) => Effect.Effect<void, Conflict | WriteFailure>
  }
>()("slipway/core/ports/BuildStore") {}
