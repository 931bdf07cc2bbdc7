import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { ReservationId } from "../../core/model/Reservation.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { newBuild, newHome } from "./parts/buildPorts.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { many } from "./parts/racing.ts"
import { idAt, instant } from "./parts/samples.ts"
import { idsOf } from "./parts/lists.ts"
import type { Cases } from "./parts/suite.ts"
import { finalize, newPreview } from "./parts/sweepPorts.ts"

/** Asks for the turn at a job, by times in milliseconds. */
const ask = (asked: {
  readonly job?: string
  readonly holder: string
  readonly now: number
  readonly until: number
  readonly latest?: number
}) => {
  const { holder, job = "sweep", latest = 1000, now, until } = asked
  return SweepStore.use((store) =>
    store.acquireLease({ job, holder, now: instant(now), until: instant(until), latest: instant(latest) })
  )
}

export const sweepLeaseCases = (it: Cases<MetadataPorts>) => {
  it.effect("every reservation that exists is found, open or finalized", function* () {
    const home = yield* newHome
    const open = yield* newBuild(home)
    const ready = yield* finalize(yield* newBuild(home), 50)
    const preview = yield* newPreview(home.account, 100)
    const ids = [open.reservation.id, ready.reservation.id, preview.id]
    const known = yield* SweepStore.use((store) => store.findReservations([...ids, ReservationId.make(idAt(1))]))
    assert.sameMembers(idsOf(known), ids)
    const hosted = known.find(({ id }) => id === ready.reservation.id)?.hostedPrefix
    assert.strictEqual(hosted, `hosted/${ready.reservation.id}/a/`)
    assert.deepStrictEqual(yield* SweepStore.use((store) => store.findReservations([])), [])
  })

  it.effect(
    "one holder has the lease of a job until it ends or the job is done, and finds its checkpoint",
    function* () {
      const store = yield* SweepStore
      const begin = (holder: string, now: number) =>
        Effect.map(ask({ holder, now, until: now + 100 }), (lease) => {
          const { doneAt, cursor } = Option.getOrElse(lease, () => ({ cursor: "none", doneAt: undefined }))
          return [cursor, doneAt && DateTime.toEpochMillis(doneAt) - DateTime.toEpochMillis(instant(0))]
        })
      assert.deepStrictEqual(yield* begin("a", 0), [undefined, undefined])
      assert.deepStrictEqual(yield* begin("b", 99), ["none", undefined])
      assert.deepStrictEqual(yield* begin("a", 50), [undefined, undefined])
      assert.isFalse(yield* store.saveCheckpoint({ job: "sweep", holder: "b", cursor: "other" }))
      assert.isTrue(yield* store.saveCheckpoint({ job: "sweep", holder: "a", cursor: "half" }))
      assert.deepStrictEqual(yield* begin("b", 149), ["none", undefined])
      assert.deepStrictEqual(yield* begin("b", 150), ["half", undefined])
      assert.isFalse(yield* store.saveCheckpoint({ job: "sweep", holder: "a", cursor: "more" }))
      assert.isTrue(yield* store.saveCheckpoint({ job: "sweep", holder: "b", doneAt: instant(200) }))
      assert.deepStrictEqual(yield* begin("a", 160), [undefined, 200])
      const racing = yield* Effect.forEach(
        many,
        (nth) => ask({ job: "other", holder: `host ${nth}`, now: 0, until: 1 }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(racing.filter(Option.isSome), 1)
    }
  )

  it.effect("a holder that acquires the lease until now releases it, and ends nobody else's", function* () {
    const store = yield* SweepStore
    assert.isTrue(Option.isSome(yield* ask({ holder: "a", now: 0, until: 100 })))
    assert.isTrue(yield* store.saveCheckpoint({ job: "sweep", holder: "a", cursor: "half" }))
    assert.isTrue(Option.isNone(yield* ask({ holder: "b", now: 40, until: 40 })))
    assert.isTrue(Option.isNone(yield* ask({ holder: "b", now: 40, until: 140 })))
    assert.isTrue(Option.isSome(yield* ask({ holder: "a", now: 50, until: 50 })))
    const next = yield* ask({ holder: "b", now: 50, until: 150 })
    assert.deepStrictEqual(Option.getOrUndefined(next), { cursor: "half" })
  })

  it.effect("a lease that ends after the latest valid time is ignored", function* () {
    assert.isTrue(Option.isSome(yield* ask({ holder: "ahead", now: 5000, until: 5100, latest: 6000 })))
    assert.isTrue(Option.isNone(yield* ask({ holder: "a", now: 0, until: 100, latest: 5100 })))
    assert.isTrue(Option.isSome(yield* ask({ holder: "a", now: 0, until: 100, latest: 5099 })))
    assert.isTrue(Option.isNone(yield* ask({ holder: "b", now: 0, until: 100, latest: 5099 })))
  })

  it.effect("the earlier of a host's time and the engine's time counts, and a past time is unchanged", function* () {
    const { earlierTime: earlier } = yield* SweepStore
    const [past, ahead] = [instant(0), DateTime.makeUnsafe("2150-01-01T00:00:00Z")]
    assert.deepStrictEqual(yield* earlier(past), past)
    assert.isTrue(DateTime.isLessThanOrEqualTo(yield* earlier(ahead), ahead))
  })
}
