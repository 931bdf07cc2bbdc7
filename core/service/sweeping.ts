import { DateTime, Duration, Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SweepStore } from "../ports/SweepStore.ts"
import { clocksDiffer, isDoubtful, isJustDone } from "../rules/sweeps.ts"
import { Settings } from "./Settings.ts"
import { isLeftoverPlace, sumOf, Sweeps, type Swept } from "./Sweeps.ts"

/** For how long a host has the turn, unless it takes it again: longer than a step takes. */
const lease = Duration.minutes(2)

/**
 * How often a host writes down how far it came, and takes its turn again. A step that isn't written down is looked at again after a
 * crash, and finds nothing; each commit of SQLite keeps every other request waiting.
 */
const writtenEvery = Duration.seconds(1)

/** How long a host that stops takes at most to give its turn back; if it can't, the next one waits for the turn's end. */
const patience = Duration.seconds(5)

/** How long a host waits before it believes a clock that went on by more than a day since the last sweep. */
const doubt = Duration.hours(1)

/** How often the object store is compared with the metadata. */
const leftoversEvery = Duration.days(1)

const lineOf = ({ account, bytes, count, rule }: Swept): string =>
  `${count} ${rule.replaceAll("_", " ")}${account === undefined ? "" : ` of ${account}`} (${bytes} bytes)`

/**
 * Sweeps while the layer is open, if the settings say so: one host of a deployment at a time, in small steps with pauses between
 * them. What is broken off is gone on with, by whichever host comes next: at once if the layer was closed, else when the turn of
 * the host that died is over.
 *
 * @see docs/operating.md
 */
export const layerSweeping = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* SweepStore
    const sweeps = yield* Sweeps
    const { sweep } = yield* Settings
    const { every } = sweep
    if (every === undefined) return
    const holder = yield* Effect.flatMap(SecureRandom.SecureRandom, (random) => random.uuidV4())

    const time = Effect.flatMap(DateTime.now, store.earlier)
    const beginFor = Effect.fnUntraced(function* (job: string, length: Duration.Duration) {
      const now = yield* time
      const after = (duration: Duration.Duration) => DateTime.addDuration(now, duration)
      return yield* store.begin({ job, holder, now, until: after(length), latest: after(clocksDiffer) })
    })
    const begin = (job: string) => beginFor(job, lease)
    const giveBack = (job: string) =>
      beginFor(job, Duration.zero).pipe(Effect.interruptible, Effect.timeout(patience), Effect.ignore)

    /** Does a job from its place on to its end: the sweep up to what is left over in the object store, and that by itself. */
    const work = Effect.fnUntraced(function* (job: string, first: string | undefined) {
      const swept: Array<Swept> = []
      let place = first
      let written: DateTime.Utc | undefined
      do {
        const now = yield* DateTime.now
        const since = written === undefined ? undefined : DateTime.distance(written, now)
        // A clock that was put back counts as time that has passed.
        if (since === undefined || !Duration.between(since, { minimum: Duration.zero, maximum: writtenEvery })) {
          if (place !== undefined && !(yield* store.progress({ job, holder, place }))) return swept
          if (Option.isNone(yield* begin(job))) return swept
          written = now
        }
        const done = yield* sweeps.step({ dryRun: false, place })
        swept.push(...done.swept)
        place = done.next
        if (place === undefined || (job === "sweep" && isLeftoverPlace(place))) break
        yield* Effect.sleep(done.swept.length === 0 ? Duration.millis(20) : sweep.pause)
      } while (true)
      yield* store.progress({ job, holder, doneAt: yield* time })
      return swept
    })

    const turnAt = Effect.fnUntraced(function* (job: string, pause: Duration.Duration, first: string | undefined) {
      const turn = Option.getOrUndefined(yield* begin(job))
      if (turn === undefined) return
      const now = yield* time
      if (isJustDone(turn.doneAt, now, pause)) {
        yield* store.progress({ job, holder, place: turn.place, doneAt: turn.doneAt })
        return
      }
      if (isDoubtful(turn.doneAt, now) && job === "sweep") {
        yield* store.progress({ job, holder, place: turn.place })
        yield* Effect.logWarning(
          `The last sweep was at ${Option.match(Option.fromUndefinedOr(turn.doneAt), { onNone: () => "no time", onSome: DateTime.formatIso })}; ` +
            `in case that the clock was moved, nothing is swept for ${Duration.format(doubt)}.`
        )
        yield* Effect.sleep(doubt)
      }
      const swept = sumOf(yield* work(job, turn.place ?? first))
      if (swept.length > 0) yield* Effect.logInfo(`Swept: ${swept.map(lineOf).join(", ")}`)
    })

    const round = (job: string, pause: Duration.Duration, first: string | undefined) =>
      Effect.onInterrupt(turnAt(job, pause, first), () => giveBack(job))

    const leftovers = JSON.stringify({ at: "leftovers", nth: 0 })
    const both = Effect.andThen(
      round("sweep", Duration.times(every, 0.5), undefined),
      round("leftovers", leftoversEvery, leftovers)
    )
    yield* Effect.sleep(every).pipe(
      Effect.andThen(Effect.catch(both, () => Effect.logWarning("A sweep was broken off; it goes on later."))),
      Effect.forever,
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
