import { DateTime } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { ErasedCounts, ErasedKind } from "../../core/model/Erasure.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { addErasedCounts, hostedBy } from "../../core/rules/sweeps.ts"
import { nameKey } from "./accounts.ts"
import { removeKey, removeSession, sessionsOf } from "./apiKeys.ts"
import { removeEntry } from "./auditLog.ts"
import { removeBuild, removePreview, removeReservation, unbill } from "./builds.ts"
import type { Entry, Run, Transaction } from "./KeyValueStore.ts"
import {
  accounts,
  answers,
  apiKeys,
  attempts,
  below,
  builds,
  events,
  hostedObjects,
  keyOf,
  partsOf,
  quotas,
  repositories,
  retentions,
  runs,
  shareLinks,
  take,
  walk,
  webhooks
} from "./tables.ts"
import { removeEvent } from "./outbox.ts"
import { anyUpload, removedUpload, removeHosted, storeRemovals } from "./reservations.ts"
import { linkKey, removeTrust } from "./repositories.ts"
import { removeLink } from "./shareLinks.ts"
import { ciRunAt, historyAt, removeCiRun, removeHistory } from "./testHistories.ts"
import { removeRun } from "./testRuns.ts"

/** Deletes the records that an entry refers to. Returns how many of each kind; `undefined` if there is nothing to delete. */
type Taking = (entry: Entry) => Promise<ErasedCounts | undefined>

/** The entries of an account, kind by kind, and how to delete each. No record is referred to by one of a later kind. */
async function* sourcesOf(
  tx: Transaction,
  account: AccountId
): AsyncGenerator<readonly [AsyncIterable<Entry>, Taking]> {
  const list = (...parts: ReadonlyArray<string>) => walk(tx, { ...below(...parts), reverse: false })
  const each =
    <A>(
      kind: ErasedKind,
      find: (entry: Entry) => Promise<A | undefined>,
      remove: (found: A) => Promise<void>
    ): Taking =>
    async (entry) => {
      const found = await find(entry)
      if (found === undefined) return undefined
      await remove(found)
      return { [kind]: 1 }
    }
  const entryItself = async (entry: Entry) => entry

  yield [
    list("accountKeys", account),
    async ({ value }) => {
      const key = await apiKeys.find(tx, value)
      if (key === undefined) return undefined
      const sessions = await sessionsOf(tx, key.id)
      for (const session of sessions) await removeSession(tx, session)
      await removeKey(tx, key)
      return { keys: 1, sessions: sessions.length }
    }
  ]
  yield [
    list("shareLinksOf", account),
    each(
      "shareLinks",
      ({ value }) => shareLinks.find(tx, value),
      (link) => removeLink(tx, link)
    )
  ]
  yield [
    list("answer", account),
    each("answers", entryItself, (entry) => answers.remove(tx, ...partsOf(entry.key).slice(1)))
  ]
  yield [
    list("accountRuns", account),
    each(
      "runs",
      ({ value }) => runs.find(tx, value),
      (run) => removeRun(tx, run)
    )
  ]
  const owned = await take(Infinity, list("accountRepositories", account), ({ value }) => repositories.find(tx, value))
  for (const { id } of owned) {
    yield [list("trustsOf", id), each("trusts", entryItself, ({ value }) => removeTrust(tx, id, value))]
    yield [
      list("buildsOf", id),
      each(
        "builds",
        async (entry) => {
          const build = await builds.find(tx, partsOf(entry.key).at(-1) ?? "")
          const [named] =
            build === undefined
              ? []
              : await tx.list({ ...below("buildReservations", build.id), limit: 1, reverse: false })
          return named === undefined ? build : undefined
        },
        (build) => removeBuild(tx, build)
      )
    ]
  }
  yield [
    list("historiesOf", account),
    each(
      "histories",
      (entry) => historyAt(tx, entry),
      (history) => removeHistory(tx, history)
    )
  ]
  yield [
    list("ciRunsOfAccount", account),
    each(
      "ciRuns",
      (entry) => ciRunAt(tx, entry),
      (ciRun) => removeCiRun(tx, ciRun)
    )
  ]
  yield [
    list("billed", account),
    each("billedRuns", entryItself, (entry) =>
      unbill(tx, account, DateTime.makeUnsafe(entry.value), partsOf(entry.key).at(-1) ?? "")
    )
  ]
  yield [
    list("hostedObject", account),
    each(
      "contents",
      (entry) => hostedObjects.find(tx, ...partsOf(entry.key).slice(1)),
      (hosted) => removeHosted(tx, hosted)
    )
  ]
  yield [
    list("webhook"),
    each(
      "webhooks",
      async (entry) => {
        const found = await webhooks.find(tx, ...partsOf(entry.key).slice(1))
        return found?.accountId === account ? found : undefined
      },
      async ({ id }) => {
        await webhooks.remove(tx, id)
        const log = await take(Infinity, list("attempt"), async (entry) => {
          const attempt = await attempts.find(tx, ...partsOf(entry.key).slice(1))
          return attempt?.webhook === id ? entry.key : undefined
        })
        for (const key of log) await tx.remove(key)
      }
    )
  ]
  yield [
    list("event"),
    each(
      "events",
      async (entry) => {
        const posted = await events.find(tx, ...partsOf(entry.key).slice(1))
        return posted?.event.account === account ? posted : undefined
      },
      (posted) => removeEvent(tx, posted)
    )
  ]
  yield [list("auditOf", account), each("auditEntries", entryItself, ({ value }) => removeEntry(tx, value))]
  for (const [kind, table] of [
    ["retention", retentions],
    ["quotas", quotas]
  ] as const) {
    const own = { from: keyOf(kind, account), to: `${keyOf(kind, account)}\0`, reverse: false }
    yield [walk(tx, own), each(kind, entryItself, () => table.remove(tx, account))]
  }
  yield [
    list("accountRepositories", account),
    each(
      "repositories",
      async ({ value }) => {
        for (const index of ["buildsOf", "repositoryRuns", "ciRunsOf", "trustsOf"]) {
          if ((await tx.list({ ...below(index, value), limit: 1, reverse: false })).length > 0) return undefined
        }
        return repositories.find(tx, value)
      },
      async ({ id, owner, repo }) => {
        await repositories.remove(tx, id)
        await tx.remove(linkKey(account, repositoryKey(owner, repo)))
        await tx.remove(keyOf("accountRepositories", account, id))
      }
    )
  ]
}

