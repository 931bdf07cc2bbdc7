/** Which secrets in an answer are a fault. */
import { assert, describe, it } from "vitest"
import { gzipSync } from "node:zlib"
import { faultsOf } from "./sound.ts"
import { wire } from "./wire.ts"
import { secretsIn } from "./secretForms.ts"

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

const secret = "slip_a?b/c d+é~1234567890"
const secrets = new Map([
  ["the key", secret],
  ["another", "something else entirely"]
])

const encoded = encodeURIComponent(secret)

describe("the search for secrets", () => {
  it.each([
    ["as it is", `level=INFO message="asked with ${secret}"`],
    ["percent-encoded", `/path?key=${encoded}&more=1`],
    ["percent-encoded twice", `to=${encodeURIComponent(encoded)}`],
    ["in JSON", JSON.stringify({ message: `asked with ${secret}` })],
    ["as basic authentication", `Basic ${Buffer.from(`user:${secret}:more`).toString("base64")}`],
    ["in base64url", Buffer.from(`ab${secret}c`).toString("base64url")],
    ["in base64 by itself", Buffer.from(secret).toString("base64")],
    ["in hexadecimal", Buffer.from(secret).toString("hex")]
  ])("finds one %s", (_, text) => {
    assert.deepStrictEqual(secretsIn(text, secrets), ["the key"])
    assert.deepStrictEqual(secretsIn(Buffer.concat([gzipSync("bytes"), Buffer.from(text)]), secrets), ["the key"])
  })

  it("finds none where there is none", () => {
    assert.deepStrictEqual(secretsIn("slip_a?b/c d+é~123456789", secrets), [])
  })
})
