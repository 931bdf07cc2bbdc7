import { Context, DateTime, Duration, Effect, Exit, Fiber, Layer, Option, Redacted, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { idAt, instant, makeAccount, makePreview } from "../../adapters/kit/parts/samples.ts"
import * as memory from "../../adapters/memory/index.ts"
import { ObjectSink, SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import { layer as layerCore } from "../layer.ts"
import type { Preview } from "../model/Preview.ts"
import type { Ports } from "../ports/registry.ts"
import { Unavailable } from "../model/Problem.ts"
import type { ExpirySelection } from "../model/Sweep.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import { Settings, type SweepSettings } from "./Settings.ts"
import { layerSweepScheduler } from "./sweepScheduler.ts"
import { assert, describe, it } from "@effect/vitest"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { advanceTime } from "./testing/advanceTime.ts"

/** The URL of the hosts. */
const url = "http://127.0.0.1"
const urls = SignedUrls.layer({ secret: Redacted.make("signs upload URLs"), baseUrl: url })
/** The interval of the sweeps. */
const every = Duration.minutes(10)
/** The settings of the sweeps. */
const settings: SweepSettings = { every, grace: Duration.hours(24), batch: 2, pause: Duration.seconds(10) }
/** By then everything that the samples make has ended. */
const begin = DateTime.toEpochMillis(instant(Duration.toMillis(Duration.hours(48))))

/** Runs a test on a store of its own, when everything that the samples make has ended. */
const alone = <A, E>(test: Effect.Effect<A, E, Ports | ObjectSink | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(begin), test).pipe(Effect.provide(Layer.fresh(Layer.provide(memory.layer, urls))))

/** A call of the sweep store that a host made: the rule it queried or the items it expired, and when. */
interface Made {
  readonly call: "acquireLease" | "due" | "expire" | "saveCheckpoint"
  readonly rule?: ExpirySelection["rule"]
  readonly taken?: ReadonlyArray<string>
  readonly at: number
}

/** What a host's calls do instead, from one on. Without `to` the host is killed there: it doesn't stop when the test ends. */
interface Fate {
  readonly from: number
  readonly to?: number
  readonly is: Effect.Effect<never, Unavailable>
}

/** A host that sweeps until the test ends. */
const startHost = Effect.fnUntraced(function* (sweep: Partial<SweepSettings> = {}, fate?: Fate) {
  const ports = yield* Effect.context<Ports>()
  const store = yield* SweepStore
  const made: Array<Made> = []
  let calls = 0
  const noted = <A, E>(call: Effect.Effect<A, E>, of: (answer: A) => Omit<Made, "at">) =>
    Effect.suspend((): Effect.Effect<A, E | Unavailable> => {
      calls += 1
      return fate !== undefined && calls >= fate.from && calls <= (fate.to ?? Infinity) ? fate.is : call
    }).pipe(
      Effect.tap((answer) =>
        Effect.map(DateTime.now, (now) => made.push({ ...of(answer), at: DateTime.toEpochMillis(now) - begin }))
      )
    )
  const watched = SweepStore.of({
    ...store,
    acquireLease: (request) => noted(store.acquireLease(request), () => ({ call: "acquireLease" })),
    due: (selection, page) => noted(store.due(selection, page), () => ({ call: "due", rule: selection.rule })),
    expire: (selection, items) => noted(store.expire(selection, items), (taken) => ({ call: "expire", taken })),
    saveCheckpoint: (request) => noted(store.saveCheckpoint(request), () => ({ call: "saveCheckpoint" }))
  })
  const isKilled = fate !== undefined && fate.to === undefined
  const scope = isKilled ? yield* Scope.make() : yield* Effect.scope
  yield* layerSweepScheduler.pipe(
    Layer.provide(layerCore),
    Layer.provide([
      Settings.layer({ url, sweep: { ...settings, ...sweep } }),
      Layer.succeedContext(Context.add(ports, SweepStore, watched))
    ]),
    Layer.buildWithScope(scope)
  )
  return { made, count: () => calls }
})

/** A host, with the calls that it made. */
type Host = Effect.Success<ReturnType<typeof startHost>>

/** Previews that were never finalized, whose reservations ended long ago. */
const abandon = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const preview = makePreview(makeAccount())
      yield* (yield* PreviewStore).commitReserve({ preview })
      return preview
    })
  )

/** The existing previews among these. */
const left = (all: ReadonlyArray<Preview>) =>
  Effect.filter(all, ({ accountId, shareId }) =>
    Effect.map(
      PreviewStore.use((store) => store.findByShareId(accountId, shareId)),
      Option.isSome
    )
  )

