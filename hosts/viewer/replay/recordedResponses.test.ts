/** What is read of an HTTP archive, and which of its answers a request gets. */
import { assert, describe, it } from "vitest"
import { makeRecordedResponses, readHar } from "./recordedResponses.ts"

const own = "https://slipway.example"

const entry = (
  method: string,
  url: string,
  text: string,
  more: { readonly postData?: object; readonly status?: number } = {}
) => ({
  request: { method, url, ...(more.postData === undefined ? {} : { postData: more.postData }) },
  response: { status: more.status ?? 200, statusText: "OK", headers: [], content: { text } }
})

const har = (...entries: ReadonlyArray<unknown>): string => JSON.stringify({ log: { version: "1.2", entries } })

const answersOf = (...entries: ReadonlyArray<unknown>) => {
  const answers = makeRecordedResponses(readHar(har(...entries)).exchanges, own)
  return (method: string, url: string, body = "") => {
    const found = answers({ method, url, body })
    return found.kind === "none" ? found.why : found.answer.body
  }
}

describe("answers", () => {
  it("of the same request come in their order, and the last one again", () => {
    const ask = answersOf(
      entry("GET", "https://api.example/tides", "low"),
      entry("GET", "https://api.example/boats", "none"),
      entry("GET", "https://api.example/tides", "high")
    )
    const tides = () => ask("GET", "https://api.example/tides#now")
    assert.deepStrictEqual([tides(), tides(), tides()], ["low", "high", "high"])
    assert.strictEqual(ask("GET", "https://api.example/boats"), "none")
  })

  it("are found by method, whole URL and body, each with a turn of its own", () => {
    const json = (text: string) => ({ postData: { mimeType: "application/json", text } })
    const ask = answersOf(
      entry("POST", "https://api.example/slips", "first of A", json(`{"slip":"A"}`)),
      entry("POST", "https://api.example/slips", "of B", json(`{"slip":"B"}`)),
      entry("POST", "https://api.example/slips", "second of A", json(`{"slip":"A"}`))
    )
    const slips = (body: string) => ask("POST", "https://api.example/slips", body)
    assert.strictEqual(slips(`{"slip":"B"}`), "of B")
    assert.strictEqual(slips(`{"slip":"A"}`), "first of A")
    assert.strictEqual(slips(`{"slip":"A"}`), "second of A")
    assert.strictEqual(slips(`{"slip":"C"}`), "it was recorded with another body only")
    assert.strictEqual(ask("GET", "https://api.example/slips"), "it was not recorded")
    assert.strictEqual(ask("POST", "https://api.example/slips?all", `{"slip":"A"}`), "it was not recorded")
  })

  it("don't depend on a body that wasn't kept, or is another each time; a form's is put together", () => {
    const ask = answersOf(
      entry("PUT", "https://api.example/not-kept", "yes"),
      entry("POST", "https://api.example/parts", "yes", {
        postData: { mimeType: "multipart/form-data; boundary=1", text: "--1" }
      }),
      entry("POST", "https://api.example/form", "yes", {
        postData: {
          mimeType: "application/x-www-form-urlencoded",
          params: [
            { name: "boat", value: "Ann & Co" },
            { name: "feet", value: "12" }
          ]
        }
      })
    )
    assert.strictEqual(ask("PUT", "https://api.example/not-kept", "anything"), "yes")
    assert.strictEqual(ask("POST", "https://api.example/parts", "--2"), "yes")
    assert.strictEqual(ask("POST", "https://api.example/form", "boat=Ann+%26+Co&feet=12"), "yes")
    assert.notStrictEqual(ask("POST", "https://api.example/form", "boat=Ann"), "yes")
  })

  it("cost no look at the whole archive for each request", () => {
    let looks = 0
    const answer = { status: 200, statusText: "", headers: [], body: "" }
    const exchanges = Array.from({ length: 500 }, (_, index) => ({
      method: "GET",
      body: undefined,
      answer,
      get url() {
        looks += 1
        return `https://api.example/${index}`
      }
    }))
    const answers = makeRecordedResponses(exchanges, own)
    for (let index = 0; index < 500; index += 1) {
      const found = answers({ method: "GET", url: `https://api.example/${index}`, body: "" })
      assert.strictEqual(found.kind, "answer")
    }
    assert.isAtMost(looks, 2 * exchanges.length)
  })

  it("of the app's own host are found by their path, as an app asks the viewer's host there", () => {
    const ask = answersOf(entry("GET", "http://localhost:8081/api/tides?at=noon", "low"))
    assert.strictEqual(ask("GET", `${own}/api/tides?at=noon`), "low")
    assert.strictEqual(ask("GET", `${own}/api/tides`), "it was not recorded")
    assert.strictEqual(ask("GET", "https://elsewhere.example/api/tides?at=noon"), "it was not recorded")
  })
})

describe("an archive", () => {
  it("has statuses, headers and bodies; what belongs to the way that a body came by isn't given again", () => {
    const { exchanges } = readHar(
      "\uFEFF" +
        har({
          request: { method: "get", url: "https://api.example/picture" },
          response: {
            status: 418,
            statusText: "I’m a teapot",
            headers: [
              { name: "Content-Type", value: "image/png" },
              { name: "Content-Encoding", value: "gzip" },
              { name: "content-length", value: "9" },
              { name: ":status", value: "418" },
              { name: "x-split", value: "a\r\nb" },
              { name: "x-wide", value: "漢" },
              { name: ["x"], value: 1 }
            ],
            content: { encoding: "base64", text: btoa("\x89PNG") }
          }
        })
    )
    assert.deepStrictEqual(exchanges, [
      {
        method: "GET",
        url: "https://api.example/picture",
        body: undefined,
        answer: {
          status: 418,
          statusText: "Im a teapot",
          headers: [["Content-Type", "image/png"]],
          body: Uint8Array.from([0x89, 0x50, 0x4e, 0x47])
        }
      }
    ])
  })

  it("with broken entries is read without them, and they are counted", () => {
    const { exchanges, leftOut } = readHar(
      har(
        null,
        {},
        entry("GET", "not a URL", ""),
        entry("GET", "https://api.example/aborted", "", { status: 0 }),
        {
          request: { method: "GET", url: "https://api.example/broken" },
          response: { status: 200, content: { encoding: "base64", text: "%%" } }
        },
        { request: { url: "https://api.example/bare" }, response: { status: 204 } }
      )
    )
    assert.strictEqual(leftOut, 5)
    assert.deepStrictEqual(
      exchanges.map(({ answer, url }) => [url, answer.body]),
      [["https://api.example/bare", ""]]
    )
  })

  it("of any depth and any types is read without them", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    for (const text of [
      `{"log":{"entries":[${deep(200_000)},{"request":${deep(200_000)}}]}}`,
      `{"log":{"entries":[{"request":{"url":{"a":1},"method":[]},"response":{"status":"200"}},{"request":{"url":1}}]}}`,
      `{"log":{"entries":[{"__proto__":{"request":{"url":"https://a.example/"}},"constructor":1},"text"]}}`
    ]) {
      assert.deepStrictEqual(readHar(text), { exchanges: [], leftOut: 2 })
    }
  })

  it.for([
    ["", /JSON/],
    [har(entry("GET", "https://api.example/", "")).slice(0, 60), /JSON/],
    ["[]", /no log\.entries/],
    [`{"log":{"entries":{}}}`, /no log\.entries/]
  ] as const)("that is none is refused with a reason: %s", ([text, why]) => {
    assert.throws(() => readHar(text), why)
  })
})
