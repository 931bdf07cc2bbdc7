import { Cause, Context, DateTime, Effect, Layer, Option, Stream } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { BuildReservation } from "../../../core/model/Build.ts"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { AccountStore, NameTaken } from "../../../core/ports/AccountStore.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { MetadataSource, MetadataTarget } from "../../../core/ports/MetadataSnapshot.ts"
import { type ClaimId, Outbox } from "../../../core/ports/Outbox.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { ObjectDeletionStore } from "../../../core/ports/ObjectDeletionStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore, type ReservationWithKey } from "../../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { Conflict } from "../../../core/ports/WriteFailure.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { isLive } from "../../../core/rules/credentials.ts"
import { layerMetadata } from "../../memory/index.ts"
import { layerBoth, layerEmptyMetadata, layerFile } from "../../sqlite/testing/newFile.ts"
import type { SnapshotPorts } from "../metadataSnapshot.ts"
import { keyOf } from "../parts/stored.ts"
import { FailingEngine } from "../parts/commits.ts"
import { makeAccount, makeKey } from "../parts/samples.ts"
import type { Adapter } from "../parts/suite.ts"

/** The metadata in memory of the running case, which its two hosts share. */
class SharedMemory extends Context.Service<SharedMemory, { current: Context.Context<MetadataPorts> | undefined }>()(
  "slipway/adapters/kit/mutants/SharedMemory"
) {}

/** Two hosts on the metadata in memory, each with what `host` makes of it. */
export const twoHosts = (
  host: (memory: Context.Context<MetadataPorts>) => Context.Context<MetadataPorts> = (memory) => memory
): Adapter<MetadataPorts, SharedMemory> => ({
  shared: Layer.sync(SharedMemory, () => ({ current: undefined })),
  each: Layer.flatMap(layerMetadata, (memory) =>
    Layer.effectContext(
      SharedMemory.useSync((shared) => {
        shared.current = memory
        return host(memory)
      })
    )
  ),
  another: Layer.effectContext(
    SharedMemory.use(({ current }) =>
      current === undefined ? Effect.die("No case is running.") : Effect.succeed(host(current))
    )
  )
})

/** Two hosts, each of which keeps what some calls of a port have found. */
const caching = <I extends MetadataPorts, S>(
  port: Context.Key<I, S>,
  alter: (store: S, cached: typeof cache) => Partial<S>
) =>
  twoHosts((memory) => {
    const store = Context.get(memory, port)
    return Context.add(memory, port, { ...store, ...alter(store, cache) })
  })

/** The same call, which answers what it found before for the same arguments. */
const cache = <Args extends ReadonlyArray<unknown>, A, E>(
  find: (...args: Args) => Effect.Effect<Option.Option<A>, E>
): typeof find => {
  const found = new Map<string, Option.Option<A>>()
  return (...args) =>
    Effect.suspend(() => {
      const key = JSON.stringify(args)
      const before = found.get(key)
      if (before !== undefined) return Effect.succeed(before)
      return Effect.tap(find(...args), (now) => Effect.sync(() => Option.isSome(now) && found.set(key, now)))
    })
}

/** How many statements the engine still runs before it fails. It never fails while there is none. */
const Countdown = Context.Reference<{ left: number } | undefined>("slipway/adapters/kit/mutants/Countdown", {
  defaultValue: () => undefined
})

/** A statement of its own between two steps of a commit, at which the engine can fail. */
export const statement = Effect.flatMap(Countdown, (countdown) =>
  Effect.suspend(() => {
    if (countdown === undefined) return Effect.void
    countdown.left -= 1
    return countdown.left < 0 ? Effect.die("The engine failed.") : Effect.void
  })
)

/** For adapters whose commits are made of such statements. */
const layerFailingEngine = Layer.succeed(FailingEngine, (nth, commit) =>
  Effect.suspend(() => {
    const countdown = { left: nth }
    return Effect.as(Effect.exit(Effect.provideService(commit, Countdown, countdown)), countdown)
  }).pipe(Effect.map(({ left }) => left < 0))
)

/** An adapter with exactly one fault. `S` is what its hosts share. */
export interface Mutant<R, S = never> {
  readonly fault: string
  /** The sections and the name of the case that has to fail. */
  readonly caughtBy: string
  /** A part of that case's failure message, for a fault that the case finds only when it ends. */
  readonly saying?: string
  readonly adapter: Adapter<R, S>
}

/** For each case of a suite the faults that it has to catch, each with an adapter that has it. */
export type FaultsByCase<R, S = never> = Readonly<Record<string, Readonly<Record<string, Adapter<R, S>>>>>

type MetadataFaults = FaultsByCase<MetadataPorts, SharedMemory>

