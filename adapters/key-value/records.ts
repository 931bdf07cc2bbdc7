/** How the records of each kind are stored, listed and deleted: what backups, erasures and sweeps use. */
import { DateTime, Effect, Schema, Stream } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import {
  descriptions,
  type ErasedCounts,
  type MetadataRecord,
  portableKinds,
  type RecordKind,
  recordKinds,
  recordModels
} from "../../core/model/MetadataRecord.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { DuplicateRecord, MetadataSource, MetadataTarget, NotEmpty } from "../../core/ports/MetadataSnapshot.ts"
import { addErasedCounts, hostedBy } from "../../core/rules/sweeps.ts"
import { decodeIn, orLeftOut, type Entry, type Run, type Transaction } from "./KeyValueStore.ts"
import { insertAccount, nameKey } from "./accounts.ts"
import { insertKey, insertSession, removeKey, removeSession } from "./apiKeys.ts"
import { recordEntry, removeEntry } from "./auditLog.ts"
import {
  bill,
  insertPreview,
  insertReservation,
  putBuild,
  removeBuild,
  removePreview,
  removeReservation,
  unbill
} from "./builds.ts"
import { removeEvent } from "./outbox.ts"
import { linkKey, putRepository, putTrust, removeTrust } from "./repositories.ts"
import { putQuarantine, removeQuarantine } from "./quarantines.ts"
import {
  anyUpload,
  putObjectDeletion,
  removedUpload,
  removeHosted,
  storeHosted,
  storeObjectDeletions
} from "./reservations.ts"
import { insertLink, removeLink } from "./shareLinks.ts"
import {
  accounts,
  attempts,
  below,
  builds,
  digest,
  keyOf,
  partsOf,
  repositories,
  tables,
  take,
  walk
} from "./tables.ts"
import { putCiRun, putHistory, removeCiRun, removeHistory } from "./testHistories.ts"
import { insertRun, removeRun } from "./testRuns.ts"

type Tables = typeof tables
/** The kinds of records that can be deleted by what is known of them. */
export type Kind = keyof Tables
type Value<K extends Kind> = NonNullable<Awaited<ReturnType<Tables[K]["find"]>>>

/** How the records of one kind are stored. */
interface Access<A> {
  /** What the keys of the records begin with. */
  readonly table: string
  readonly decode: (entry: Entry) => A
  /** Stores a record with its lists and what is counted of it. */
  put(tx: Transaction, value: A): Promise<void>
  /** Deletes a record with its lists and what can't be without it, and returns how many of other kinds that were. */
  remove(tx: Transaction, value: A): Promise<ErasedCounts | void>
  /** What the keys of the list of an account's records begin with. */
  readonly list: (account: AccountId) => ReadonlyArray<string>
  /** The same, of a kind with several such lists. */
  lists(tx: Transaction, account: AccountId): Promise<ReadonlyArray<ReadonlyArray<string>>>
  /** Whether the list is ordered by time. */
  readonly isByTime: boolean
  /** The rest of the key of the record that an entry of a list names. An entry may be the record itself. */
  readonly idOf: (entry: Entry) => string
  /** Whether another record names this one, which therefore stays. */
  isNamed(tx: Transaction, value: A): Promise<boolean>
}

const behind = ({ key }: Entry): string => key.slice(key.indexOf("/") + 1)

/** A record under the fields that identify it. Unless its account is the first of them, a list has the records of each account. */
const plainly = <K extends Kind>(kind: K): Access<Value<K>> => {
  const { account = "accountId", id } = descriptions[kind]
  const table: Pick<Tables[Kind], "remove"> & {
    readonly put: (tx: Transaction, value: never, ...id: ReadonlyArray<string>) => Promise<void>
    readonly decode: (text: string, key: string) => unknown
  } = tables[kind]
  const partsIn = (value: object, fields: ReadonlyArray<string>) =>
    fields.map((field) => String(new Map<string, unknown>(Object.entries(value)).get(field)))
  const isOwn = id[0] === account
  const listed = (value: object) => keyOf(`${kind}Of`, ...partsIn(value, [account, ...id]))
  return {
    table: kind,
    decode: ({ key, value }) => table.decode(value, key) as Value<K>,
    put: async (tx, value) => {
      await table.put(tx, value as never, ...partsIn(value, id))
      if (!isOwn) await tx.set(listed(value), keyOf(...partsIn(value, id)))
    },
    remove: async (tx, value) => {
      await table.remove(tx, ...partsIn(value, id))
      if (!isOwn) await tx.remove(listed(value))
    },
    list: (of) => [isOwn ? kind : `${kind}Of`, of],
    lists: async () => [],
    isByTime: false,
    idOf: (entry) => (entry.key.startsWith(`${kind}/`) ? behind(entry) : entry.value),
    isNamed: async () => false
  }
}

