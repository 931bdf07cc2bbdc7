import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { afterFailure, pausedUntil } from "./webhooks.ts"

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
