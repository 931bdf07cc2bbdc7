/** How the records of each kind are stored, listed and deleted: what backups, erasures and sweeps use. */
import { Schema } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { descriptions, recordModels, type ErasedCounts } from "../../core/model/MetadataRecord.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { insertAccount } from "./accounts.ts"
import { insertKey, insertSession, removeKey, removeSession, sessionsOf } from "./apiKeys.ts"
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
import type { Entry, Transaction } from "./KeyValueStore.ts"
import { removeEvent } from "./outbox.ts"
import { linkKey, putRepository, putTrust, removeTrust } from "./repositories.ts"
import { putRemoval, removeHosted, storeHosted } from "./reservations.ts"
import { insertLink, removeLink } from "./shareLinks.ts"
import { attempts, below, digest, keyOf, partsOf, repositories, tables, take, walk } from "./tables.ts"
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
    readonly decode: (text: string) => unknown
  } = tables[kind]
  const partsIn = (value: object, fields: ReadonlyArray<string>) =>
    fields.map((field) => String(new Map<string, unknown>(Object.entries(value)).get(field)))
  const isOwn = id[0] === account
  const listed = (value: object) => keyOf(`${kind}Of`, ...partsIn(value, [account, ...id]))
  return {
    table: kind,
    decode: ({ value }) => table.decode(value) as Value<K>,
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

/** A list of each account. */
const under = (list: string) => (account: AccountId) => [list, account]

/** A list of each repository of an account. */
const byRepository = (list: string) => async (tx: Transaction, account: AccountId) => {
  const owned = walk(tx, { ...below("accountRepositories", account), reverse: false })
  return (await take(Infinity, owned, ({ value }) => repositories.find(tx, value))).map(({ id }) => [list, id])
}

const decodeBilled = Schema.decodeUnknownSync(recordModels.billedTestRun)

/** What isn't as in {@link plainly}: records with more lists, with counts or with other records. */
const special: { readonly [K in Kind]?: Partial<Access<Value<K>>> } = {
  account: { put: insertAccount },
  key: {
    put: insertKey,
    remove: async (tx, key) => {
      const sessions = await sessionsOf(tx, key.id)
      for (const session of sessions) await removeSession(tx, session)
      await removeKey(tx, key)
      return { sessions: sessions.length }
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
      const lists = ["buildsOf", "previewsOf", "repositoryRuns", "testsOf", "ciRunsOf", "trustsOf"]
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
  shareLink: { put: insertLink, remove: removeLink, list: under("shareLinksOf") },
  trust: {
    put: putTrust,
    remove: (tx, { issuer, repositoryId }) => removeTrust(tx, repositoryId, digest(issuer)),
    lists: byRepository("trustsOf"),
    idOf: behind
  },
  session: { put: insertSession, remove: removeSession },
  auditEntry: { put: recordEntry, remove: (tx, { id }) => removeEntry(tx, id), list: under("auditOf") },
  removal: { put: putRemoval },
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
  return value === undefined ? undefined : decode({ key, value })
}

/** The account of a record. */
export const accountOfRecord = (kind: Kind, value: object): unknown =>
  (descriptions[kind].account ?? "accountId")
    .split(".")
    .reduce<unknown>((one, field) => new Map<string, unknown>(Object.entries(Object(one))).get(field), value)
