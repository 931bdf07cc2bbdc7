import { DateTime, Option, Struct } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Build, BuildIdentity, BuildReservation, BuildView } from "../../core/model/Build.ts"
import type { RepositoryId } from "../../core/model/Repository.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { latestBuild } from "../../core/rules/builds.ts"
import { isFirst, storeResponse } from "./accounts.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import { below, builds, digest, keyOf, previews, reservations, take, takeAll, timeKey, walk } from "./tables.ts"
import { linkedById, linkedRepository } from "./repositories.ts"
import {
  accountForReserve,
  hasRoom,
  hostUpload,
  listUpload,
  storeObjectDeletions,
  unlistUpload
} from "./reservations.ts"
import { endLinks } from "./shareLinks.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"

const identityKey = (repository: RepositoryId, { app, branch, commitSha, platform }: BuildIdentity): string =>
  keyOf("buildIdentity", repository, digest(branch), platform, commitSha, ...(app === undefined ? [] : [digest(app)]))

type Line = Pick<Build, "repositoryId" | "branch" | "platform">

/** The parts of keys under which the builds of one branch and platform are listed. */
const lineParts = ({ branch, platform, repositoryId }: Line): ReadonlyArray<string> => [
  repositoryId,
  digest(branch),
  platform
]

/** A build as it is read: the account's own, of a repository that it links now. */
export const buildView = async (
  tx: Transaction,
  account: AccountId,
  build: Build | undefined
): Promise<BuildView | undefined> => {
  if (build === undefined || build.accountId !== account) return undefined
  const repository = await linkedById(tx, build.repositoryId)
  const upload = await reservations.find(tx, build.currentUpload)
  return repository && upload ? { build, repository, upload } : undefined
}

/**
 * The rule `latestBuild`, read from the ends of two lists. Of the builds that are ready the one whose finalized upload
 * was reserved last is a candidate; another comes before it only with a live reservation that is later than that.
 */
const latestOf = async (
  tx: Transaction,
  line: Line,
  now: DateTime.Utc,
  app: string | undefined
): Promise<Build | undefined> => {
  const find = async (id: string) => {
    const build = await builds.find(tx, id)
    return app === undefined || build?.app === app ? build : undefined
  }
  const [ready] = await takeAll(1, walk(tx, { ...below("readyBy", ...lineParts(line)), reverse: true }), ({ value }) =>
    find(value)
  )
  const [live] = await takeAll(
    1,
    walk(tx, {
      from: keyOf("reservedBy", ...lineParts(line), ready?.readyBy ?? ""),
      to: below("reservedBy", ...lineParts(line)).to,
      reverse: true
    }),
    async ({ value }) => {
      const build = await find(value)
      return build && DateTime.isLessThan(now, build.reservedUntil) ? build : undefined
    }
  )
  return latestBuild(
    [ready, live].flatMap((build) => build ?? []),
    now
  )
}

const follows = async (tx: Transaction, build: Build): Promise<boolean> =>
  ((await builds.find(tx, build.id))?.version ?? 0) === build.version - 1

/** Stores a build. What never changes, and whether it is kept, stays as it is stored. */
export const putBuild = async (tx: Transaction, changed: Build): Promise<void> => {
  const before = await builds.find(tx, changed.id)
  const { accountId, app, branch, commitSha, createdAt, keptAt, platform, repositoryId } = before ?? changed
  const identity = { accountId, branch, commitSha, createdAt, platform, repositoryId }
  const build: Build = {
    ...Struct.omit(changed, ["app", "keptAt"]),
    ...identity,
    ...withoutUndefined({ app, keptAt })
  }
  if (before === undefined) {
    await tx.set(identityKey(repositoryId, build), build.id)
    await tx.set(keyOf("buildsOf", repositoryId, build.id), JSON.stringify([platform, branch, app]))
  }
  for (const by of ["reservedBy", "readyBy"] as const) {
    if (before?.[by] === build[by]) continue
    if (before?.[by] !== undefined) await tx.remove(keyOf(by, ...lineParts(build), before[by]))
    if (build[by] !== undefined) await tx.set(keyOf(by, ...lineParts(build), build[by]), build.id)
  }
  await builds.put(tx, build, build.id)
}

/** Stores a new reservation of a build, also one that is finalized. */
export const insertReservation = async (tx: Transaction, reservation: BuildReservation): Promise<void> => {
  const { buildId, id, supersededAt, tokenHash } = reservation
  await reservations.put(tx, reservation, id)
  await tx.set(keyOf("buildToken", tokenHash), id)
  await tx.set(keyOf("buildReservations", buildId, id), id)
  if (supersededAt !== undefined) await tx.set(supersededKey(supersededAt, id), id)
  await listUpload(tx, reservation)
}