const eraseOthers = async (tx: Transaction, account: AccountId, limit: number): Promise<ErasedCounts> => {
  let all: ErasedCounts = {}
  let left = limit
  for await (const [entries, taking] of sourcesOf(tx, account)) {
    if (left <= 0) break
    const gone = await take(left, entries, taking)
    all = gone.reduce(addErasedCounts, all)
    left -= gone.length
  }
  return all
}

/** Forgets an account of which nothing is left, and what was counted of its usage. */
const forget = async (tx: Transaction, account: AccountId): Promise<boolean> => {
  const [left] = await tx.list({ ...below("uploadsOf", account), limit: 1, reverse: false })
  if (left !== undefined) return false
  const counted = await take(Infinity, walk(tx, { ...below("used", account), reverse: false }), async ({ key }) => key)
  for (const key of [...counted, keyOf("stored", account), keyOf("erasing", account)]) await tx.remove(key)
  await accounts.remove(tx, account)
  return true
}

export const erasureStore = (run: Run) =>
  ErasureStore.of({
    begin: (id, erasure) =>
      run(async (tx) => {
        const account = await accounts.find(tx, id)
        if (account === undefined || account.erasure !== undefined) return false
        await tx.remove(nameKey(account.name))
        await accounts.put(tx, { ...account, name: account.id, erasure }, id)
        await tx.set(keyOf("erasing", id), id)
        return true
      }),
    list: run((tx) =>
      take(Infinity, walk(tx, { ...below("erasing"), reverse: false }), async ({ value }) => {
        const account = await accounts.find(tx, value)
        return account?.erasure && { id: account.id, erasure: account.erasure }
      })
    ),
    uploads: ({ account, limit }) =>
      run(async (tx) => {
        if ((await accounts.find(tx, account))?.erasure === undefined) return []
        return take(limit, walk(tx, { ...below("uploadsOf", account), reverse: false }), async ({ value }) => {
          const upload = await anyUpload(tx, value)
          if (upload === undefined) return undefined
          return { ...removedUpload(upload), ...hostedBy(upload.finalizedAt, upload.declaration) }
        })
      }),
    eraseStep: ({ account, limit, now, uploads }) =>
      run(async (tx) => {
        const before = await accounts.find(tx, account)
        if (before?.erasure === undefined) return { erased: {}, isOver: false }
        let gone: ErasedCounts = uploads.length > 0 ? {} : await eraseOthers(tx, account, limit)
        for (const { bytes, id, objects, removals } of uploads) {
          const upload = await anyUpload(tx, id)
          if (upload?.accountId !== account) continue
          let shareLinks = 0
          if ("shareId" in upload) shareLinks = await removePreview(tx, upload)
          else {
            await removeReservation(tx, upload)
            const build = await builds.find(tx, upload.buildId)
            if (build !== undefined) await builds.put(tx, { ...build, version: build.version + 1 }, build.id)
          }
          await storeRemovals(tx, account, removals)
          gone = addErasedCounts(gone, {
            ["shareId" in upload ? "previews" : "uploads"]: 1,
            shareLinks,
            objects,
            bytes
          })
        }
        if (Object.keys(gone).length > 0) {
          const erasure = { ...before.erasure, gone: addErasedCounts(before.erasure.gone, gone) }
          await accounts.put(tx, { ...before, erasure }, account)
          return { erased: gone, isOver: false }
        }
        const isSettled = DateTime.isGreaterThanOrEqualTo(now, before.erasure.settledAt)
        return { erased: gone, isOver: isSettled && (await forget(tx, account)) }
      })
  })
