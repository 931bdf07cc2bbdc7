import { DateTime, Duration, Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SweepStore } from "../ports/SweepStore.ts"
import { maxClockSkew, isClockSuspect, isRecentlyDone } from "../rules/sweeps.ts"
import { Settings } from "./Settings.ts"
import { isOrphanScan, sumOf, Sweeps, type Swept } from "./Sweeps.ts"

/** For how long a host has the turn, unless it takes it again: longer than a step takes. */
const lease = Duration.minutes(2)

/**
 * How often a host writes down how far it came, and takes its turn again. A step that isn't written down is looked at again after a
 * crash, and finds nothing; each commit of SQLite keeps every other request waiting.
 */
const checkpointInterval = Duration.seconds(1)

/** How long a host that stops takes at most to give its turn back; if it can't, the next one waits for the turn's end. */
const releaseTimeout = Duration.seconds(5)

/** How long a host waits before it believes a clock that went on by more than a day since the last sweep. */
const suspectClockPause = Duration.hours(1)

/** How often the object store is compared with the metadata. */
const orphanScanInterval = Duration.days(1)

const lineOf = ({ account, bytes, count, rule }: Swept): string =>
  `${count} ${rule.replaceAll("_", " ")}${account === undefined ? "" : ` of ${account}`} (${bytes} bytes)`

/**
 * Sweeps while the layer is open, if the settings say so: one host of a deployment at a time, in small steps with pauses between
 * them. What is broken off is gone on with, by whichever host comes next: at once if the layer was closed, else when the turn of
 * the host that died is over.
 *
 * @see docs/retention.md
 */
export const layerSweeping = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* SweepStore
    const sweeps = yield* Sweeps
    const { sweep } = yield* Settings
    const { every } = sweep
    if (every === undefined) return
    const holder = yield* Effect.flatMap(SecureRandom.SecureRandom, (random) => random.uuidV4())

    const time = Effect.flatMap(DateTime.now, store.earlierTime)
    const acquireLeaseFor = Effect.fnUntraced(function* (job: string, length: Duration.Duration) {
      const now = yield* time
      const after = (duration: Duration.Duration) => DateTime.addDuration(now, duration)
      return yield* store.acquireLease({ job, holder, now, until: after(length), latest: after(maxClockSkew) })
    })
    const acquireLease = (job: string) => acquireLeaseFor(job, lease)
    const releaseLease = (job: string) =>
      acquireLeaseFor(job, Duration.zero).pipe(Effect.interruptible, Effect.timeout(releaseTimeout), Effect.ignore)

    /** Does a job from its place on to its end: the sweep up to what is left over in the object store, and that by itself. */
    const work = Effect.fnUntraced(function* (job: string, first: string | undefined) {
      const swept: Array<Swept> = []
      let place = first
      let written: DateTime.Utc | undefined
      do {
        const now = yield* DateTime.now
        const since = written === undefined ? undefined : DateTime.distance(written, now)
        // A clock that was put back counts as time that has passed.
        if (since === undefined || !Duration.between(since, { minimum: Duration.zero, maximum: checkpointInterval })) {
          if (place !== undefined && !(yield* store.saveCheckpoint({ job, holder, place }))) return swept
          if (Option.isNone(yield* acquireLease(job))) return swept
          written = now
        }
        const done = yield* sweeps.step({ dryRun: false, place })
        swept.push(...done.swept)
        place = done.next
        if (place === undefined || (job === "sweep" && isOrphanScan(place))) break
        yield* Effect.sleep(done.swept.length === 0 ? Duration.millis(20) : sweep.pause)
      } while (true)
      yield* store.saveCheckpoint({ job, holder, doneAt: yield* time })
      return swept
    })

    const runJob = Effect.fnUntraced(function* (job: string, pause: Duration.Duration, first: string | undefined) {
      const checkpoint = Option.getOrUndefined(yield* acquireLease(job))
      if (checkpoint === undefined) return
      const now = yield* time
      if (isRecentlyDone(checkpoint.doneAt, now, pause)) {
        yield* store.saveCheckpoint({ job, holder, place: checkpoint.place, doneAt: checkpoint.doneAt })
        return
      }
      if (isClockSuspect(checkpoint.doneAt, now) && job === "sweep") {
        yield* store.saveCheckpoint({ job, holder, place: checkpoint.place })
        yield* Effect.logWarning(
          `The last sweep was at ${Option.match(Option.fromUndefinedOr(checkpoint.doneAt), { onNone: () => "no time", onSome: DateTime.formatIso })}; ` +
            `in case that the clock was moved, nothing is swept for ${Duration.format(suspectClockPause)}.`
        )
        yield* Effect.sleep(suspectClockPause)
      }
      const swept = sumOf(yield* work(job, checkpoint.place ?? first))
      if (swept.length > 0) yield* Effect.logInfo(`Swept: ${swept.map(lineOf).join(", ")}`)
    })

    const round = (job: string, pause: Duration.Duration, first: string | undefined) =>
      Effect.onInterrupt(runJob(job, pause, first), () => releaseLease(job))

    const orphanScanStart = JSON.stringify({ at: "leftovers", nth: 0 })
    const both = Effect.andThen(
      round("sweep", Duration.times(every, 0.5), undefined),
      round("leftovers", orphanScanInterval, orphanScanStart)
    )
    yield* Effect.sleep(every).pipe(
      Effect.andThen(Effect.catch(both, () => Effect.logWarning("A sweep was broken off; it goes on later."))),
      Effect.forever,
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
