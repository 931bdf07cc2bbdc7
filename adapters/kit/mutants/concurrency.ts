/** Of many calls at once, each counts, and no two get the same. */
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { AccountStore, NameTaken } from "../../../core/ports/AccountStore.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { Conflict } from "../../../core/ports/WriteFailure.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore, type ReservationWithKey } from "../../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { isLive } from "../../../core/rules/credentials.ts"
import { keyOf } from "../parts/buildPorts.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

const nameOf = (repository: Repository): string => JSON.stringify(keyOf(repository))

/** Takes otherwise than was asked. */
const taking = (alter: (store: RateStore["Service"]) => RateStore["Service"]["consume"]) =>
  altered(RateStore, (store) => ({ consume: alter(store) }))

const decompressed = (found: Option.Option<ReservationWithKey>): number =>
  Option.getOrUndefined(found)?.reservation.decompressedBytes ?? 0

/** Looks for what is due, and takes it a moment later. */
const takingInSteps = (store: RemovalStore["Service"]): RemovalStore["Service"]["claim"] =>
  Effect.fnUntraced(function* ({ limit, now, until }) {
    const due = (yield* store.list({ limit: 1000 })).filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
    yield* Effect.yieldNow
    const taken = due.slice(0, limit)
    yield* store.postpone(
      taken.map(({ id }) => id),
      until
    )
    return taken.map((one) => ({ ...one, dueAt: until }))
  })

/** Adds attempts to a log that is read as a whole and written as a whole. */
const losesOfTwo = (store: WebhookStore["Service"]): Partial<WebhookStore["Service"]> => {
  let isWriting = false
  return {
    log: Effect.fnUntraced(function* (attempt) {
      if (isWriting) return
      isWriting = true
      yield* Effect.yieldNow
      yield* store.log(attempt)
      isWriting = false
    })
  }
}

const mutated = (alter: (store: SessionStore["Service"]) => Partial<SessionStore["Service"]>) =>
  altered(SessionStore, alter)

export const concurrencyMutants: MetadataFaults = {
  "AccountStore > exactly one of many concurrent inserts of one name succeeds": {
    "stores one name twice when two ask at once": altered(AccountStore, (store) => {
      const second: Array<Account> = []
      return {
        insert: Effect.fnUntraced(function* (account) {
          if (Option.isSome(yield* store.findByName(account.name))) return yield* new NameTaken()
          yield* Effect.yieldNow
          yield* Effect.catchTag(store.insert(account), "NameTaken", () => Effect.sync(() => void second.push(account)))
        }),
        list: Effect.map(store.list, (all) => [...all, ...second])
      }
    })
  },
  "KeyStore > of a rotation of a key by many at once, exactly one is made, and the others leave nothing": {
    "lets two rotate one key at once": altered(KeyStore, (store) => ({
      rotate: Effect.fnUntraced(function* (change) {
        const old = yield* store.findById(change.old)
        if (Option.isNone(old) || !isLive(old.value.key, change.now)) return false
        yield* Effect.yieldNow
        if (!(yield* store.rotate(change))) yield* store.insert(change.replacement)
        return true
      })
    }))
  },
  "RepositoryStore > exactly one of two accounts that link a repository at the same time succeeds": {
    "lets two accounts link one repository at once": altered(RepositoryStore, (store) => {
      const asked = new Map<string, number>()
      return {
        link: Effect.fnUntraced(function* (repository) {
          const name = nameOf(repository)
          asked.set(name, (asked.get(name) ?? 0) + 1)
          yield* Effect.yieldNow
          const isAlone = asked.get(name) === 1
          const linked = yield* Effect.result(store.link(repository)).pipe(
            Effect.ensuring(Effect.sync(() => asked.set(name, (asked.get(name) ?? 1) - 1)))
          )
          if (linked._tag === "Success") return linked.success
          return isAlone ? yield* linked.failure : repository
        })
      }
    })
  },
  "RateStore > many requests at once are all counted": {
    "reads first and writes later": taking(() => {
      const ends = new Map<string, number>()
      return ({ bucket, cost, now, capacity }) =>
        Effect.gen(function* () {
          const end = Math.max(ends.get(bucket) ?? now, now) + cost
          yield* Effect.yieldNow
          if (end <= now + capacity) ends.set(bucket, end)
          return end
        })
    })
  },
  "ReservationStore > no concurrent addition is lost": {
    "loses concurrent additions": altered(ReservationStore, (store) => ({
      addDecompressed: Effect.fnUntraced(function* (id, bytes) {
        const sum = decompressed(yield* store.findForPut(id))
        yield* Effect.yieldNow
        yield* store.addDecompressed(id, sum + bytes - decompressed(yield* store.findForPut(id)))
      })
    }))
  },
  "RemovalStore > many claims at once get every removal, and no two get the same one": {
    "expires what another expires at that moment": altered(RemovalStore, (store) => ({ claim: takingInSteps(store) }))
  },
  "Outbox > many claims at once get every event, and no two get the same one": {
    "gives an event to two who claim at once": altered(Outbox, (store) => ({
      claim: Effect.fnUntraced(function* (request) {
        const seen = yield* store.claim({ ...request, until: request.now })
        yield* Effect.yieldNow
        yield* store.claim(request)
        return seen
      })
    }))
  },
  "TrustStore > of the exchange of a token for a key by many at once, exactly one is made, and the others leave nothing":
    {
      "looks first whether a token was used, and writes it down later": altered(TrustStore, (store) => {
        const used = new Set<string>()
        return {
          exchange: (change) =>
            Effect.gen(function* () {
              if (used.has(change.tokenHash)) return false
              yield* Effect.yieldNow
              used.add(change.tokenHash)
              return yield* store.exchange({ ...change, tokenHash: change.key.hash })
            })
        }
      })
    },
  "WebhookStore > many attempts that are logged at once are all stored": {
    "loses attempts that are logged at once": altered(WebhookStore, losesOfTwo)
  },
  "ShareLinkStore > many concurrent revocations all answer the one that is stored": {
    "lets two revoke one link at once": altered(ShareLinkStore, (store) => ({
      revoke: Effect.fnUntraced(function* (account, id, at) {
        const found = Option.filter(yield* store.find(id), ({ accountId }) => accountId === account)
        if (Option.isNone(found) || found.value.revokedAt !== undefined) return found
        yield* Effect.yieldNow
        const revoked = { ...found.value, revokedAt: at }
        yield* store.insert(revoked)
        return Option.some(revoked)
      })
    }))
  },
  "SessionStore > many sessions that begin at once and replace the same one are all stored, and the replaced one has ended":
    {
      "stores only one of the sessions that replace the same one": mutated(({ begin }) => {
        const replaced = new Set<string>()
        return {
          begin: Effect.fnUntraced(function* (change) {
            const isFirst = change.replaces === undefined || !replaced.has(change.replaces)
            if (change.replaces !== undefined && change.replaces !== "unknown") replaced.add(change.replaces)
            if (isFirst) yield* begin(change)
          })
        }
      })
    },
  "Deletion > of a deletion, a finalize and a reserve from one version at once, exactly one is committed": {
    "compares the version of a deletion a moment before it deletes": altered(BuildStore, (store) => ({
      commitDelete: Effect.fnUntraced(function* ({ build, removals }) {
        const load = Effect.map(store.loadForDelete(build.accountId, build.id), Option.getOrUndefined)
        if ((yield* load)?.build.version !== build.version) return yield* new Conflict()
        yield* Effect.yieldNow
        yield* store.commitDelete({ build: (yield* load)?.build ?? build, removals })
      })
    }))
  }
}