/** The mutants of such a table. `section` stands before the name of each case. */
export const toMutants = <R, S>(section: string, table: FaultsByCase<R, S>): ReadonlyArray<Mutant<R, S>> =>
  Object.entries(table).flatMap(([name, faults]) =>
    Object.entries(faults).map(([fault, adapter]) => ({ fault, caughtBy: section + name, adapter }))
  )

/** The environment variable that puts SQLite in the place of memory below the mutants. */
export const engineVariable = "SLIPWAY_MUTANTS_ON"

/** What the mutants are made of. */
const layerSound =
  process.env[engineVariable] === "SQLite"
    ? Layer.orDie(Layer.fresh(Layer.provide(layerEmptyMetadata, layerFile)))
    : Layer.merge(layerMetadata, layerFailingEngine)

/** The metadata of a sound adapter, some members of one port altered. */
export const altered = <I extends MetadataPorts, S>(
  port: Context.Key<I, S>,
  alter: (store: S) => Partial<S>
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerSound, (sound) => {
    const store = Context.get(sound, port)
    return Layer.succeedContext(Context.add(sound, port, { ...store, ...alter(store) }))
  })

/** The metadata of a sound adapter, some members of two ports altered. */
const bothAltered = <I extends MetadataPorts, S, J extends MetadataPorts, T>(
  one: Context.Key<I, S>,
  other: Context.Key<J, T>,
  alter: (one: S, other: T) => readonly [Partial<S>, Partial<T>]
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerSound, (sound) => {
    const [first, second] = [Context.get(sound, one), Context.get(sound, other)]
    const [firstNow, secondNow] = alter(first, second)
    return Layer.succeedContext(
      sound.pipe(Context.add(one, { ...first, ...firstNow }), Context.add(other, { ...second, ...secondNow }))
    )
  })

// A commit that is interrupted, or during which the engine fails, is stored whole or not at all.

/** Finds the reservations of these tokens as they are here. */
const findingAs =
  (
    store: BuildStore["Service"],
    reservations: ReadonlyMap<string, BuildReservation>
  ): BuildStore["Service"]["findByToken"] =>
  (token) =>
    Effect.map(
      store.findByToken(token),
      Option.map((found) => ({ ...found, reservation: reservations.get(token) ?? found.reservation }))
    )

/** Finalizes a build and then, in another transaction, its reservation. */
const finalizingInSteps = altered(BuildStore, (store) => {
  const before = new Map<string, BuildReservation>()
  return {
    commitFinalize: Effect.fnUntraced(function* (change) {
      const { tokenHash } = change.reservation
      const stored = yield* store.findByToken(tokenHash)
      yield* store.commitFinalize(change)
      if (Option.isSome(stored)) before.set(tokenHash, stored.value.reservation)
      yield* statement
      before.delete(tokenHash)
    }),
    findByToken: findingAs(store, before)
  }
})

/** Rotates in two steps. */
const rotatingInSteps = altered(KeyStore, (store) => ({
  rotate: Effect.fnUntraced(function* (change) {
    const old = yield* store.findById(change.old)
    if (Option.isNone(old) || !isLive(old.value.key, change.now)) return false
    yield* store.insert(change.replacement)
    yield* Effect.yieldNow
    return yield* store.rotate(change)
  })
}))

/** Reserves a preview and then keeps the answer. */
const keepingLater = bothAltered(PreviewStore, IdempotencyStore, (previews, answers) => {
  const coming = new Set<string>()
  return [
    {
      commitReserve: Effect.fnUntraced(function* (change) {
        yield* previews.commitReserve(change)
        const keyHash = change.once?.answer.keyHash ?? ""
        coming.add(keyHash)
        yield* Effect.yieldNow
        coming.delete(keyHash)
      })
    },
    {
      find: (account, keyHash, now) => (coming.has(keyHash) ? Effect.succeedNone : answers.find(account, keyHash, now))
    }
  ]
})

/** Deletes a build and then stores its removals. */
const removingLater = bothAltered(BuildStore, ObjectDeletionStore, (builds, removals) => {
  const hidden = new Set<string>()
  return [
    {
      commitDelete: Effect.fnUntraced(function* (change) {
        for (const { id } of change.removals) hidden.add(id)
        yield* builds.commitDelete(change)
        yield* Effect.yieldNow
        for (const { id } of change.removals) hidden.delete(id)
      })
    },
    { list: (query) => Effect.map(removals.list(query), (all) => all.filter(({ id }) => !hidden.has(id))) }
  ]
})

