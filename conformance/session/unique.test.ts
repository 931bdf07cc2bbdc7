import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { content, unique } from "./unique.ts"

describe("values that are derived from run, check and label", () => {
  it("are 16 hex digits, equal for equal input and different for other input", () => {
    const all = [
      unique("run", "check", "label"),
      unique("run 2", "check", "label"),
      unique("run", "check 2", "label"),
      unique("run", "check", "label 2"),
      // Another split of the same text into the three inputs gives another value.
      unique("ru", "ncheck", "label")
    ]
    for (const one of all) assert.match(one, /^[0-9a-f]{16}$/)
    assert.strictEqual(new Set(all).size, all.length)
    assert.strictEqual(unique("run", "check", "label"), all[0])
  })

  it("are the asked number of bytes of printable ASCII, with their digest", () => {
    for (const sizeBytes of [0, 1, 64, 65, 66, 5000]) {
      const { bytes, sha256 } = content("run", "check", "label", sizeBytes)
      assert.strictEqual(bytes.byteLength, sizeBytes)
      assert.isTrue(bytes.every((byte) => byte === 10 || (byte >= 32 && byte < 127)))
      assert.strictEqual(sha256, createHash("sha256").update(bytes).digest("hex"))
    }
    assert.notStrictEqual(content("run", "check", "a", 64).sha256, content("run", "check", "b", 64).sha256)
  })
})
