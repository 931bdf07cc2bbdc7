import { assert, describe, it } from "@effect/vitest"
import { base62, hashSecret, isKey, makeKey } from "./secrets.ts"

const random = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd"

describe("API keys", () => {
  it("are slip_, 40 base62 characters, and the CRC-32 of what stands before in 6", () => {
    const key = makeKey(random)
    assert.match(key, /^slip_[0-9A-Za-z]{46}$/)
    assert.isTrue(key.startsWith(`slip_${random}`))
    assert.isTrue(isKey(key))
  })

  it("the checksum is the CRC-32 that everyone uses", () => {
    // Worked out with zlib's crc32.
    assert.strictEqual(makeKey(random).slice(-6), "238L40")
  })

  it("any one character changed, left out or doubled is a typo", () => {
    const key = makeKey(random)
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "x" ? "y" : "x"
      assert.isFalse(isKey(key.slice(0, at) + other + key.slice(at + 1)), `changed at ${at}`)
      assert.isFalse(isKey(key.slice(0, at) + key.slice(at + 1)), `left out at ${at}`)
      assert.isFalse(isKey(key.slice(0, at) + key[at] + key.slice(at)), `doubled at ${at}`)
    }
    assert.isFalse(isKey(`${key}\n`))
  })

  it("base62 characters are equally likely: bytes that would favour some are skipped", () => {
    const counts = new Map<string, number>()
    const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    for (const character of base62(everyByte, 248) ?? "") counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.strictEqual(counts.size, 62)
    assert.deepStrictEqual([...new Set(counts.values())], [4])
  })

  it("base62 reports that the bytes ran out", () => {
    assert.isUndefined(base62(new Uint8Array(39), 40))
    assert.isUndefined(base62(new Uint8Array(100).fill(255), 40))
  })
})

describe("what is stored of a secret", () => {
  it("is its SHA-256", () => {
    assert.strictEqual(hashSecret("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })
})
