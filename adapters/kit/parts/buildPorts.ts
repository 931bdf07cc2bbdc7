/** What the suites of the build store share. */
import { Effect, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { Build, BuildReservation, BuildView } from "../../../core/model/Build.ts"
import { repositoryKey, type Repository } from "../../../core/model/Repository.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore, type LoadedForReserve, type ReservedBuild } from "../../../core/ports/BuildStore.ts"
import type { KeyStore } from "../../../core/ports/KeyStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { onReserve } from "../../../core/rules/builds.ts"
import { plainBuild, plainRepository, plainReservation } from "./plain.ts"
import { makeIdentity, makeRepository, makeReservation, newBuildId } from "./samples.ts"
import { newAccount } from "./stored.ts"

/** What the cases need beside a `BuildStore`: builds belong to repositories that accounts have linked. */
export type BuildPorts = AccountStore | KeyStore | RepositoryStore | BuildStore

export const keyOf = ({ owner, repo }: Repository) => repositoryKey(owner, repo)

/** A new account with a repository linked to it. */
export const newHome = Effect.gen(function* () {
  const account = yield* newAccount
  const repository = yield* (yield* RepositoryStore).link(makeRepository(account))
  return { account, repository }
})

export type Home = Effect.Success<typeof newHome>

/** A build and its first reservation, not stored. */
export const firstReserve = (
  { account, repository }: Home,
  fields: { readonly build?: Partial<Build>; readonly reservation?: Partial<BuildReservation> } = {}
) => {
  const id = fields.build?.id ?? newBuildId()
  const reservation = makeReservation(account, id, fields.reservation)
  const build = onReserve(undefined, { id, repository, identity: makeIdentity(fields.build), reservation })
  return { build: { ...build, ...fields.build }, reservation }
}

/** A further reservation of a build, not stored. */
export const reserveAgain = (home: Home, before: Build, fields: Partial<BuildReservation> = {}) => {
  const reservation = makeReservation(home.account, before.id, fields)
  return {
    build: onReserve(before, { id: before.id, repository: home.repository, identity: before, reservation }),
    reservation
  }
}

/** A stored build with its first reservation. */
export const newBuild = (home: Home, fields: Parameters<typeof firstReserve>[1] = {}) =>
  Effect.gen(function* () {
    const change = firstReserve(home, fields)
    yield* (yield* BuildStore).commitReserve(change)
    return change
  })

/** The build that was loaded for a reserve, if there is one. */
export const buildIn = Option.flatMap(({ build }: LoadedForReserve) => build)

export const plainReserved = ({ build, repository, reservation }: ReservedBuild) => ({
  build: plainBuild(build),
  repository: plainRepository(repository),
  reservation: plainReservation(reservation)
})

export const plainView = ({ build, repository, upload }: BuildView) => ({
  build: plainBuild(build),
  repository: { owner: repository.owner, repo: repository.repo },
  upload: plainReservation(upload)
})

export const expectedView = (
  { repository }: Home,
  { build, reservation }: { readonly build: Build; readonly reservation: BuildReservation }
) => plainView({ build, repository, upload: reservation })

/** Everything that an account can read of a build, by every call that reads it. */
export const seen = (account: Account, { repository }: Home, { build, reservation }: ReturnType<typeof firstReserve>) =>
  Effect.gen(function* () {
    const store = yield* BuildStore
    const { branch, platform } = build
    return {
      slot: yield* store.loadForReserve(account.id, keyOf(repository), build),
      token: yield* store.findByToken(reservation.tokenHash),
      id: yield* store.findById(account.id, build.id),
      latest: yield* store.findLatest(account.id, keyOf(repository), branch, platform, reservation.reservedAt)
    }
  })
