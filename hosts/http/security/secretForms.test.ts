import { assert, describe, it } from "vitest"
import { gzipSync } from "node:zlib"
import { secretsIn } from "./testing/secretForms.ts"

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
