/** A host that kills itself with SIGKILL just before or just after it commits something. */
import { Effect } from "effect"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { altering, both, type Alter } from "./planted.ts"

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
