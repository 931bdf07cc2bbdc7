import { Context, DateTime, Duration, Effect, Layer, Option, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { instant, makeAccount, makePreview } from "../../../adapters/kit/parts/samples.ts"
import * as memory from "../../../adapters/memory/index.ts"
import { ObjectSink } from "../../../adapters/signed-urls/ObjectSink.ts"
import { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { layer as layerCore } from "../../layer.ts"
import type { Preview } from "../../model/Preview.ts"
import type { Ports } from "../../ports/registry.ts"
import { Unavailable } from "../../model/Problem.ts"
import type { ExpirySelection } from "../../model/Sweep.ts"
import { PreviewStore } from "../../ports/PreviewStore.ts"
import { SweepStore } from "../../ports/SweepStore.ts"
import { Settings, type SweepSettings } from "../Settings.ts"
import { layerSweepScheduler } from "../sweeps/scheduler.ts"

/** The URL of the hosts. */
export const url = "http://127.0.0.1"
const urls = SignedUrls.layer({ secret: Redacted.make("signs upload URLs"), baseUrl: url })
/** The interval of the sweeps. */
export const every = Duration.minutes(10)
/** The settings of the sweeps. */
export const settings: SweepSettings = { every, grace: Duration.hours(24), batch: 2, pause: Duration.seconds(10) }
/** By then everything that the samples make has ended. */
export const begin = DateTime.toEpochMillis(instant(Duration.toMillis(Duration.hours(48))))

/** Runs a test on a store of its own, when everything that the samples make has ended. */
export const alone = <A, E>(test: Effect.Effect<A, E, Ports | ObjectSink | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(begin), test).pipe(Effect.provide(Layer.fresh(Layer.provide(memory.layer, urls))))

/** A call of the sweep store that a host made: the rule it queried or the items it expired, and when. */
interface Made {
  readonly call: "acquireLease" | "due" | "expire" | "saveCheckpoint"
  readonly rule?: ExpirySelection["rule"]
  readonly taken?: ReadonlyArray<string>
  readonly at: number
}

/** What a host's calls do instead, from one on. Without `to` the host is killed there: it doesn't stop when the test ends. */
export interface Fate {
  readonly from: number
  readonly to?: number
  readonly is: Effect.Effect<never, Unavailable>
}

/** A host that sweeps until the test ends. */
export const startHost = Effect.fnUntraced(function* (sweep: Partial<SweepSettings> = {}, fate?: Fate) {
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
export type Host = Effect.Success<ReturnType<typeof startHost>>

/** Previews that were never finalized, whose reservations ended long ago. */
export const abandon = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const preview = makePreview(makeAccount())
      yield* (yield* PreviewStore).commitReserve({ preview })
      return preview
    })
  )

/** The existing previews among these. */
export const left = (all: ReadonlyArray<Preview>) =>
  Effect.filter(all, ({ accountId, shareId }) =>
    Effect.map(
      PreviewStore.use((store) => store.findByShareId(accountId, shareId)),
      Option.isSome
    )
  )

/** The items that hosts expired. */
export const expiredBy = (...hosts: ReadonlyArray<Host>) =>
  hosts.flatMap(({ made }) => made.flatMap(({ taken = [] }) => taken))

/** The share ids of previews. */
export const sharesOf = (all: ReadonlyArray<Preview>) => all.map(({ shareId }): string => shareId)

/** The rules that hosts queried, in that order, each once however many pages it had. */
export const rulesQueried = (...hosts: ReadonlyArray<Host>) =>
  hosts
    .flatMap(({ made }) => made.filter(({ call }) => call === "due"))
    .toSorted((a, b) => a.at - b.at)
    .map(({ rule }) => rule)
    .filter((rule, index, all) => rule !== all[index - 1])

/** Whether so many milliseconds are at least this time. */
export const isLong = (between: number, time: Duration.Duration) => between >= Duration.toMillis(time)
