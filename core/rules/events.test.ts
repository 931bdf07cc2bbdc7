import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Option } from "effect"
import { afterFailure, maxAttempts, nextAttempt, pausedUntil } from "./events.ts"

const now = DateTime.makeUnsafe("2026-05-04T03:02:01.000Z")
const ago = (time: Duration.Input) => DateTime.subtractDuration(now, time)

describe("a webhook", () => {
  it("fails since its first failure, and is disabled after three days", () => {
    assert.deepStrictEqual(afterFailure({}, now), { failingSince: now })
    const almost = { failingSince: DateTime.add(ago("3 days"), { milliseconds: 1 }) }
    assert.deepStrictEqual(afterFailure(almost, now), almost)
    const long = { failingSince: ago("3 days") }
    assert.deepStrictEqual(afterFailure(long, now), { ...long, disabledAt: now })
    const disabled = { ...long, disabledAt: ago("1 hour") }
    assert.deepStrictEqual(afterFailure(disabled, now), disabled)
  })

  it("is paused as long again as it has been failing, up to an hour, or as long as it asks for, up to a day", () => {
    const pause = (failing: Duration.Input, asked?: Duration.Duration) =>
      Duration.toMinutes(DateTime.distance(now, pausedUntil(ago(failing), now, asked)))
    assert.deepStrictEqual([pause(0), pause("7 minutes"), pause("2 days")], [0, 7, 60])
    assert.deepStrictEqual([pause(0, Duration.hours(3)), pause(0, Duration.days(9))], [180, 1440])
  })
})

const pause = (attempts: number, spread = 0.5, retryAfter?: Duration.Duration): number =>
  Option.match(nextAttempt({ attempts, now, spread, retryAfter }), {
    onNone: () => Number.NaN,
    onSome: (at) => Duration.toSeconds(DateTime.distance(now, at))
  })

describe("the next attempt to deliver an event", () => {
  it("comes after pauses that grow up to five hours", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 7, 8, 15].map((attempts) => pause(attempts)),
      [2, 8, 32, 128, 8192, 18_000, 18_000]
    )
  })

  it("comes up to a quarter earlier or later", () => {
    assert.strictEqual(pause(2, 0), 6)
    assert.strictEqual(pause(2, 1), 10)
  })

  it("comes no earlier than the receiver asked for, within a day", () => {
    assert.strictEqual(pause(1, 0.5, Duration.minutes(3)), 180)
    assert.strictEqual(pause(4, 0.5, Duration.seconds(1)), 128)
    assert.strictEqual(pause(1, 0.5, Duration.days(300)), 86_400)
  })

  it("isn't made when all were made, some two days after the first", () => {
    assert.isTrue(Option.isNone(nextAttempt({ attempts: maxAttempts, now, spread: 0.5 })))
    const all = Array.from({ length: maxAttempts - 1 }, (_, index) => pause(index + 1))
    const hours = all.reduce((sum, seconds) => sum + seconds, 0) / 3600
    assert.isTrue(hours > 36 && hours < 60, `${hours} hours`)
  })
})
