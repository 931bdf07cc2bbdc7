import { DateTime, Option } from "effect"
import type { Quarantine } from "../../core/model/Quarantine.ts"
import type { TestId } from "../../core/model/TestHistory.ts"
import { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import { post } from "./outbox.ts"
import { linkedById, linkedRepository } from "./repositories.ts"
import { below, keyOf, quarantines, repositories, take, timeKey, walk } from "./tables.ts"

/** The keys under which lists find a quarantine. */
const listsOf = ({ accountId, createdAt, expiredAt, expiresAt, repositoryId, testId }: Quarantine) => [
  keyOf("quarantinesOfAccount", accountId, testId),
  keyOf("quarantinesOf", repositoryId, timeKey(createdAt), testId),
  ...(expiredAt === undefined ? [keyOf("quarantinesDue", timeKey(expiresAt), testId)] : [])
]

export const removeQuarantine = async (tx: Transaction, quarantine: Quarantine): Promise<void> => {
  for (const key of listsOf(quarantine)) await tx.remove(key)
  await quarantines.remove(tx, quarantine.testId)
}

export const putQuarantine = async (tx: Transaction, quarantine: Quarantine): Promise<void> => {
  const before = await quarantines.find(tx, quarantine.testId)
  if (before !== undefined) await removeQuarantine(tx, before)
  await quarantines.put(tx, quarantine, quarantine.testId)
  for (const key of listsOf(quarantine)) await tx.set(key, quarantine.testId)
}

/** The quarantine of a test, if the account has it. */
const quarantineOf = async (tx: Transaction, account: string, testId: TestId): Promise<Quarantine | undefined> => {
  const quarantine = await quarantines.find(tx, testId)
  return quarantine?.accountId === account ? quarantine : undefined
}

export const quarantineStore = (run: Run) =>
  QuarantineStore.of({
    put: (quarantine) => run((tx) => putQuarantine(tx, quarantine)),
    remove: (account, testId) =>
      run(async (tx) => {
        const quarantine = await quarantineOf(tx, account, testId)
        if (quarantine !== undefined) await removeQuarantine(tx, quarantine)
        return Option.fromUndefinedOr(quarantine)
      }),
    find: (account, testId) =>
      run(async (tx) => {
        const quarantine = await quarantineOf(tx, account, testId)
        const repository = quarantine && (await linkedById(tx, quarantine.repositoryId))
        return Option.fromUndefinedOr(quarantine && repository && { quarantine, repository })
      }),
    list: ({ account, after, limit, repository: key }) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return Option.none()
        const { from, to } = below("quarantinesOf", repository.id)
        const before = after && keyOf("quarantinesOf", repository.id, timeKey(after.createdAt), after.testId)
        const page = await take(limit, walk(tx, { from, to: before ?? to, reverse: true }), ({ value }) =>
          quarantines.find(tx, value)
        )
        return Option.some(page)
      }),
    due: ({ limit, until }) =>
      run(async (tx) => {
        const { from } = below("quarantinesDue")
        const { to } = below("quarantinesDue", timeKey(until))
        return take(limit, walk(tx, { from, to, reverse: false }), async ({ value }) => {
          const quarantine = await quarantines.find(tx, value)
          const repository = quarantine && (await repositories.find(tx, quarantine.repositoryId))
          return quarantine && repository && { quarantine, repository }
        })
      }),
    expire: ({ at, event, quarantine: { expiresAt, testId } }) =>
      run(async (tx) => {
        const stored = await quarantines.find(tx, testId)
        if (stored === undefined || stored.expiredAt !== undefined) return false
        if (!DateTime.Equivalence(stored.expiresAt, expiresAt)) return false
        await putQuarantine(tx, { ...stored, expiredAt: at })
        await post(tx, event)
        return true
      })
  })