/** Removes a reservation of a build. */
export const removeReservation = async (tx: Transaction, reservation: BuildReservation): Promise<void> => {
  await unlistUpload(tx, reservation)
  await tx.remove(keyOf("buildToken", reservation.tokenHash))
  await tx.remove(keyOf("buildReservations", reservation.buildId, reservation.id))
  if (reservation.supersededAt !== undefined) await tx.remove(supersededKey(reservation.supersededAt, reservation.id))
  await reservations.remove(tx, reservation.id)
}

/** Removes a build with its reservations. */
export const removeBuild = async (tx: Transaction, build: Build): Promise<void> => {
  for (const reservation of await reservationsOf(tx, build.id)) await removeReservation(tx, reservation)
  for (const by of ["reservedBy", "readyBy"] as const) {
    if (build[by] !== undefined) await tx.remove(keyOf(by, ...lineParts(build), build[by]))
  }
  await tx.remove(identityKey(build.repositoryId, build))
  await tx.remove(keyOf("buildsOf", build.repositoryId, build.id))
  await builds.remove(tx, build.id)
  await endLinks(tx, build.accountId, { build: build.id })
}

/** How many ready builds of its branch, platform and app were reserved later than this one, counted no further than `atMost`. */
export const rankOf = async (tx: Transaction, build: Build, atMost: number): Promise<number> => {
  const line = ["readyBy", ...lineParts(build)]
  const later = { from: `${keyOf(...line, build.readyBy ?? "")}\0`, to: below(...line).to, reverse: false }
  const laterBuilds = await take(atMost, walk(tx, later), async ({ value }) => {
    const other = await builds.find(tx, value)
    return other?.app === build.app ? other : undefined
  })
  return laterBuilds.length
}

const supersededKey = (at: DateTime.Utc, id: string): string => keyOf("superseded", timeKey(at), id)

/** Every reservation of a build. */
export const reservationsOf = (tx: Transaction, build: string) =>
  takeAll(Infinity, walk(tx, { ...below("buildReservations", build), reverse: false }), ({ value }) =>
    reservations.find(tx, value)
  )

/** The build shows another upload from now on. */
const supersede = async (tx: Transaction, upload: BuildReservation, at: DateTime.Utc): Promise<void> => {
  if (upload.finalizedAt === undefined || upload.supersededAt !== undefined) return
  await reservations.put(tx, { ...upload, supersededAt: at }, upload.id)
  await tx.set(supersededKey(at, upload.id), upload.id)
}

export const buildStore = (run: Run) =>
  BuildStore.of({
    loadForReserve: (account, key, identity, contents = []) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return Option.none()
        const id = await tx.get(identityKey(repository.id, identity))
        const build = id === undefined ? undefined : await builds.find(tx, id)
        const needed = await accountForReserve(tx, account, contents)
        return Option.some({ repository, build: Option.fromUndefinedOr(build), ...needed })
      }),
    findByToken: (tokenHash) =>
      run(async (tx) => {
        const id = await tx.get(keyOf("buildToken", tokenHash))
        const reservation = id === undefined ? undefined : await reservations.find(tx, id)
        const build = reservation && (await builds.find(tx, reservation.buildId))
        const repository = build && (await linkedById(tx, build.repositoryId))
        return reservation && build && repository ? Option.some({ reservation, build, repository }) : Option.none()
      }),
    findById: (account, id) =>
      run(async (tx) => Option.fromUndefinedOr(await buildView(tx, account, await builds.find(tx, id)))),
    findLatest: (account, key, branch, platform, now, app) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return Option.none()
        const latest = await latestOf(tx, { repositoryId: repository.id, branch, platform }, now, app)
        return Option.fromUndefinedOr(await buildView(tx, account, latest))
      }),
    commitReserve: ({ build, once, reservation, ...bounds }) =>
      run.commit(async (tx) => {
        const same = await tx.get(identityKey(build.repositoryId, build))
        const isNext = (await follows(tx, build)) && (same === undefined || same === build.id)
        if (!isNext || !(await isFirst(tx, once)) || !(await hasRoom(tx, reservation, bounds))) return false
        await putBuild(tx, build)
        await insertReservation(tx, reservation)
        await storeResponse(tx, once)
        return true
      }),
    commitFinalize: ({ build, reservation, ...finalize }) =>
      run.commit(async (tx) => {
        if (!(await follows(tx, build))) return false
        const hosted = await hostUpload(tx, await reservations.find(tx, reservation.id), reservation, finalize)
        if (hosted === undefined) return false
        await putBuild(tx, build)
        for (const other of await reservationsOf(tx, build.id)) {
          if (other.id !== hosted.id) await supersede(tx, other, hosted.finalizedAt)
        }
        await reservations.put(tx, hosted, hosted.id)
        return true
      }),
    loadForDelete: (account, id) =>
      run(async (tx) => {
        const view = await buildView(tx, account, await builds.find(tx, id))
        return view === undefined
          ? Option.none()
          : Option.some({ build: view.build, reservations: await reservationsOf(tx, id) })
      }),
    commitDelete: ({ build: { accountId, id, version }, removals }) =>
      run.commit(async (tx) => {
        const stored = await builds.find(tx, id)
        if (stored === undefined || stored.accountId !== accountId || stored.version !== version) return false
        await removeBuild(tx, stored)
        await storeObjectDeletions(tx, accountId, removals)
        return true
      })
  })

