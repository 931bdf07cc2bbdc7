import { Clock, Duration, Effect } from "effect"

/** The clock of a host that is this far ahead, or behind when negative. It runs at the same pace. */
const clockOffBy = (clock: Clock.Clock, offset: Duration.Duration): Clock.Clock => {
  const [millis, nanos] = [Duration.toMillis(offset), Duration.toNanosUnsafe(offset)]
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + millis
  const currentTimeNanosUnsafe = () => clock.currentTimeNanosUnsafe() + nanos
  return {
    currentTimeMillisUnsafe,
    currentTimeNanosUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Runs an effect as a host whose clock is this far off. */
export const offBy =
  (offset: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) =>
      Effect.provideService(effect, Clock.Clock, clockOffBy(clock, Duration.fromInputUnsafe(offset)))
    )