/** The items that hosts expired. */
const expiredBy = (...hosts: ReadonlyArray<Host>) =>
  hosts.flatMap(({ made }) => made.flatMap(({ taken = [] }) => taken))

/** The share ids of previews. */
const sharesOf = (all: ReadonlyArray<Preview>) => all.map(({ shareId }): string => shareId)

/** The rules that hosts queried, in that order, each once however many pages it had. */
const rulesQueried = (...hosts: ReadonlyArray<Host>) =>
  hosts
    .flatMap(({ made }) => made.filter(({ call }) => call === "due"))
    .toSorted((a, b) => a.at - b.at)
    .map(({ rule }) => rule)
    .filter((rule, index, all) => rule !== all[index - 1])

/** Whether so many milliseconds are at least this time. */
const isLong = (between: number, time: Duration.Duration) => between >= Duration.toMillis(time)

// Hosts of a deployment that run the jobs of a sweep, on one store and the test's clock.

describe("hosts that sweep", () => {
  it.effect("delete each item once, one host at a time, and at most a batch at once", () =>
    Effect.gen(function* () {
      const all = yield* abandon(9)
      const one = yield* startHost()
      yield* advanceTime("30 seconds")
      const other = yield* startHost()
      yield* advanceTime("14 minutes", "10 seconds")
      assert.deepStrictEqual(yield* left(all), [])
      assert.sameMembers(expiredBy(one, other), sharesOf(all))
      assert.strictEqual(expiredBy(one, other).length, all.length)
      for (const { taken = [] } of [...one.made, ...other.made]) assert.isAtMost(taken.length, settings.batch)
      const sweeping = ({ made }: Host) => made.filter(({ call }) => call === "due" || call === "expire")
      const [first, second] = [one, other].map((host) => sweeping(host).map(({ at }) => at))
      const looked = other.made.find(({ call }) => call === "acquireLease")?.at ?? 0
      assert.isTrue(
        first?.some((at) => at > looked),
        "the second one looked while the first one swept"
      )
      const end = Math.max(...(first ?? []))
      assert.deepStrictEqual(
        second?.filter((at) => at <= end),
        [],
        "two hosts swept at the same time"
      )
    }).pipe(alone)
  )

  it.effect("pause between two batches", () =>
    Effect.gen(function* () {
      const all = yield* abandon(7)
      const host = yield* startHost()
      yield* advanceTime("15 minutes")
      assert.deepStrictEqual(yield* left(all), [])
      const times = host.made.flatMap(({ at, taken = [] }) => (taken.length > 0 ? [at] : []))
      assert.lengthOf(times, 4)
      for (const [index, at] of times.entries()) {
        assert.isTrue(index === 0 || isLong(at - (times[index - 1] ?? 0), settings.pause), "a pause was too short")
      }
    }).pipe(alone)
  )

  it.effect("sweep once per interval, however many hosts there are", () =>
    Effect.gen(function* () {
      const hosts: Array<Host> = []
      for (let nth = 0; nth < 3; nth += 1) {
        hosts.push(yield* startHost())
        yield* advanceTime("150 seconds", "10 seconds")
      }
      yield* advanceTime("2 hours", "10 seconds")
      const begun = hosts
        .flatMap(({ made }) => made.flatMap(({ at, rule }) => (rule === "abandoned_builds" ? [at] : [])))
        .toSorted((a, b) => a - b)
      assert.isAtLeast(begun.length, 10)
      for (const [index, at] of begun.entries()) {
        assert.isTrue(index === 0 || isLong(at - (begun[index - 1] ?? 0), Duration.times(every, 0.5)), `${begun}`)
      }
    }).pipe(alone)
  )

  it.effect("acquire leases by the engine's time, so that a clock that is ahead doesn't block others", () =>
    Effect.gen(function* () {
      const store = yield* SweepStore
      const ahead = Duration.hours(2)
      const until: Array<DateTime.Utc> = []
      yield* startHost().pipe(
        Effect.provideService(SweepStore, {
          ...store,
          earlierTime: (ofHost) => Effect.succeed(DateTime.subtractDuration(ofHost, ahead)),
          acquireLease: (request) =>
            Effect.andThen(
              Effect.sync(() => until.push(request.until)),
              store.acquireLease(request)
            )
        })
      )
      yield* advanceTime("15 minutes", "10 seconds")
      const now = yield* DateTime.now
      assert.isNotEmpty(until)
      for (const one of until) assert.isTrue(DateTime.isLessThan(one, DateTime.subtract(now, { minutes: 90 })))
    }).pipe(alone)
  )

  const often = { every: Duration.minutes(1) }
  const lease = Duration.minutes(2)

  /** Two hosts on five abandoned previews; the first one meets its fate while it sweeps. */
  const twoHosts = (fate?: Fate) =>
    Effect.gen(function* () {
      const all = yield* abandon(5)
      const one = yield* startHost(often, fate)
      yield* advanceTime("30 seconds", "10 seconds")
      const other = yield* startHost(often)
      yield* advanceTime("9 minutes", "10 seconds")
      assert.deepStrictEqual(yield* left(all), [])
      assert.sameMembers([...new Set(expiredBy(one, other))], sharesOf(all))
      return { one, other }
    })

  /** How many calls the first host makes until each job is done once, and the rules that it queries. */
  const rehearsal = Effect.gen(function* () {
    yield* abandon(5)
    const host = yield* startHost(often)
    yield* advanceTime("110 seconds", "10 seconds")
    const end = host.made.findIndex(({ rule }) => rule === "exchanged_keys") + 1
    return { calls: host.count(), asked: rulesQueried({ ...host, made: host.made.slice(0, end) }) }
  })

  it.effect("continue at the checkpoint of a killed host after its lease ends, whichever call it was killed at", () =>
    Effect.gen(function* () {
      const { asked, calls } = yield* alone(rehearsal)
      assert.isAbove(calls, 20)
      for (let from = 1; from <= calls; from += 1) {
        const { one, other } = yield* alone(twoHosts({ from, is: Effect.never }))
        assert.strictEqual(expiredBy(one, other).length, 5, `killed at call ${from}: an item was deleted twice`)
        // Steps since the last checkpoint are repeated: at most a second's.
        const since = one.made.slice(one.made.findLastIndex(({ call }) => call === "saveCheckpoint") + 1)
        assert.isAtMost((since.at(-1)?.at ?? 0) - (since[0]?.at ?? 0), 1000)
        const [before, unwritten, after] = [one, { ...one, made: since }, other].map((host) => rulesQueried(host))
        const end = before?.length ?? 0
        // The checkpoint may be the next page of the rule before that.
        const most = (unwritten?.length ?? 0) + 1
        const mayBegin = Array.from({ length: most + 1 }, (_, back) => asked[(end - back) % asked.length])
        assert.include(mayBegin, after?.[0], `killed at call ${from}: it started over`)
        const begun = asked.findIndex((rule) => rule === after?.[0])
        for (const [index, rule] of after?.entries() ?? []) {
          assert.strictEqual(rule, asked[(begun + index) % asked.length], `killed at call ${from}: a rule was left out`)
        }
        const dead = one.made.findLast(({ call }) => call === "acquireLease")
        const next = other.made.find(({ call }) => call === "due")
        if (dead === undefined || rulesQueried(one).length === asked.length) continue
        assert.isTrue(
          isLong((next?.at ?? 0) - dead.at, lease),
          `killed at call ${from}: its lease was acquired too early`
        )
      }
    })
  )

  it.effect(
    "release their lease when they stop, whichever call they are at, so that another one continues at once",
    () =>
      Effect.gen(function* () {
        const { asked, calls } = yield* alone(rehearsal)
        for (let from = 1; from <= calls; from += 1) {
          const stopped = `stopped at call ${from}`
          yield* Effect.gen(function* () {
            const all = yield* abandon(5)
            const scope = yield* Scope.make()
            const one = yield* Scope.provide(startHost(often, { from, to: from, is: Effect.never }), scope)
            yield* advanceTime("110 seconds", "10 seconds")
            const other = yield* startHost(often)
            const begun = yield* Effect.map(DateTime.now, (now) => DateTime.toEpochMillis(now) - begin)
            yield* Scope.close(scope, Exit.void)
            yield* advanceTime("3 minutes", "10 seconds")
            assert.deepStrictEqual(yield* left(all), [], stopped)
            assert.strictEqual(expiredBy(one, other).length, 5, `${stopped}: an item was deleted twice`)
            const next = other.made.find(({ call }) => call === "due")
            const isDone = rulesQueried(one).length === asked.length
            const bound = Duration.toMillis(often.every) + 10_000
            assert.isTrue(isDone || (next !== undefined && next.at - begun <= bound), `${stopped}: it kept its lease`)
          }).pipe(alone)
        }
      })
  )

  it.effect("stop within seconds when the engine doesn't answer any more", () =>
    Effect.gen(function* () {
      yield* abandon(5)
      const scope = yield* Scope.make()
      const host = yield* Scope.provide(startHost(often, { from: 10, to: Infinity, is: Effect.never }), scope)
      yield* advanceTime("90 seconds", "10 seconds")
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* advanceTime("5 seconds")
      yield* Fiber.join(closing)
      assert.strictEqual(host.count(), 11, "the call that hung, and one try to release the lease")
    }).pipe(alone)
  )

  it.effect("sweep although a host whose clock was ahead acquired the lease and finished the job", () =>
    Effect.gen(function* () {
      const ahead = DateTime.add(yield* DateTime.now, { years: 1 })
      const [holder, until] = ["ahead", DateTime.add(ahead, { minutes: 2 })]
      const store = yield* SweepStore
      yield* store.acquireLease({ job: "expire_reservations", holder, now: ahead, until, latest: until })
      yield* store.saveCheckpoint({ job: "expire_reservations", holder, doneAt: ahead })
      yield* store.acquireLease({ job: "expire_reservations", holder, now: ahead, until, latest: until })
      const all = yield* abandon(3)
      yield* startHost()
      yield* advanceTime("15 minutes", "10 seconds")
      assert.deepStrictEqual(yield* left(all), [])
    }).pipe(alone)
  )

  it.effect("continue after a call that fails, whichever it is", () =>
    Effect.gen(function* () {
      const { calls } = yield* alone(rehearsal)
      for (let from = 1; from <= calls; from += 1) {
        const { one, other } = yield* alone(twoHosts({ from, to: from, is: Effect.fail(Unavailable.default) }))
        assert.strictEqual(expiredBy(one, other).length, 5, `call ${from} failed: an item was deleted twice`)
      }
    })
  )

  it.effect("wait for an hour, once for all jobs, when the clock may have been moved", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.andThen(startHost(), advanceTime("15 minutes", "10 seconds")))
      const all = yield* abandon(3)
      yield* TestClock.adjust("2 days")
      yield* startHost()
      yield* advanceTime("58 minutes", "10 seconds")
      assert.lengthOf(yield* left(all), 3)
      yield* advanceTime("20 minutes", "10 seconds")
      assert.deepStrictEqual(yield* left(all), [])
    }).pipe(alone)
  )

  it.effect("run the other jobs when one of them fails", () =>
    Effect.gen(function* () {
      yield* store(idAt(begin - 90_000_000), 3)
      const sweepStore = yield* SweepStore
      const due = () => Effect.fail(Unavailable.default)
      yield* startHost(often).pipe(Effect.provideService(SweepStore, { ...sweepStore, due }))
      yield* advanceTime("110 seconds", "10 seconds")
      assert.deepStrictEqual(yield* stored, new Set())
    }).pipe(alone)
  )

  it.effect("collect garbage once a day", () =>
    Effect.gen(function* () {
      yield* startHost()
      yield* advanceTime("30 minutes", "10 seconds")
      const old = idAt(begin - 90_000_000)
      yield* store(old, 3)
      yield* advanceTime("20 hours", "10 minutes")
      assert.deepStrictEqual(yield* stored, new Set([old]))
      yield* advanceTime("5 hours", "10 minutes")
      assert.deepStrictEqual(yield* stored, new Set())
    }).pipe(alone)
  )

  /** Stores objects of a missing reservation. */
  const store = Effect.fnUntraced(function* (reservation: string, count: number) {
    const sink = yield* ObjectSink
    const bytes = new Uint8Array([1])
    for (let nth = 0; nth < count; nth += 1) {
      const key = `uploads/${reservation}/files/${nth}`
      yield* sink.receive({ key, contentType: "text/plain", sizeBytes: 1 }, Stream.make(bytes))
    }
  })

  const stored = Effect.map(
    ObjectStore.use((objects) => objects.list("uploads/")),
    (all) => new Set(all.map(({ key }) => key.split("/")[1]))
  )

  it.effect("delete orphaned objects, and continue at the checkpoint of a killed host", () =>
    Effect.gen(function* () {
      const young = idAt(begin)
      /** Two hosts, of which the first one meets its fate; how many calls it makes until it has done both jobs. */
      const swept = (fate?: Fate) =>
        Effect.gen(function* () {
          yield* store(idAt(begin - 90_000_000), 2500)
          yield* store(young, 1)
          const one = yield* startHost(often, fate)
          yield* advanceTime("110 seconds", "10 seconds")
          const calls = one.count()
          yield* startHost(often)
          yield* advanceTime("6 minutes", "10 seconds")
          assert.deepStrictEqual(yield* stored, new Set([young]), `killed at call ${fate?.from}`)
          return calls
        }).pipe(alone)
      const calls = yield* swept()
      for (let from = calls - 16; from <= calls; from += 1) yield* swept({ from, is: Effect.never })
    })
  )
})
