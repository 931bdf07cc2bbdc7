import { assert, describe, it } from "vitest"
import { clockFinding } from "./clock.ts"
import type { Clock } from "./Finding.ts"

const clock = (of: string, seconds: number, exactToMillis = 10): Clock => ({
  of,
  aheadMillis: seconds * 1000,
  exactToMillis
})

describe("clocks", () => {
  for (const [what, clocks, detail, hint] of [
    ["agree", [clock("PostgreSQL", 0.4), clock("S3", -0.6, 1000)], "PostgreSQL's is the same, S3's is the same"],
    ["a minute is let pass, and said", [clock("S3", -60)], "S3's is 1 m 0 s behind it"],
    ["an uncertain difference is accepted", [clock("S3", 61, 1500)], "S3's is 1 m 1 s ahead of it"],
    ["of one server: either may be off", [clock("S3", 61)], "S3's is 1 m 1 s ahead of it", "set all by NTP"],
    [
      "of two that agree: this machine's is off",
      [clock("PostgreSQL", 300), clock("S3", 301)],
      "PostgreSQL's is 5 m 0 s ahead of it, S3's is 5 m 1 s ahead of it",
      "set this machine's by NTP"
    ],
    [
      "of two, one agrees with this machine's: the other is off",
      [clock("PostgreSQL", 0), clock("S3", -300)],
      "PostgreSQL's is the same, S3's is 5 m 0 s behind it",
      "set S3's by NTP"
    ],
    [
      "three times",
      [clock("PostgreSQL", 300), clock("S3", -300)],
      "PostgreSQL's is 5 m 0 s ahead of it, S3's is 5 m 0 s behind it",
      "set all by NTP"
    ]
  ] as const) {
    it(what, () => {
      const found = clockFinding(clocks)
      assert.strictEqual(found.detail, `beside this machine's, ${detail}`)
      assert.strictEqual(found.ok ? undefined : found.hint.split(":")[0], hint)
    })
  }
})