const atomicityMutants: MetadataFaults = {
  "BuildStore > commits > a finalize of a build during which the engine fails is stored whole or not at all": {
    "finalizes without a transaction": finalizingInSteps
  },
  "KeyStore > a rotation of a key that is interrupted at any moment is stored whole or not at all": {
    "rotates in two steps": rotatingInSteps
  },
  "SessionStore > a session whose beginning is interrupted has replaced the other one or doesn't exist": {
    "begins a session in two steps": altered(SessionStore, ({ begin, removeByHash }) => ({
      begin: Effect.fnUntraced(function* ({ replaces, ...change }) {
        if (replaces !== undefined) yield* removeByHash(replaces)
        yield* Effect.yieldNow
        yield* begin(change)
      })
    }))
  },
  "IdempotencyStore > the reserve of a preview > is committed with its answer or not at all when it is interrupted at any moment":
    {
      "keeps an answer a moment after its commit": keepingLater
    },
  "Outbox > the insert of a key that is interrupted at any moment stores its event, or neither": {
    "stores the event of a key after the key's commit": altered(KeyStore, (store) => ({
      insert: (key, event) =>
        store.insert(key).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(store.insert(key, event)))
    }))
  },
  "Deletion > an interrupted deletion of a build is committed whole or not at all": {
    "stores the removals of a build when it is deleted": removingLater
  }
}

// Of many calls at once, each counts, and no two get the same.

const nameOf = (repository: Repository): string => JSON.stringify(keyOf(repository))

/** Takes otherwise than was asked. */
const taking = (alter: (store: RateStore["Service"]) => RateStore["Service"]["consume"]) =>
  altered(RateStore, (store) => ({ consume: alter(store) }))

const decompressed = (found: Option.Option<ReservationWithKey>): number =>
  Option.getOrUndefined(found)?.reservation.decompressedBytes ?? 0

/** Looks for what is due, and takes it a moment later. */
const takingInSteps = (store: ObjectDeletionStore["Service"]): ObjectDeletionStore["Service"]["claim"] =>
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

