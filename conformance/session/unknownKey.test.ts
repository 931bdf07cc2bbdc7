import { Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { keyHeader } from "./keyHeader.ts"
import type { Keys } from "./Keys.ts"
import { unknownKey } from "./unknownKey.ts"

const keys = (all: string): Keys => ({ a: { all: Redacted.make(all) }, b: {} })

describe("an unknown key", () => {
  it("has the form of the real key and shares only its prefix", () => {
    const known = "slip_Ab3dEf7hIj1"
    const unknown = Redacted.value(unknownKey(keys(known), "run"))
    assert.match(unknown, /^slip_[A-Z][a-z]\d[a-z][A-Z][a-z]\d[a-z][A-Z][a-z]\d$/)
    assert.isTrue([...unknown].every((character, index) => index < 5 || character !== known[index]))
  })

  it("differs also when there is no prefix or little text after it", () => {
    for (const known of ["0123456789abcdef", "team_a", "A-1", "-----key"]) {
      assert.notStrictEqual(Redacted.value(unknownKey(keys(known), "run")), known)
    }
  })

  it("follows from the run", () => {
    const of = (run: string) => Redacted.value(unknownKey(keys("slip_Ab3dEf7hIj1"), run))
    assert.strictEqual(of("one"), of("one"))
    assert.notStrictEqual(of("one"), of("another"))
  })
})

describe("the header of a key", () => {
  it("holds the key as the binding says", () => {
    const key = Redacted.make("k:1")
    const header = (value: string) => keyHeader({ header: "X-Access", value }, key)
    assert.deepStrictEqual(header("Bearer {key}"), { "x-access": "Bearer k:1" })
    assert.deepStrictEqual(header("{key:base64}"), { "x-access": "azox" })
    assert.deepStrictEqual(header("Basic {basic}"), { "x-access": "Basic azoxOg==" })
    assert.deepStrictEqual(header('key="{key}" {other}'), { "x-access": 'key="k:1" {other}' })
  })
})