const isAny = async (tx: Transaction, ...list: ReadonlyArray<string>): Promise<boolean> =>
  (await tx.list({ ...below(...list), limit: 1, reverse: false })).length > 0

/** Removes a record that can't be decoded, and the entry of the list that names it. */
const removeUnreadable = async (tx: Transaction, table: string, listed: Entry, id = listed.value): Promise<void> => {
  await tx.remove(`${table}/${id}`)
  await tx.remove(listed.key)
}

/** A list of each account. */
const under = (list: string) => (account: AccountId) => [list, account]

/** A list of each repository of an account. */
const byRepository = (list: string) => async (tx: Transaction, account: AccountId) => {
  const owned = walk(tx, { ...below("accountRepositories", account), reverse: false })
  return take(Infinity, owned, async ({ value }) => [list, value])
}

const decodeBilled = Schema.decodeUnknownSync(recordModels.billedTestRun)

/** What isn't as in {@link plainly}: records with more lists, with counts or with other records. */
const special: { readonly [K in Kind]?: Partial<Access<Value<K>>> } = {
  account: { put: insertAccount },
  key: {
    put: insertKey,
    remove: async (tx, key) => {
      const listed = walk(tx, { ...below("keySessions", key.id), reverse: true })
      const ended = await take(Infinity, listed, async (entry) => {
        const session = await orLeftOut(() => tables.session.find(tx, entry.value))
        await (session === undefined ? removeUnreadable(tx, "session", entry) : removeSession(tx, session))
        return entry
      })
      await removeKey(tx, key)
      return { sessions: ended.length }
    },
    list: under("accountKeys")
  },
  repository: {
    put: putRepository,
    remove: async (tx, { accountId, id, owner, repo }) => {
      await repositories.remove(tx, id)
      await tx.remove(linkKey(accountId, repositoryKey(owner, repo)))
      await tx.remove(keyOf("accountRepositories", accountId, id))
    },
    list: under("accountRepositories"),
    isNamed: async (tx, { id }) => {
      const lists = ["buildsOf", "previewsOf", "repositoryRuns", "testsOf", "ciRunsOf", "quarantinesOf", "trustsOf"]
      for (const list of lists) if (await isAny(tx, list, id)) return true
      return false
    }
  },
  build: {
    put: putBuild,
    remove: removeBuild,
    lists: byRepository("buildsOf"),
    idOf: ({ key }) => key.slice(key.lastIndexOf("/") + 1),
    isNamed: (tx, { id }) => isAny(tx, "buildReservations", id)
  },
  reservation: { put: insertReservation, remove: removeReservation },
  preview: { put: insertPreview, remove: async (tx, preview) => ({ shareLinks: await removePreview(tx, preview) }) },
  billedTestRun: {
    table: "billed",
    decode: ({ key, value: billedAt }) => {
      const [, accountId, , previewId] = partsOf(key)
      return decodeBilled({ accountId, previewId, billedAt })
    },
    put: (tx, { accountId, billedAt, previewId }) => bill(tx, accountId, billedAt, previewId),
    remove: (tx, { accountId, billedAt, previewId }) => unbill(tx, accountId, billedAt, previewId),
    list: under("billed"),
    isByTime: true,
    idOf: behind
  },
  hostedObject: { put: (tx, hosted) => storeHosted(tx, [hosted]), remove: removeHosted },
  run: { put: insertRun, remove: removeRun, list: under("accountRuns"), isByTime: true },
  testHistory: { put: putHistory, remove: removeHistory, list: under("historiesOf") },
  ciRun: { put: putCiRun, remove: removeCiRun, list: under("ciRunsOfAccount") },
  quarantine: { put: putQuarantine, remove: removeQuarantine, list: under("quarantinesOfAccount") },
  shareLink: { put: insertLink, remove: removeLink, list: under("shareLinksOf") },
  trust: {
    put: putTrust,
    remove: (tx, { issuer, repositoryId }) => removeTrust(tx, repositoryId, digest(issuer)),
    lists: byRepository("trustsOf"),
    idOf: behind
  },
  session: { put: insertSession, remove: removeSession },
  auditEntry: { put: recordEntry, remove: (tx, { id }) => removeEntry(tx, id), list: under("auditOf") },
  removal: { put: putObjectDeletion },
  event: { remove: removeEvent, list: () => ["event"] },
  webhook: {
    remove: async (tx, { id }) => {
      await tables.webhook.remove(tx, id)
      const log = await take(Infinity, walk(tx, { ...below("attempt"), reverse: false }), async (entry) => {
        const attempt = await attempts.find(tx, ...partsOf(behind(entry)))
        return attempt?.webhook === id ? entry.key : undefined
      })
      for (const key of log) await tx.remove(key)
    },
    list: () => ["webhook"]
  }
}