const concurrencyMutants: MetadataFaults = {
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
  "ObjectDeletionStore > many claims at once get every removal, and no two get the same one": {
    "expires what another expires at that moment": altered(ObjectDeletionStore, (store) => ({
      claim: takingInSteps(store)
    }))
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

// What one host does counts on another.

const hostMutants: MetadataFaults = {
  "KeyStore > a key that one host revokes or rotates is found so by another that has found it before": {
    "caches keys by their hashes": caching(KeyStore, ({ findByHash }, cached) => ({ findByHash: cached(findByHash) }))
  },
  "RateStore > hosts share what is consumed": {
    "counts on each host for itself": twoHosts((memory) => {
      let taken = 0
      const store = Context.get(memory, RateStore)
      const consume: typeof store.consume = ({ cost, now }) => Effect.sync(() => now + (taken += cost))
      return Context.add(memory, RateStore, { ...store, consume })
    })
  },
  "TrustStore > a secret that one host used counts no more on another": {
    "remembers used secrets on each host for itself": twoHosts((memory) => {
      const store = Context.get(memory, TrustStore)
      const used = new Set<string>()
      return Context.add(memory, TrustStore, {
        ...store,
        use: ({ tokenHash }) => Effect.sync(() => used.size < used.add(tokenHash).size)
      })
    })
  }
}

// A commit that is refused changes nothing, and one from another version is refused.

/** Stores the event by itself, with a key that nobody asked for. */
const postAlone = (keys: KeyStore["Service"], event: SlipwayEvent | undefined) =>
  keys.insert(makeKey(makeAccount()), event)

/** Stores the event of a finalize that was refused. */
const publishesRefused = bothAltered(BuildStore, KeyStore, (builds, keys) => [
  {
    commitFinalize: (change) =>
      Effect.tapErrorTag(builds.commitFinalize(change), "Conflict", () => postAlone(keys, change.event))
  },
  {}
])

/** Finalizes builds as if they shared nothing. */
const sharingNothing = altered(BuildStore, (store) => ({
  commitFinalize: ({ reservation: { stored, ...reservation }, ...change }) =>
    store.commitFinalize({
      ...change,
      reservation: stored === undefined ? reservation : { ...reservation, stored: { ...stored, shared: {} } }
    })
}))

const refusalMutants: MetadataFaults = {
  "AuditLog > a change whose entry can't be made is undone": {
    "stores the entry in a second commit": altered(AuditLog, (log) => ({
      record: (change, entryOf) =>
        Effect.tap(
          log.record(change, () => undefined),
          (answer) => log.record(Effect.void, () => entryOf(answer))
        )
    }))
  },
  "Outbox > of a finalize of a build by many at once or later, the first alone stores its event": {
    "stores the event of a commit that was refused": publishesRefused
  },
  "Deletion > a finalize that shares what is hosted no longer is a Conflict, and changes nothing": {
    "lets a build share what is deleted": sharingNothing
  }
}

// What a commit to one port changes for another, and what several commits have to do with each other.

/** Takes what is said of an event as said under its last claim. */
const anyClaimCounts = (store: Outbox["Service"]): Partial<Outbox["Service"]> => {
  const last = new Map<string, ClaimId>()
  return {
    claim: (request) =>
      Effect.tap(store.claim(request), (claimed) =>
        Effect.sync(() => claimed.forEach(({ claim, id }) => last.set(id, claim)))
      ),
    done: ({ claim, id }) => store.done({ id, claim: last.get(id) ?? claim })
  }
}

const relationMutants: MetadataFaults = {
  "Outbox > only the last claim of an event counts": {
    "takes the word of a host whose claim is over": altered(Outbox, anyClaimCounts)
  },
  "ErasureStore > an account is not deleted while an upload of it is left": {
    "reports that an account is erased while an upload remains": altered(
      ErasureStore,
      (store: ErasureStore["Service"]) => ({
        eraseStep: (step) =>
          Effect.map(store.eraseStep(step), ({ erased, isOver }) => ({
            erased,
            isOver: isOver || Object.keys(erased).length === 0
          }))
      })
    )
  },
  "SweepStore > one holder has the lease of a job until it ends or the job is done, and finds its checkpoint": {
    "gives the lease to everyone": altered(SweepStore, (store: SweepStore["Service"]) => ({
      acquireLease: (request) => store.acquireLease({ ...request, holder: "everyone" })
    }))
  },
  "SweepStore > a holder that acquires the lease until now releases it, and ends nobody else's": {
    "lets everyone release a lease": altered(SweepStore, (store: SweepStore["Service"]) => ({
      acquireLease: (request) =>
        DateTime.isLessThanOrEqualTo(request.until, request.now)
          ? store.acquireLease({ ...request, latest: request.now })
          : store.acquireLease(request)
    }))
  },
  "SweepStore > a lease that ends after the latest valid time is ignored": {
    "trusts a lease that a clock ahead of time acquired": altered(SweepStore, (store: SweepStore["Service"]) => ({
      acquireLease: (request) => store.acquireLease({ ...request, latest: DateTime.add(request.latest, { years: 50 }) })
    }))
  }
}

/** Adapters of the metadata ports with one fault each, of kinds that no single call shows. `drawn.ts` has the others. */
export const metadataMutants: ReadonlyArray<Mutant<MetadataPorts, SharedMemory>> = [
  atomicityMutants,
  concurrencyMutants,
  refusalMutants,
  hostMutants,
  relationMutants
].flatMap((table) => toMutants("", table))

/** Faults that are none on SQLite: it loses no turn between two calls, and fails at its own statements. */
const hiddenBySqlite = new Set([
  "finalizes without a transaction",
  "loses concurrent additions",
  "compares the version of a deletion a moment before it deletes"
])

/** Those that are found on SQLite too: they alter one sound adapter, where the others are made of two hosts on one memory. */
export const metadataMutantsOnSqlite = metadataMutants.filter(
  ({ adapter, fault }) => Layer.isLayer(adapter) && !hiddenBySqlite.has(fault)
)

/** The ports on SQLite, as memory has none of these two, with one of them altered. */
const alteredSnapshot = <I extends MetadataSource | MetadataTarget, S>(
  port: Context.Key<I, S>,
  alter: (service: S, ports: Context.Context<SnapshotPorts>) => S
): Layer.Layer<SnapshotPorts, unknown> =>
  Layer.flatMap(Layer.fresh(layerBoth), (ports) =>
    Layer.succeedContext(Context.add(ports, port, alter(Context.get(ports, port), ports)))
  )

/** A target that stores what it has got when `fill` ends as `early` says. */
const keepingThePart = (early: (cause: Cause.Cause<unknown>) => boolean) =>
  alteredSnapshot(MetadataTarget, (target) => ({
    ...target,
    fill: (records) => {
      const got: Array<MetadataRecord> = []
      const store = Effect.suspend(() => target.fill(Stream.fromIterable(got)))
      return Stream.runForEach(records, (record) => Effect.sync(() => void got.push(record))).pipe(
        Effect.onError((cause) => (early(cause) ? Effect.orDie(store) : Effect.void)),
        Effect.andThen(store)
      )
    }
  }))

export const snapshotMutants: ReadonlyArray<Mutant<SnapshotPorts>> = [
  {
    fault: "gives what is stored when the stream is run",
    caughtBy: "MetadataSource > a stream gives the same each time it is run, while others write",
    adapter: alteredSnapshot(MetadataSource, (source) => ({
      ...source,
      snapshot: (use) => use(Stream.unwrap(Effect.map(source.snapshot(Stream.runCollect), Stream.fromIterable)))
    }))
  },
  {
    fault: "stores what came before the stream failed",
    caughtBy: "MetadataTarget > nothing is stored when the stream fails, and it can be filled afterwards",
    adapter: keepingThePart(Cause.hasFails)
  }
]
