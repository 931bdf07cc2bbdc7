/** Records that are stored by their own ports. */
import { Effect, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import type { Build, BuildReservation, BuildView } from "../../../core/model/Build.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import { type Repository, repositoryKey } from "../../../core/model/Repository.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore, type LoadedForReserve, type ReservedBuild } from "../../../core/ports/BuildStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { onReserve } from "../../../core/rules/builds.ts"
import { plainBuild, plainRepository, plainReservation } from "./plain.ts"
import {
  makeAccount,
  makeIdentity,
  makeKey,
  makePreview,
  makeRepository,
  makeReservation,
  makeRun,
  newBuildId
} from "./samples.ts"

export const newAccount = Effect.gen(function* () {
  const account = makeAccount()
  yield* (yield* AccountStore).insert(account)
  return account
})

export const newKey = Effect.fnUntraced(function* (account: Account, fields: Partial<ApiKey> = {}) {
  const key = makeKey(account, fields)
  yield* (yield* KeyStore).insert(key)
  return key
})

/** A reserved preview. */
export const newPreview = Effect.fnUntraced(function* (account: Account, fields: Partial<Preview> = {}) {
  const preview = makePreview(account, fields)
  yield* (yield* PreviewStore).commitReserve({ preview })
  return preview
})

export const newRun = Effect.fnUntraced(function* (
  repository: Repository,
  preview: Preview,
  fields: Partial<TestRun> = {}
) {
  const run = makeRun(repository, preview, fields)
  yield* (yield* TestRunStore).insert({ run })
  return run
})

// What the suites of the build store share.

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