/** Removes a preview and the links to it, and answers how many these were. */
export const removePreview = async (tx: Transaction, preview: Preview): Promise<number> => {
  await previews.remove(tx, preview.shareId)
  await tx.remove(keyOf("previewToken", preview.tokenHash))
  await tx.remove(keyOf("previewReservation", preview.id))
  if (preview.repositoryId !== undefined) await tx.remove(keyOf("previewsOf", preview.repositoryId, preview.id))
  await unlistUpload(tx, preview)
  return endLinks(tx, preview.accountId, { preview: preview.shareId })
}

/** The key under which it is counted that a preview was billed. */
const billedKeys = (account: AccountId, at: DateTime.Utc, id: string) => ({
  one: keyOf("billed", account, timeKey(at), id),
  month: keyOf("billedMonth", account, DateTime.formatIso(at).slice(0, 7))
})

/** Forgets that a preview was billed. */
export const unbill = async (tx: Transaction, account: AccountId, at: DateTime.Utc, id: string): Promise<void> => {
  const { month, one } = billedKeys(account, at, id)
  const left = Number((await tx.get(month)) ?? 0) - 1
  await (left > 0 ? tx.set(month, String(left)) : tx.remove(month))
  await tx.remove(one)
}

/** Stores a new preview, also one that is finalized. */
export const insertPreview = async (tx: Transaction, preview: Preview): Promise<void> => {
  const { id, repositoryId, shareId, tokenHash } = preview
  await previews.put(tx, preview, shareId)
  await tx.set(keyOf("previewToken", tokenHash), shareId)
  await tx.set(keyOf("previewReservation", id), shareId)
  if (repositoryId !== undefined) await tx.set(keyOf("previewsOf", repositoryId, id), shareId)
  await listUpload(tx, preview)
}

/** Counts that a preview was billed. */
export const bill = async (tx: Transaction, account: AccountId, at: DateTime.Utc, id: string): Promise<void> => {
  const { month, one } = billedKeys(account, at, id)
  await tx.set(month, String(Number((await tx.get(month)) ?? 0) + 1))
  await tx.set(one, DateTime.formatIso(at))
}

export const previewStore = (run: Run) =>
  PreviewStore.of({
    findByToken: (tokenHash) =>
      run(async (tx) => {
        const shareId = await tx.get(keyOf("previewToken", tokenHash))
        return Option.fromUndefinedOr(shareId === undefined ? undefined : await previews.find(tx, shareId))
      }),
    findByShareId: (account, shareId) =>
      run(async (tx) => {
        const preview = await previews.find(tx, shareId)
        return preview?.accountId === account ? Option.some(preview) : Option.none()
      }),
    commitReserve: ({ once, preview, ...bounds }) =>
      run.commit(async (tx) => {
        if (!(await isFirst(tx, once)) || !(await hasRoom(tx, preview, bounds))) return false
        await insertPreview(tx, preview)
        await storeResponse(tx, once)
        return true
      }),
    commitFinalize: ({ billed, preview, ...finalize }) =>
      run.commit(async (tx) => {
        const hosted = await hostUpload(tx, await previews.find(tx, preview.shareId), preview, finalize)
        if (hosted === undefined) return false
        await previews.put(tx, hosted, hosted.shareId)
        if (billed) await bill(tx, hosted.accountId, hosted.finalizedAt, hosted.id)
        return true
      }),
    commitDelete: ({ preview: { accountId, shareId }, removals }) =>
      run.commit(async (tx) => {
        const stored = await previews.find(tx, shareId)
        if (stored?.accountId !== accountId) return false
        await removePreview(tx, stored)
        await storeObjectDeletions(tx, accountId, removals)
        return true
      }),
    usage: (account) =>
      run((tx) =>
        take(Infinity, walk(tx, { ...below("billedMonth", account), reverse: true }), async ({ key, value }) => ({
          month: key.slice(key.lastIndexOf("/") + 1),
          billedTestRuns: Number(value)
        }))
      )
  })
