import { assert, it } from "@effect/vitest"
import { relativeTime } from "./words.ts"

const now = Date.UTC(2026, 10, 24, 15, 30)

it("a time is relative to now, and a date once it is a month old", () => {
  const shown = (age: number) => relativeTime(now - age, now)
  assert.deepStrictEqual([20_000, 200_000, 7_300_000, 90_000_000, 6 * 86_400_000, -3_700_000].map(shown), [
    "just now",
    "3 min ago",
    "2 hr ago",
    "yesterday",
    "6 days ago",
    "in 1 hr"
  ])
  assert.match(shown(40 * 86_400_000), /^1[45] Oct 2026, \d\d:\d\d$/)
})