/** How the records of a kind are stored. */
export const accessOf = <K extends Kind>(kind: K): Access<Value<K>> => {
  const access = { ...plainly(kind), ...special[kind] }
  return special[kind]?.lists === undefined
    ? { ...access, lists: async (_, account) => [access.list(account)] }
    : access
}

/** The record with that rest of its key. */
export const findRecord = async <A>(
  tx: Transaction,
  { decode, table }: Access<A>,
  id: string
): Promise<A | undefined> => {
  const key = `${table}/${id}`
  const value = await tx.get(key)
  return value === undefined ? undefined : decodeIn(tx, () => decode({ key, value }))
}

/** The account of a record. */
export const accountOfRecord = (kind: Kind, value: object): unknown =>
  (descriptions[kind].account ?? "accountId")
    .split(".")
    .reduce<unknown>((one, field) => new Map<string, unknown>(Object.entries(Object(one))).get(field), value)

/** The kinds of records that are erased, in an order in which no record is named by one of a later kind. */
const erasedKinds = Object.keys(tables)
  .filter((kind): kind is Kind => kind in descriptions && descriptions[kind as Kind].erased === "record")
  .toReversed()

/** Every entry of a list, or the one with this key. */
const entriesOf = async function* (tx: Transaction, list: ReadonlyArray<string>): AsyncGenerator<Entry> {
  const key = keyOf(...list)
  const value = await tx.get(key)
  if (value !== undefined) yield { key, value }
  yield* walk(tx, { ...below(...list), reverse: false })
}

/** Deletes at most `limit` records of a kind that no other record names. */
const eraseKind = async (
  tx: Transaction,
  kind: Kind,
  account: AccountId,
  limit: number
): Promise<ReadonlyArray<ErasedCounts>> => {
  const access: ReturnType<typeof accessOf> = accessOf(kind)
  const { erasedAs = "" } = descriptions[kind]
  const erased: Array<ErasedCounts> = []
  for (const list of await access.lists(tx, account)) {
    const gone = await take(limit - erased.length, entriesOf(tx, list), async (entry) => {
      const id = access.idOf(entry)
      const record = await orLeftOut(async () => (await findRecord(tx, access, id)) ?? "none")
      // Nobody knows whose a record is that can't be decoded, unless the list is of the account.
      if (record === undefined && list.length > 1) {
        await removeUnreadable(tx, access.table, entry, id)
        return { [erasedAs]: 1 }
      }
      if (record === undefined || record === "none" || accountOfRecord(kind, record) !== account) return undefined
      if (await access.isNamed(tx, record as never)) return undefined
      const others = await access.remove(tx, record as never)
      return { [erasedAs]: 1, ...others }
    })
    erased.push(...gone)
  }
  return erased
}

const eraseOthers = async (tx: Transaction, account: AccountId, limit: number): Promise<ErasedCounts> => {
  let all: ErasedCounts = {}
  let left = limit
  for (const kind of erasedKinds) {
    if (left <= 0) break
    const gone = await eraseKind(tx, kind, account, left)
    all = gone.reduce(addErasedCounts, all)
    left -= gone.length
  }
  return all
}

