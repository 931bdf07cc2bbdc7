import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { SessionSource } from "../model/Session.ts"
import { isSessionLive, storedSource } from "./sessions.ts"

describe("isSessionLive", () => {
  it("ends at the very instant at which the session expires", () => {
    const expiresAt = DateTime.makeUnsafe(1000)
    assert.isTrue(isSessionLive({ expiresAt }, DateTime.makeUnsafe(999)))
    assert.isFalse(isSessionLive({ expiresAt }, DateTime.makeUnsafe(1000)))
    assert.isFalse(isSessionLive({ expiresAt }, DateTime.makeUnsafe(1001)))
  })
})

describe("keptSource", () => {
  const isKept = Schema.is(SessionSource)

  it("keeps what is plain as it is", () => {
    const source = { address: "2001:db8::1", userAgent: "Mozilla/5.0 (ünïcode 🙂)" }
    assert.deepStrictEqual(storedSource(source), source)
  })

  it("omits absent and empty values", () => {
    assert.deepStrictEqual(storedSource({}), {})
    assert.deepStrictEqual(storedSource({ address: "", userAgent: " \t\u0000\u009f" }), {})
  })

  it("replaces control characters by spaces", () => {
    assert.deepStrictEqual(storedSource({ address: "\u00001\r\n2", userAgent: "a\u0085\u001b[31mb\u007f" }), {
      address: "1 2",
      userAgent: "a [31mb"
    })
  })

  it("cuts a text that is too long without splitting a character", () => {
    for (const long of ["x".repeat(10_000), "🙂".repeat(10_000), `x${"🙂".repeat(10_000)}`, "\ud83d".repeat(10_000)]) {
      const source = storedSource({ address: long, userAgent: long })
      assert.strictEqual(source.userAgent?.length, 512)
      assert.strictEqual(source.address?.length, 64)
      assert.isTrue(isKept(source))
    }
  })
})
