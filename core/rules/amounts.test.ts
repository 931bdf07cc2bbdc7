import { assert, it } from "@effect/vitest"
import { sizeChangeText } from "./amounts.ts"

it.each([
  [100, 100, "the same"],
  [3072, 1024, "+2 KiB (+200%)"],
  [1000, 1024, "−24 bytes (−2.3%)"],
  [1024 ** 2 + 10, 1024 ** 2, "+10 bytes"],
  [10, 0, "+10 bytes"]
])("%d bytes after %d: %s", (now, before, text) => {
  assert.strictEqual(sizeChangeText(now, before), text)
})
