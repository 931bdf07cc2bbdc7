import { DateTime, Duration, Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SweepStore } from "../ports/SweepStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { isClockSuspect, isRecentlyDone, maxClockSkew } from "../rules/sweeps.ts"
import { countSweepFailure, countSweepStep, noteSweepDone } from "./telemetry.ts"
import { Settings } from "./Settings.ts"
import { sumSwept, type Swept } from "../model/Sweep.ts"
import { makeSweepTime, Sweeps, type StoredSweepJob } from "./Sweeps.ts"

/** How long a host holds a job's lease unless it renews it: longer than a step takes. */
const leaseDuration = Duration.minutes(2)

/**
 * How often a host saves its cursor and renews its lease. After a crash, later steps are repeated and find nothing. Not every step
 * is saved, because each commit of SQLite delays all other requests.
 */
const checkpointInterval = Duration.seconds(1)

/** How long a host that stops tries to release its lease. If it fails, the lease ends by itself. */
const releaseTimeout = Duration.seconds(5)

/** How long a host waits before it uses a clock that may have been moved (`isClockSuspect`). */
const suspectClockPause = Duration.hours(1)

/** The pause after a step that deleted nothing. */
const emptyStepPause = Duration.millis(20)

const lineOf = ({ account, bytes, count, rule }: Swept): string =>
  `${count} ${rule.replaceAll("_", " ")}${account === undefined ? "" : ` of ${account}`} (${bytes} bytes)`

/** Leases and checkpoints of jobs, as one holder. */
const makeLeases = Effect.gen(function* () {
  const store = yield* SweepStore
  const time = yield* makeSweepTime
  const holder = yield* Effect.flatMap(SecureRandom.SecureRandom, (random) => random.uuidV4())

  const acquireFor = Effect.fnUntraced(function* (job: string, length: Duration.Duration) {
    const now = yield* time
    const after = (duration: Duration.Duration) => DateTime.addDuration(now, duration)
    return yield* store.acquireLease({ job, holder, now, until: after(length), latest: after(maxClockSkew) })
  })
  return {
    acquire: (job: string) => acquireFor(job, leaseDuration),
    release: (job: string) =>
      acquireFor(job, Duration.zero).pipe(Effect.interruptible, Effect.timeout(releaseTimeout), Effect.ignore),
    save: (
      job: string,
      checkpoint: { readonly cursor?: string | undefined; readonly doneAt?: DateTime.Utc | undefined }
    ) => store.saveCheckpoint({ job, holder, ...checkpoint })
  }
})

/** The jobs of a sweep: each runs on one host at a time, in small steps with pauses, unless it ran recently. */
const makeRunJobs = Effect.gen(function* () {
  const { jobs } = yield* Sweeps
  const { every = Duration.zero, pause } = (yield* Settings).sweep
  const time = yield* makeSweepTime
  const leases = yield* makeLeases
  /** When this host last waited because of a suspect clock. */
  let waitedAt: DateTime.Utc | undefined

  /** Runs a job from a cursor to its end, or until another host has its lease. */
  const work = Effect.fnUntraced(function* ({ name, step }: StoredSweepJob, from: string | undefined) {
    const swept: Array<Swept> = []
    let cursor = from
    let savedAt = yield* DateTime.now
    do {
      const now = yield* DateTime.now
      // A clock that was put back counts as time that has passed.
      const sinceSaved = DateTime.distance(savedAt, now)
      if (!Duration.between(sinceSaved, { minimum: Duration.zero, maximum: checkpointInterval })) {
        if (!(yield* leases.save(name, { cursor }))) return swept
        if (Option.isNone(yield* leases.acquire(name))) return swept
        savedAt = now
      }
      const done = yield* step(cursor, { dryRun: false, foreign: false })
      yield* countSweepStep(name, done.swept)
      swept.push(...done.swept)
      cursor = done.next
      if (cursor !== undefined) yield* Effect.sleep(done.swept.length === 0 ? emptyStepPause : pause)
    } while (cursor !== undefined)
    yield* leases.save(name, { doneAt: yield* time })
    yield* noteSweepDone(name)
    return swept
  })

  const waitForClock = Effect.fnUntraced(function* (doneAt: DateTime.Utc) {
    yield* Effect.logWarning(
      `The last sweep was at ${DateTime.formatIso(doneAt)}. In case the clock was moved, ` +
        `nothing is swept for ${Duration.format(suspectClockPause)}.`
    )
    yield* Effect.sleep(suspectClockPause)
    waitedAt = yield* time
  })

  const runJob = Effect.fnUntraced(function* (job: StoredSweepJob): Effect.fn.Return<void, WriteFailure> {
    const { interval = Duration.zero, name } = job
    const checkpoint = Option.getOrUndefined(yield* leases.acquire(name))
    if (checkpoint === undefined) return
    const { cursor, doneAt } = checkpoint
    const now = yield* time
    if (isRecentlyDone(doneAt, now, Duration.max(interval, Duration.times(every, 0.5)))) {
      yield* leases.save(name, { cursor, doneAt })
    } else if (doneAt !== undefined && isClockSuspect(DateTime.max(doneAt, waitedAt ?? doneAt), now, interval)) {
      yield* leases.release(name)
      yield* waitForClock(doneAt)
      yield* runJob(job)
    } else {
      const swept = sumSwept(yield* work(job, cursor))
      if (swept.length > 0) yield* Effect.logInfo(`Swept: ${swept.map(lineOf).join(", ")}`)
    }
  })

  return jobs.map((job) => ({
    name: job.name,
    run: runJob(job).pipe(
      Effect.onInterrupt(() => leases.release(job.name)),
      Effect.tapError(() => countSweepFailure(job.name))
    )
  }))
})

/** Runs the jobs of a sweep once. It can be interrupted at any time: the next one continues. */
export const sweepOnce = Effect.flatMap(makeRunJobs, (jobs) =>
  Effect.forEach(jobs, ({ run }) => run, { discard: true })
).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/**
 * Runs the jobs of a sweep while the layer is open, if the settings have an interval. Hosts share the jobs. When a host stops,
 * another continues at once; when it dies, after its lease ends.
 *
 * @see docs/retention.md
 */
export const layerSweepScheduler = Layer.effectDiscard(
  Effect.gen(function* () {
    const { every } = (yield* Settings).sweep
    if (every === undefined) return
    const jobs = yield* makeRunJobs
    const round = Effect.forEach(
      jobs,
      ({ name, run }) =>
        Effect.catch(run, () => Effect.logWarning(`The job ${name} of the sweep failed and continues later.`)),
      { discard: true }
    )
    yield* Effect.sleep(every).pipe(Effect.andThen(round), Effect.forever, Effect.forkScoped)
  })
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
