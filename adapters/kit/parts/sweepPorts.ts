import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { ObjectKey } from "../../../core/model/HostedObject.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import type { EndedRule, ExpirySelection, RetentionRule } from "../../../core/model/Sweep.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import { onFinalize, onPreviewFinalize } from "../../../core/rules/builds.ts"
import { newBuild, reserveAgain, type Home } from "./buildPorts.ts"
import { instant, makeHosted, makeRemoval } from "./samples.ts"
import { newPreview as newReserved } from "./stored.ts"

export type Reserved = Effect.Success<ReturnType<typeof newBuild>>

export const finalize = Effect.fnUntraced(function* ({ build, reservation }: Reserved, at: number) {
  const hostedPrefix = `hosted/${reservation.id}/a/`
  const next = onFinalize(build, reservation, { now: instant(at), hostedPrefix })
  const hosted = makeHosted({ id: reservation.accountId }, { objectKey: ObjectKey.make(`${hostedPrefix}bundle`) })
  yield* (yield* BuildStore).commitFinalize({ ...next, hosted: [hosted] })
  return { ...next, hosted }
})

export const reserve = Effect.fnUntraced(function* (home: Home, before: Reserved["build"], end: number) {
  const change = reserveAgain(home, before, { expiresAt: instant(end) })
  yield* (yield* BuildStore).commitReserve(change)
  return change
})

export const newPreview = Effect.fnUntraced(function* (account: Account, end: number, readyAt?: number) {
  const preview = yield* newReserved(account, { expiresAt: instant(end) })
  if (readyAt === undefined) return preview
  const ready = onPreviewFinalize(preview, { now: instant(readyAt), hostedPrefix: `hosted/${preview.id}/a/` })
  yield* (yield* PreviewStore).commitFinalize({ preview: ready, billed: true })
  return ready
})

/** Everything that goes by a selection, page by page. */
export const dueBy = Effect.fnUntraced(function* (selection: ExpirySelection, limit = 100) {
  const store = yield* SweepStore
  const found = []
  let after: string | undefined
  do {
    const page = yield* store.due(selection, { after, limit })
    found.push(...page.due)
    after = page.next
  } while (after !== undefined)
  return found
})

/** Expires everything that is due by a selection, with a removal for each upload; answers how many resources were expired. */
export const expireBy = Effect.fnUntraced(function* (selection: ExpirySelection) {
  const due = yield* dueBy(selection)
  const resources = due.map(({ id, reservations }) => ({
    id,
    removals: reservations.map(({ accountId, id }) => ({ ...makeRemoval({ id: accountId }), prefix: `hosted/${id}/` }))
  }))
  return (yield* (yield* SweepStore).expire(selection, resources)).length
})

export const removedPrefixes = Effect.map(
  RemovalStore.use((store) => store.list({ limit: 1000 })),
  (all) => all.map(({ prefix }) => prefix).toSorted()
)

export const ended = (rule: EndedRule, until: number): ExpirySelection => ({ rule, until: instant(until) })
export const aged = (rule: Exclude<RetentionRule, "builds">, account: Account, until: number): ExpirySelection => ({
  rule,
  account: account.id,
  until: instant(until)
})

export const findBuild = ({ build }: Pick<Reserved, "build">) =>
  BuildStore.use((store) => store.findById(build.accountId, build.id))
export const isThere = ({ build }: Pick<Reserved, "build">) => Effect.map(findBuild({ build }), Option.isSome)
export const isPreviewThere = (preview: Preview) =>
  Effect.map(
    PreviewStore.use((store) => store.findByShareId(preview.accountId, preview.shareId)),
    Option.isSome
  )

/** Asserts that nothing expires a millisecond before `at`, and `count` resources at that instant, once. */
export const assertExpired = Effect.fnUntraced(function* (
  selection: (until: number) => ExpirySelection,
  at: number,
  count: number
) {
  assert.deepStrictEqual(yield* dueBy(selection(at - 1)), [], "before its end")
  assert.strictEqual(yield* expireBy(selection(at - 1)), 0)
  assert.lengthOf(yield* dueBy(selection(at)), count)
  assert.strictEqual(yield* expireBy(selection(at)), count)
  assert.deepStrictEqual(yield* dueBy(selection(at)), [], "what has expired")
})
