import { Effect, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Build, BuildIdentity, BuildView } from "../../core/model/Build.ts"
import type { Repository, RepositoryId } from "../../core/model/Repository.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { Conflict } from "../../core/ports/Conflict.ts"
import { latestBuild } from "../../core/rules/builds.ts"
import { isFirst, keepAnswer } from "./idempotency.ts"
import { post } from "./outbox.ts"
import { hasRoom } from "./reservations.ts"
import { linkedRepository } from "./state.ts"
import type { State } from "./state.ts"

export const buildStore = (state: State) => {
  const linked = (id: RepositoryId): Repository | undefined => {
    const link = state.links.get(id)
    return link?.linked === true ? link.repository : undefined
  }
  const ofIdentity = (repository: RepositoryId, identity: BuildIdentity): Build | undefined =>
    Array.from(state.builds.values()).find(
      (build) =>
        build.repositoryId === repository &&
        build.branch === identity.branch &&
        build.platform === identity.platform &&
        build.commitSha === identity.commitSha
    )
  const view = (build: Build | undefined, account: AccountId): Option.Option<BuildView> => {
    if (build === undefined || build.accountId !== account) return Option.none()
    const repository = linked(build.repositoryId)
    const upload = state.reservations.get(build.shown)
    return repository && upload ? Option.some({ build, repository, upload }) : Option.none()
  }
  const follows = (build: Build): boolean => (state.builds.get(build.id)?.version ?? 0) === build.version - 1
  const keep = (build: Build): void => {
    const { accountId, branch, commitSha, createdAt, platform, repositoryId } = state.builds.get(build.id) ?? build
    state.builds.set(build.id, { ...build, accountId, branch, commitSha, createdAt, platform, repositoryId })
  }

  return BuildStore.of({
    loadForReserve: (account, key, identity) =>
      Effect.sync(() => {
        const repository = linkedRepository(state, account, key)
        return repository === undefined
          ? Option.none()
          : Option.some({ repository, build: Option.fromUndefinedOr(ofIdentity(repository.id, identity)) })
      }),
    findByToken: (tokenHash) =>
      Effect.sync(() => {
        const reservation = Array.from(state.reservations.values()).find((one) => one.tokenHash === tokenHash)
        const build = reservation && state.builds.get(reservation.buildId)
        const repository = build && linked(build.repositoryId)
        return reservation && build && repository ? Option.some({ reservation, build, repository }) : Option.none()
      }),
    findById: (account, id) => Effect.sync(() => view(state.builds.get(id), account)),
    findLatest: (account, key, branch, platform, now) =>
      Effect.sync(() => {
        const repository = linkedRepository(state, account, key)
        const own = Array.from(state.builds.values()).filter(
          (build) => build.repositoryId === repository?.id && build.branch === branch && build.platform === platform
        )
        return view(latestBuild(own, now), account)
      }),
    commitReserve: ({ build, once, openBelow, reservation }) =>
      Effect.suspend(() => {
        const same = ofIdentity(build.repositoryId, build)
        if (!follows(build) || (same !== undefined && same.id !== build.id) || !isFirst(state, once))
          return Effect.fail(new Conflict())
        if (!hasRoom(state, reservation, openBelow)) return Effect.fail(new Conflict())
        keep(build)
        state.reservations.set(reservation.id, reservation)
        keepAnswer(state, once)
        return Effect.void
      }),
    commitFinalize: ({ build, event, reservation }) =>
      Effect.suspend(() => {
        const stored = state.reservations.get(reservation.id)
        const { finalizedAt, hostedPrefix } = reservation
        if (!follows(build) || stored === undefined || stored.finalizedAt !== undefined)
          return Effect.fail(new Conflict())
        if (finalizedAt === undefined || hostedPrefix === undefined)
          return Effect.die("a reservation that is not finalized")
        keep(build)
        state.reservations.set(reservation.id, { ...stored, finalizedAt, hostedPrefix })
        post(state, event)
        return Effect.void
      })
  })
}
