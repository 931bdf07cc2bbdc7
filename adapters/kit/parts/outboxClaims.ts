/** What the cases of an outbox claim and find in it. */
import { assert } from "@effect/vitest"
import { Effect, type DateTime } from "effect"
import type { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { ClaimId, Outbox } from "../../../core/ports/Outbox.ts"
import { plainEvent } from "./plain.ts"
import { after, idAt, instant } from "./samples.ts"

/** When cases claim, and when those claims end. */
export const now = instant(1000)
export const until = instant(2000)
export const claimId = () => ClaimId.make(idAt(1))

export const claim = (at: DateTime.Utc = now, limit = 100) =>
  Outbox.use((outbox) => outbox.claim({ claim: claimId(), now: at, until: after(at, 1000), limit }))

/** The ids of the events that are claimed. */
export const claimIds = (at?: DateTime.Utc, limit?: number) =>
  Effect.map(claim(at, limit), (claimed) => claimed.map(({ event }) => event.id))

/** What can be claimed at an instant at which every claim and every pause is over. */
export const allDue = claimIds(instant(1e9))

/** The only event that can be claimed. */
export const claimOne = Effect.fnUntraced(function* (at?: DateTime.Utc) {
  const [one, ...others] = yield* claim(at)
  assert.deepStrictEqual(others, [])
  return one ?? assert.fail("nothing can be claimed")
})

export const dead = Effect.map(
  Outbox.use((outbox) => outbox.dead({ limit: 100 })),
  (found) =>
    found.map(({ attempts, deadAt, event, reason }) => ({ attempts, deadAt, event: plainEvent(event), reason }))
)

/** Takes every event out of the outbox, whatever it waits for. An event that is claimed again ends it. */
export const drained = Effect.gen(function* () {
  const events: Array<SlipwayEvent> = []
  const seen = new Set<string>()
  for (let at = 1e9; ; at += 1e6) {
    const claimed = yield* claim(instant(at))
    if (claimed.length === 0) return events
    for (const one of claimed) {
      assert.notInclude(seen, one.id, "claimed again after it was done")
      seen.add(one.id)
      assert.isTrue(yield* Outbox.use((outbox) => outbox.done(one)))
      events.push(one.event)
    }
  }
})