/** Forgets an account of which nothing is left, and what was counted of its usage. */
const forget = async (tx: Transaction, account: AccountId): Promise<boolean> => {
  const [left] = await tx.list({ ...below("uploadsOf", account), limit: 1, reverse: false })
  if (left !== undefined) return false
  for (const kind of erasedKinds) {
    for (const list of await accessOf(kind).lists(tx, account)) {
      if (list.length > 1 && (await isAny(tx, ...list))) return false
    }
  }
  const counted = await take(Infinity, walk(tx, { ...below("used", account), reverse: false }), async ({ key }) => key)
  const others = ["stored", "openAmounts", "erasing"].map((name) => keyOf(name, account))
  for (const key of [...counted, ...others]) await tx.remove(key)
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
            const build = await orLeftOut(() => builds.find(tx, upload.buildId))
            if (build !== undefined) await builds.put(tx, { ...build, version: build.version + 1 }, build.id)
          }
          await storeObjectDeletions(tx, account, removals)
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

const rangeOf = (kind: RecordKind) => ({ ...below(accessOf(kind).table), reverse: false })

/** A record, or none if it can't be decoded, which is logged. */
const recordOf = ({ entry, kind }: { readonly entry: Entry; readonly kind: RecordKind }) =>
  Effect.try({ try: () => [{ kind, value: accessOf(kind).decode(entry) } as MetadataRecord], catch: String }).pipe(
    Effect.catch((reason) => Effect.as(Effect.logError(`A backup leaves out a record: ${reason}`), []))
  )

const portable: ReadonlySet<RecordKind> = new Set(portableKinds)

const isOf =
  (account: AccountId) =>
  ({ kind, value }: MetadataRecord): boolean =>
    portable.has(kind) && accountOfRecord(kind, value) === account

/** Reads everything in one transaction into memory, so that no transaction is open while it is used. */
export const metadataSource = (run: Run) => {
  const everything = run(async (tx) => {
    const all: Array<{ readonly entry: Entry; readonly kind: RecordKind }> = []
    for (const kind of recordKinds) for await (const entry of walk(tx, rangeOf(kind))) all.push({ kind, entry })
    return all
  })
  const records = Effect.map(everything, (all) =>
    Stream.flatMap(Stream.fromIterable(all), (one) => Stream.fromIterableEffect(recordOf(one)))
  )
  return MetadataSource.of({
    snapshot: (use) => Effect.flatMap(records, use),
    snapshotOf: (account, use) => Effect.flatMap(records, (all) => use(Stream.filter(all, isOf(account))))
  })
}

const insert = ({ kind, value }: MetadataRecord, tx: Transaction): Promise<void> => {
  const access: { put(tx: Transaction, value: unknown): Promise<void> } = accessOf(kind)
  return access.put(tx, value)
}

const isEmpty = async (tx: Transaction): Promise<boolean> => {
  for (const kind of recordKinds) if ((await tx.list({ ...rangeOf(kind), limit: 1 })).length > 0) return false
  return true
}

/** Inserts the records until one occurs twice, which it answers. */
const insertAll = async (
  tx: Transaction,
  records: ReadonlyArray<MetadataRecord>
): Promise<DuplicateRecord | undefined> => {
  const seen = new Set<string>()
  for (const record of records) {
    let duplicate: DuplicateRecord | undefined
    const set: Transaction["set"] = (key, value) => {
      if (key.startsWith(`${accessOf(record.kind).table}/`)) {
        if (seen.has(key)) duplicate = new DuplicateRecord({ kind: record.kind, key })
        seen.add(key)
      }
      return tx.set(key, value)
    }
    await insert(record, {
      get: (key) => tx.get(key),
      list: (range) => tx.list(range),
      remove: (key) => tx.remove(key),
      set
    })
    if (duplicate !== undefined) return duplicate
  }
  return undefined
}

/** Stores everything in one transaction, after all of it was read. */
export const metadataTarget = (run: Run) => {
  const assertEmpty = Effect.flatMap(run(isEmpty), (isTrue) => (isTrue ? Effect.void : Effect.fail(new NotEmpty())))
  return MetadataTarget.of({
    assertEmpty,
    fill: Effect.fnUntraced(function* (stream) {
      const records = yield* Stream.runCollect(stream)
      const insertion = Effect.flatMap(
        run((tx) => insertAll(tx, records)),
        (duplicate) => duplicate ?? Effect.void
      )
      yield* run.together(Effect.andThen(assertEmpty, insertion), () => Promise.resolve())
    })
  })
}
