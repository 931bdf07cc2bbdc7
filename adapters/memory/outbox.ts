import { DateTime, Effect } from "effect"
import type { EventId, SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import type { Claim, ClaimId } from "../../core/ports/Outbox.ts"
import { thingOf } from "../../core/rules/events.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

/** An undelivered event. */
export interface Posted {
  readonly event: SlipwayEvent
  readonly attempts: number
  readonly dueAt: DateTime.Utc
  readonly claim?: ClaimId
  readonly died?: { readonly deadAt: DateTime.Utc; readonly reason: string }
}

/** Stores the event of the change that is being committed. */
export const post = (state: State, event: SlipwayEvent | undefined): void => {
  if (event !== undefined) state.outbox.set(event.id, { event, attempts: 0, dueAt: event.timestamp })
}

/** The first undelivered event of each thing. */
const firsts = (state: State): ReadonlyArray<Posted> => {
  const things = new Map<string, Posted>()
  for (const posted of state.outbox.values()) {
    const thing = thingOf(posted.event)
    if (posted.died === undefined && !things.has(thing)) things.set(thing, posted)
  }
  return [...things.values()]
}

export const outbox = (state: State) => {
  const set = (posted: Posted): void => void state.outbox.set(posted.event.id, posted)

  /** Changes an event if the claim is its last one. */
  const claimed = ({ claim, event }: Claim, change: (posted: Posted) => void) =>
    Effect.sync(() => {
      const posted = state.outbox.get(event.id)
      if (posted === undefined || posted.claim !== claim) return false
      change(posted)
      return true
    })

  return Outbox.of({
    claim: ({ claim, limit, now, until }) =>
      Effect.sync(() =>
        firsts(state)
          .filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
          .toSorted((a, b) => DateTime.Order(a.dueAt, b.dueAt))
          .slice(0, limit)
          .map(({ attempts, event }) => {
            set({ event, claim, dueAt: until, attempts: attempts + 1 })
            return { event, claim, attempts: attempts + 1 }
          })
      ),
    done: (claim) => claimed(claim, ({ event }) => void state.outbox.delete(event.id)),
    retry: (claim, dueAt) => claimed(claim, ({ attempts, event }) => set({ event, attempts, dueAt })),
    giveUp: (claim, { at, reason }) =>
      claimed(claim, ({ attempts, event }) => set({ event, attempts, dueAt: at, died: { deadAt: at, reason } })),
    dead: ({ after, limit }) =>
      Effect.sync(() =>
        Array.from(state.outbox.values())
          .flatMap(({ attempts, died, event }) =>
            died !== undefined && (after === undefined || event.id > after) ? [{ event, attempts, ...died }] : []
          )
          .toSorted((a, b) => byText(a.event.id, b.event.id))
          .slice(0, limit)
      ),
    replay: (id: EventId, dueAt) =>
      Effect.sync(() => {
        const posted = state.outbox.get(id)
        if (posted?.died === undefined) return false
        set({ event: posted.event, attempts: 0, dueAt })
        return true
      }),
    forgetDead: (before) =>
      Effect.sync(() => {
        const over = Array.from(state.outbox.values()).filter(
          ({ died }) => died !== undefined && DateTime.isLessThan(died.deadAt, before)
        )
        for (const { event } of over) state.outbox.delete(event.id)
        return over.length
      })
  })
}
