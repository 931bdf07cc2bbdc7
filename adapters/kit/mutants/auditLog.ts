import { Effect, Result, Struct } from "effect"
import { AuditEntryId, type AuditEntry } from "../../../core/model/AuditEntry.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { after, idAt } from "../parts/samples.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

/** Stores other entries than it is given. */
const storing = (other: (entry: AuditEntry) => AuditEntry | undefined) =>
  altered(AuditLog, (log) => ({
    record: (change, entryOf) =>
      log.record(change, (answer) => {
        const entry = entryOf(answer)
        return entry && other(entry)
      })
  }))

export const auditLogMutants: MetadataFaults = {
  "an entry is listed with every field unchanged, newest first, and of its account alone": {
    "loses the address": storing(Struct.omit(["address"])),
    "lists what every account did": altered(AuditLog, (log) => ({
      list: ({ before, limit }) => log.list({ before, limit })
    })),
    "lists the entry itself that the list continues after": altered(AuditLog, (log) => ({
      list: ({ before, ...query }) =>
        Effect.map(log.list(query), (all) => all.filter(({ id }) => !before || id <= before))
    }))
  },
  "a change that fails stores nothing and no entry, and answers its failure": {
    "makes the change in a commit of its own": altered(AuditLog, (log) => ({
      record: (change, entryOf) => Effect.tap(change, (answer) => log.record(Effect.void, () => entryOf(answer)))
    }))
  },
  "a change whose entry can't be made is undone": {
    "stores the entry in a second commit": altered(AuditLog, (log) => ({
      record: (change, entryOf) =>
        Effect.tap(
          log.record(change, () => undefined),
          (answer) => log.record(Effect.void, () => entryOf(answer))
        )
    }))
  },
  "a finalize of a preview stores its entry, and one that is refused stores none": {
    "loses the entry of a finalized preview": altered(PreviewStore, (store) => ({
      commitFinalize: (change) => store.commitFinalize(Struct.omit(change, ["entry"]))
    }))
  },
  "the registration of a run stores its entry, and one that is refused stores none": {
    "stores the entry of a run that was refused": bothAltered(TestRunStore, AuditLog, (runs, log) => [
      {
        insert: (change) =>
          Effect.tapErrorTag(runs.insert(change), "Conflict", () => log.record(Effect.void, () => change.entry))
      },
      {}
    ])
  },
  "many changes at once each store their entry, and failed ones store none": {
    "stores an entry of what failed, too": altered(AuditLog, (log) => {
      let last: AuditEntry | undefined
      return {
        record: (change, entryOf) =>
          log
            .record(Effect.result(change), (result) => {
              if (Result.isFailure(result)) return last && { ...last, id: AuditEntryId.make(idAt(1)) }
              return (last = entryOf(result.success))
            })
            .pipe(Effect.flatMap(Effect.fromResult))
      }
    })
  },
  "an entry that one host stores is listed by another that has listed before": {
    "keeps what it has listed": caching(AuditLog, ({ list }) => {
      const found = new Map<string, ReadonlyArray<AuditEntry>>()
      return {
        list: (query) =>
          Effect.suspend(() => {
            const before = found.get(JSON.stringify(query))
            if (before !== undefined) return Effect.succeed(before)
            return Effect.tap(list(query), (now) => Effect.sync(() => void found.set(JSON.stringify(query), now)))
          })
      }
    })
  },
  "the oldest entries before an instant are deleted, within the limit, and no others": {
    "forgets the instant itself": altered(AuditLog, (log) => ({
      expire: ({ before, limit }) => log.expire({ before: after(before, 1), limit })
    }))
  }
}
