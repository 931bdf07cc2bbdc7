import { DateTime, Schema } from "effect"
import { hash } from "node:crypto"
import type { RepositoryKey } from "../../core/model/Repository.ts"
import { recordModels } from "../../core/model/MetadataRecord.ts"
import { PackedResults } from "../../core/ports/packedResults.ts"
import { DeliveryAttempt, SlipwayEvent, Webhook, WebhookId } from "../../core/model/SlipwayEvent.ts"
import { ClaimId } from "../../core/ports/Outbox.ts"
import { maxUnreadable, tooManyUnreadable } from "../../core/rules/pages.ts"
import { decodeIn, orLeftOut, UndecodableRecord, type Entry, type Range, type Transaction } from "./KeyValueStore.ts"

/** A key of several parts. Keys with the same first parts lie beside each other. */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.map(encodeURIComponent).join("/")

/** The parts of a key. */
export const partsOf = (key: string): ReadonlyArray<string> => key.split("/").map(decodeURIComponent)

/** The bounds of all keys that begin with these parts and have more. */
export const below = (...parts: ReadonlyArray<string>): { readonly from: string; readonly to: string } => {
  const start = keyOf(...parts)
  // "0" is the character after "/".
  return { from: `${start}/`, to: `${start}0` }
}

/** What stands in a key for a text that people chose, so that no key is longer than an engine takes. */
export const digest = (text: string): string => hash("sha256", text)

export const repositoryDigest = ({ owner, repo }: RepositoryKey): string => digest(`${owner}/${repo}`)

// The earliest time that a Date can hold, so that no number is negative.
const earliest = -8_640_000_000_000_000

/** Times in keys: their order as texts is that of time. Parts of a millisecond are left out, as they are in values. */
export const timeKey = (time: DateTime.Utc): string =>
  String(Math.trunc(DateTime.toEpochMillis(time)) - earliest).padStart(17, "0")

// Stored values aren't checked again, because the limits may have changed since they were stored.
const options = { disableChecks: true }

/** Records of one kind, kept as JSON, each under the parts of its key. */
const table = <A>(name: string, model: Schema.Codec<A, unknown>) => {
  const codec = Schema.fromJsonString(model)
  const decodeText = Schema.decodeUnknownSync(codec, options)
  const decode = (text: string, key: string): A => {
    try {
      return decodeText(text)
    } catch (cause) {
      throw new UndecodableRecord(`the value of ${key} can't be read: ${String(cause)}`, { cause })
    }
  }
  const encode = Schema.encodeSync(codec, options)
  return {
    decode,
    find: async (tx: Transaction, ...id: ReadonlyArray<string>): Promise<A | undefined> => {
      const key = keyOf(name, ...id)
      const value = await tx.get(key)
      return value === undefined ? undefined : decodeIn(tx, () => decode(value, key))
    },
    put: (tx: Transaction, value: A, ...id: ReadonlyArray<string>): Promise<void> =>
      tx.set(keyOf(name, ...id), encode(value)),
    remove: (tx: Transaction, ...id: ReadonlyArray<string>): Promise<void> => tx.remove(keyOf(name, ...id))
  }
}

type Table<A> = ReturnType<typeof table<A>>

/** An undelivered event; `position` orders the events with the same ordering key. */
const Posted = Schema.Struct({
  event: SlipwayEvent,
  webhook: Schema.optionalKey(WebhookId),
  attempts: Schema.Int,
  dueAt: Schema.DateTimeUtcFromString,
  position: Schema.DateTimeUtcFromString,
  claim: Schema.optionalKey(ClaimId),
  died: Schema.optionalKey(Schema.Struct({ deadAt: Schema.DateTimeUtcFromString, reason: Schema.String }))
})
export type Posted = typeof Posted.Type

/** A history as it is stored. */
const StoredHistory = Schema.Struct({ ...recordModels.testHistory.fields, results: PackedResults })

type Models = Omit<typeof recordModels, "testHistory"> & {
  readonly testHistory: typeof StoredHistory
  readonly event: typeof Posted
  readonly webhook: typeof Webhook
}
const models: Models = { ...recordModels, testHistory: StoredHistory, event: Posted, webhook: Webhook }

/** The table of each kind of record. */
export const tables = Object.fromEntries(
  Object.entries<Schema.Codec<unknown>>(models).map(([kind, model]) => [kind, table(kind, model)])
) as { readonly [Kind in keyof Models]: Table<Models[Kind]["Type"]> }

export const {
  account: accounts,
  answer: answers,
  auditEntry: auditEntries,
  build: builds,
  ciRun: ciRuns,
  event: events,
  hostedObject: hostedObjects,
  key: apiKeys,
  preview: previews,
  quarantine: quarantines,
  quotas,
  removal: removals,
  repository: repositories,
  reservation: reservations,
  retention: retentions,
  run: runs,
  session: sessions,
  shareLink: shareLinks,
  testHistory: testHistories,
  trust: trusts,
  webhook: webhooks
} = tables

export const attempts = table("attempt", DeliveryAttempt)

/** An upload that isn't finalized, under its account and its end. */
const OpenUpload = Schema.Struct({
  expiresAt: Schema.DateTimeUtcFromString,
  bytes: Schema.Finite,
  previews: Schema.Finite
})

export const openUploads = table("open", OpenUpload)

/** How many uploads of an account aren't finalized and end after a time, as `timeKey` writes it, and what they declare. */
const OpenAmounts = Schema.Struct({
  asOf: Schema.String,
  reservations: Schema.Finite,
  bytes: Schema.Finite,
  previews: Schema.Finite
})
export type OpenAmounts = typeof OpenAmounts.Type

export const openAmounts = table("openAmounts", OpenAmounts)

/** Who has the lease of a job, its cursor, and when it was done. */
const JobCheckpoint = Schema.Struct({
  held: Schema.optionalKey(Schema.Struct({ by: Schema.String, until: Schema.DateTimeUtcFromString })),
  cursor: Schema.optionalKey(Schema.String),
  doneAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})

export const jobCheckpoints = table("jobCheckpoint", JobCheckpoint)

const page = 100

/** Every entry of a range, fetched a page at a time. */
export async function* walk(tx: Transaction, range: Omit<Range, "limit">): AsyncGenerator<Entry> {
  let { from, to } = range
  for (;;) {
    const entries = await tx.list({ ...range, from, to, limit: page })
    yield* entries
    const last = entries.length < page ? undefined : entries.at(-1)
    if (last === undefined) return
    if (range.reverse) to = last.key
    else from = `${last.key}\0`
  }
}

/** As {@link takeAll}, also without those with a record that can't be decoded, up to `maxUnreadable` of them. */
export const take: typeof takeAll = (limit, entries, find, isLast) => {
  let unreadable = 0
  return takeAll(
    limit,
    entries,
    (entry) =>
      orLeftOut(
        () => find(entry),
        () => {
          unreadable += 1
          if (unreadable > maxUnreadable) throw new UndecodableRecord(tooManyUnreadable)
        }
      ),
    isLast
  )
}

/** The first `limit` of what `entries` give by `find`, without those for which it gives nothing. */
export const takeAll = async <A>(
  limit: number,
  entries: AsyncIterable<Entry>,
  find: (entry: Entry) => Promise<A | undefined>,
  isLast: (value: A) => boolean = () => false
): Promise<ReadonlyArray<A>> => {
  const values: Array<A> = []
  if (limit <= 0) return values
  for await (const entry of entries) {
    const value = await find(entry)
    if (value !== undefined && (values.push(value) >= limit || isLast(value))) break
  }
  return values
}
