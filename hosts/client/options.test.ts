/** The options of the client, on requests that a function answers. */
import { assert, describe, it } from "vitest"
import { createClient, type ClientOptions } from "./index.ts"

/** A client, and the requests that it sent. */
const sending = (options: Omit<ClientOptions, "url" | "fetch">) => {
  const sent: Array<Request> = []
  const client = createClient({
    url: "https://slipway.example",
    ...options,
    fetch: async (input, init) => {
      sent.push(new Request(input, init))
      return Response.json({})
    }
  })
  return { client, sent }
}

const refusal = (wrong: Record<string, unknown>): string => {
  try {
    createClient(Object.assign({ url: "https://slipway.example", key: "slip_1" }, wrong))
  } catch (error) {
    assert.instanceOf(error, TypeError)
    return error.message
  }
  return assert.fail("it was accepted")
}

describe("the credential", () => {
  it("of a function is a new one for each call", async () => {
    let made = 0
    const { client, sent } = sending({ key: async () => `slip_${++made}` })
    await client.usage()
    await client.usage()
    assert.deepStrictEqual(
      sent.map(({ headers }) => headers.get("authorization")),
      ["Bearer slip_1", "Bearer slip_2"]
    )
  })

  it("that a function can't get rejects the call with its reason, and nothing is sent", async () => {
    const reason = new Error("signed out")
    const { client, sent } = sending({ key: () => Promise.reject(reason) })
    assert.strictEqual(await client.usage().catch((error: unknown) => error), reason)
    assert.isEmpty(sent)
  })

  it("may be the cookies of a browser", async () => {
    const { client, sent } = sending({ credentials: "include" })
    await client.usage()
    assert.deepStrictEqual(
      sent.map(({ credentials, headers }) => [credentials, headers.get("authorization")]),
      [["include", null]]
    )
  })
})

describe("a wrong argument is named", () => {
  for (const [name, wrong] of [
    ["url", { url: undefined }],
    ["key", { key: "two words" }],
    ["key is missing", { key: undefined }],
    ["credentials", { credentials: "all" }],
    ["retries", { retries: -1 }],
    ["timeouts.finalize", { timeouts: { finalize: 0 } }]
  ] as const) {
    it(name, () => assert.include(refusal(wrong), name))
  }

  it("of a method", async () => {
    const { client, sent } = sending({ key: "slip_1" })
    const rejected = (call: Promise<unknown>) => call.catch((error: unknown) => String(error))
    assert.include(await rejected(client.builds.read("")), "id must be a text that isn't empty")
    assert.include(await rejected(client.previews.read("..")), "shareId must be")
    assert.include(await rejected(client.testRuns.revokeShare("a", "")), "link must be")
    assert.isEmpty(sent)
  })
})

describe("options", () => {
  it("that don't fit are reported", () => {
    const make = (options: Partial<ClientOptions>) => () =>
      createClient({ url: "https://slipway.example", key: "slip_1", ...options })
    assert.throws(make({ url: "slipway.example" }), TypeError, "url must be")
    assert.throws(make({ url: "ftp://slipway.example" }), TypeError, "url must be")
    assert.throws(make({ key: "" }), TypeError, "key must be")
    assert.throws(make({ key: "slip_1\n" }), TypeError, "key must be")
    // @ts-expect-error JavaScript may leave it out.
    assert.throws(() => createClient(), TypeError, "url must be")
    assert.doesNotThrow(make({}))
  })
})
