/** Bugs that a fault run has to find, each planted by a wrapper round one port of a host. */
import { Context, DateTime, Effect } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { ObjectDeletion } from "../../core/model/HostedObject.ts"
import type { ExpirySelection } from "../../core/model/Sweep.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import type { Ports } from "../../core/ports/registry.ts"

/** What a host needs, altered. */
type Alter = (ports: Context.Context<Ports>) => Context.Context<Ports>

/** Some members of one port, altered. */
export const altering =
  <I extends Ports, S>(
    port: Context.Key<I, S>,
    alter: (store: S, ports: Context.Context<Ports>) => Partial<S>
  ): Alter =>
  (ports) => {
    const store = Context.get(ports, port)
    return Context.add(ports, port, { ...store, ...alter(store, ports) })
  }

/** One after the other. */
export const both =
  (one: Alter, other: Alter): Alter =>
  (ports) =>
    other(one(ports))

const evenAlive = (selection: ExpirySelection): ExpirySelection =>
  selection.rule.startsWith("abandoned") && selection.until !== undefined
    ? { ...selection, until: DateTime.add(selection.until, { years: 50 }) }
    : selection

const sweepingTheLiving = altering(SweepStore, (store) => ({
  due: (selection, page) => store.due(evenAlive(selection), page),
  expire: (selection, resources) => store.expire(evenAlive(selection), resources)
}))

const believingItsOwnClock = altering(SweepStore, () => ({ earlierTime: Effect.succeed }))

const removeBytes = (objects: ObjectStore["Service"], removals: ReadonlyArray<ObjectDeletion>) =>
  Effect.forEach(removals, ({ prefix }) =>
    Effect.flatMap(objects.list(prefix), (all) => objects.remove(all.map(({ key }) => key)))
  )

const removingBytesFirst = both(
  altering(BuildStore, (store, ports) => ({
    commitDelete: (change) =>
      Effect.andThen(removeBytes(Context.get(ports, ObjectStore), change.removals), store.commitDelete(change))
  })),
  altering(PreviewStore, (store, ports) => ({
    commitDelete: (change) =>
      Effect.andThen(removeBytes(Context.get(ports, ObjectStore), change.removals), store.commitDelete(change))
  }))
)

const forgettingTheAccount = altering(BuildStore, (store) => {
  const owners = new Map<string, AccountId>()
  return {
    commitReserve: (change) =>
      Effect.tap(store.commitReserve(change), () =>
        Effect.sync(() => owners.set(change.build.id, change.build.accountId))
      ),
    loadForDelete: (account, id) => store.loadForDelete(owners.get(id) ?? account, id)
  }
})

/** Commits some seconds after it has said that it did. */
const later = <E>(commit: Effect.Effect<void, E>) =>
  Effect.asVoid(Effect.forkDetach(Effect.ignore(Effect.delay(commit, "5 seconds"))))

const acknowledgingFirst = both(
  altering(BuildStore, (store) => ({ commitFinalize: (change) => later(store.commitFinalize(change)) })),
  altering(PreviewStore, (store) => ({ commitFinalize: (change) => later(store.commitFinalize(change)) }))
)

/** Answers what lies in staging for what was promoted, so that a verification finds it. */
const skippingThePromotion = altering(ObjectStore, (store) => {
  const skipped = new Map<string, string>()
  const { examine } = store
  const lies = (key: string) => skipped.get(key) ?? key
  return {
    promote: (from, to) => Effect.sync(() => void skipped.set(to, from)),
    list: Effect.fnUntraced(function* (prefix) {
      const found = yield* store.list(prefix)
      const pretended = [...skipped].filter(([to]) => to.startsWith(prefix))
      const staged = yield* Effect.forEach(pretended, ([to, from]) =>
        Effect.map(store.list(from.slice(0, from.lastIndexOf("/") + 1)), (all) =>
          all.filter(({ key }) => key === from).map((object) => ({ ...object, key: to }))
        )
      )
      return [...found, ...staged.flat()]
    }),
    read: (key, range) => store.read(lies(key), range),
    ...(examine === undefined ? {} : { examine: (key: string) => examine(lies(key)) })
  }
})

/** The planted bugs by their names. */
export const planted = {
  "sweep-a-live-reservation": sweepingTheLiving,
  "sweep-by-a-wrong-clock": believingItsOwnClock,
  "delete-bytes-before-the-row": removingBytesFirst,
  "forget-the-account-in-a-deletion": forgettingTheAccount,
  "acknowledge-before-the-commit": acknowledgingFirst,
  "skip-the-promotion": skippingThePromotion
} satisfies Readonly<Record<string, Alter>>

/** The name of a planted bug. */
export type Planted = keyof typeof planted

export const isPlanted = (name: string): name is Planted => Object.hasOwn(planted, name)

// A host that kills itself with SIGKILL just before or just after it commits something.

const die = Effect.sync(() => void process.kill(process.pid, "SIGKILL"))

type Kill = <A, E>(commit: Effect.Effect<A, E>) => Effect.Effect<A, E>
const before: Kill = (commit) => Effect.andThen(die, commit)
const after: Kill = (commit) => Effect.tap(commit, () => die)

const deleting = (kill: Kill): Alter =>
  both(
    altering(BuildStore, (store) => ({ commitDelete: (change) => kill(store.commitDelete(change)) })),
    altering(PreviewStore, (store) => ({ commitDelete: (change) => kill(store.commitDelete(change)) }))
  )

const finalizing = (kill: Kill): Alter =>
  both(
    altering(BuildStore, (store) => ({ commitFinalize: (change) => kill(store.commitFinalize(change)) })),
    altering(PreviewStore, (store) => ({ commitFinalize: (change) => kill(store.commitFinalize(change)) }))
  )

/** The steps at which a host can kill itself. */
export const killing = {
  "before a deletion": deleting(before),
  "after a deletion": deleting(after),
  "before a finalize": finalizing(before),
  "after a finalize": finalizing(after)
} satisfies Readonly<Record<string, Alter>>

/** The name of such a step. */
export type Step = keyof typeof killing

export const isStep = (name: string): name is Step => Object.hasOwn(killing, name)
