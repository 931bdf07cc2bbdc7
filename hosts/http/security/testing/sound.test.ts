/** Which secrets in an answer are a fault. */
import { assert, describe, it } from "@effect/vitest"
import { faultsOf } from "./sound.ts"
import { wire } from "./wire.ts"

const asked = wire("GET", "/api/v1/usage?a=%73lip_held")
const answered = (text: string) => ({
  status: 200,
  headers: { "x-request-id": "a", "content-type": "application/json" },
  rawHeaders: ["x-request-id", "a"],
  body: Buffer.from(text),
  text
})

describe("an answer", () => {
  it("is sound without the secrets that the host knows", () => {
    assert.deepStrictEqual(faultsOf(["slip_a", "slip_b"])(asked, answered("{}")), [])
    assert.deepStrictEqual(faultsOf([])(asked, answered("{}")), [])
  })

  it("is not with any of them, as they are, but for one that the request has itself", () => {
    const faults = faultsOf(["slip_a", "slip_held", "a.c"])
    assert.deepStrictEqual(faults(asked, answered('["abc", "a.c", "slip_held", "slip_a"]')), [
      "it reveals a secret: a.c",
      "it reveals a secret: slip_a"
    ])
  })
})
