import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { HttpResponse, Request } from "./Exchange.ts"
import { makeRedactor } from "./redaction.ts"
import { toResponse } from "./transport.ts"

const api = "https://service.example/api/v1"
const as = { account: "a", key: "all" } as const

const answered = (json: unknown, headers: Record<string, string> = {}): HttpResponse =>
  toResponse(201, headers, JSON.stringify(json))

const get = (url: string): Request => ({ method: "GET", url, as })
const post = (json: Record<string, string>): Request => ({ method: "POST", url: `${api}/builds`, as, json })

/** The recording of successive requests and answers. */
const kept = (
  meetings: ReadonlyArray<readonly [Request, HttpResponse]>,
  options: { readonly secrets?: ReadonlyArray<string>; readonly learned?: ReadonlyArray<string> } = {}
) => {
  const redactor = makeRedactor({ cursorParameter: "cursor", secrets: options.secrets ?? [] })
  for (const [request, answer] of meetings) {
    redactor.sent(request)
    redactor.learnFrom(answer)
    for (const secret of options.learned ?? []) redactor.learn(secret)
  }
  return meetings.map(([request, answer]) => redactor.exchange({ at: 0, retries: 0, request, answer }))
}

/** The forms in which a secret may be written into JSON, a URL or a form. */
const spellings = (secret: string): ReadonlyArray<string> => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ "": secret }).toString().slice(1),
  JSON.stringify(secret).slice(1, -1)
]

const assertGone = (exchanges: unknown, secrets: ReadonlyArray<string>) => {
  const text = JSON.stringify(exchanges)
  // Once unchanged, and once as it is written in JSON text within JSON text.
  for (const spelling of secrets.flatMap(spellings).flatMap((one) => [one, JSON.stringify(one).slice(1, -1)])) {
    assert.notInclude(text, spelling)
  }
}

const Secret = Schema.String.check(Schema.isPattern(/^[!-~À-ʯ]{12,60}$/))

describe("a recording of requests and answers", () => {
  it.prop(
    "holds no token, presigned query, secret URL path or key anywhere",
    { token: Secret, signature: Secret, capability: Secret, key: Secret, bound: Secret },
    ({ bound, capability, key, signature, token }) => {
      const putUrl = `https://storage.example/objects/1?X-Signature=${encodeURIComponent(signature)}&X-Expires=1795268`
      const bare = `https://storage.example/put/${encodeURIComponent(capability)}`
      const reserved = answered(
        { reservation: { uploadToken: token }, slots: [{ putUrl }, { putUrl: bare }], ticket: bound },
        { location: putUrl, "set-cookie": key }
      )
      const echo = toResponse(
        403,
        {},
        `<Error><Signature>${signature}</Signature>${token} ${bound} ${encodeURIComponent(token)} ${putUrl} ${bare}</Error>`
      )
      const exchanges = kept(
        [
          [post({ branch: "main" }), reserved],
          [{ method: "PUT", url: putUrl, as: "none" }, echo],
          [{ method: "PUT", url: bare, as: "none" }, toResponse(200, { etag: signature }, "")],
          [post({ operation: "finalize", token }), answered({ said: { token }, [token]: key, list: [bound] })],
          [post({ ticket: bound }), answered({ note: `The ticket ${bound} of the key ${key} is used up` })]
        ],
        { secrets: [key], learned: [bound] }
      )
      assertGone(exchanges, [token, signature, capability, key, bound])
      assert.include(JSON.stringify(exchanges), "https://storage.example/objects/1?X-Signature=‹redacted")
    }
  )

  it("marks equal secrets equally, numbered in order of appearance", () => {
    const [first, second] = kept([
      [post({ branch: "main" }), answered({ token: "one-token-of-theirs", other: { secret: "another secret" } })],
      [post({ token: "one-token-of-theirs" }), answered({})]
    ])
    assert.strictEqual(first?.answer.text, '{"token":"‹redacted 1›","other":{"secret":"‹redacted 2›"}}')
    assert.deepStrictEqual(second?.request.json, { token: "‹redacted 1›" })
  })

  it("keeps what the check itself sent, and what the interface documents", () => {
    const url = `${api}/test-runs?org=acme&repo=app&limit=5&cursor=opaque`
    const [list] = kept([
      [get(url), answered({ items: [], next: `${api}/test-runs?cursor=opaque&signed=by-the-target-itself` })]
    ])
    assert.strictEqual(list?.request.url, url)
    const [made] = kept([
      [post({ token: "no-such-token" }), answered({ error: "unknown token", token: "no-such-token" })]
    ])
    assert.deepStrictEqual(made?.request.json, { token: "no-such-token" })
    assert.strictEqual(made?.answer.text, '{"error":"unknown token","token":"no-such-token"}')
  })

  it("keeps the lifetime of a presigned URL and no other short value", () => {
    const putUrl = "https://s3.example/b/k?X-Amz-Date=20261121T101112Z&X-Amz-Expires=900&v=7&X-Amz-Signature=abc"
    const [reserved] = kept([[post({ branch: "main" }), answered({ putUrl })]])
    assert.strictEqual(
      reserved?.answer.text,
      '{"putUrl":"https://s3.example/b/k?X-Amz-Date=20261121T101112Z&X-Amz-Expires=900&v=‹redacted 1›&X-Amz-Signature=‹redacted 2›"}'
    )
  })

  it("redacts a short secret where it stands, and leaves equal text elsewhere", () => {
    const [first, second] = kept([
      [post({ branch: "main" }), answered({ token: "ab1", url: "https://x.example/ab1" })],
      [post({ token: "ab1" }), answered({ token: "ab1" })]
    ])
    assert.strictEqual(first?.answer.text, '{"token":"‹redacted 1›","url":"https://x.example/ab1"}')
    assert.deepStrictEqual(second?.request.json, { token: "‹redacted 1›" })
  })

  it("keeps only the headers on the list", () => {
    const headers = { "content-type": "text/css", authorization: "Bearer of-a-check", "x-amz-security-token": "s" }
    const [exchange] = kept([
      [
        { ...get(`${api}/builds`), headers },
        answered({}, { "content-type": "application/json", "set-cookie": "session=1", server: "nginx/1.2" })
      ]
    ])
    assert.deepStrictEqual(exchange?.request.headers, { "content-type": "text/css" })
    assert.deepStrictEqual(exchange?.answer.headers, { "content-type": "application/json" })
  })

  it("holds no object store's explanation of a wrong signature", () => {
    const text =
      "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKIA</AWSAccessKeyId>" +
      "<StringToSign>AWS4-HMAC-SHA256\n2026</StringToSign><CanonicalRequest>PUT\n/k</CanonicalRequest></Error>"
    const [exchange] = kept([[get(`${api}/builds`), toResponse(403, {}, text)]])
    assert.strictEqual(
      exchange?.answer.text,
      "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>‹redacted 1›</AWSAccessKeyId>" +
        "<StringToSign>‹redacted 2›</StringToSign><CanonicalRequest>‹redacted 3›</CanonicalRequest></Error>"
    )
  })

  it("doesn't change what is redacted already", () => {
    const redactor = makeRedactor({ cursorParameter: "cursor", secrets: [] })
    for (const text of ["‹redacted 3›", "https://h.example/p?sig=‹redacted 4›&x=‹redacted 12›"]) {
      assert.strictEqual(redactor.text(text), text)
    }
    assert.deepStrictEqual(redactor.json({ token: "‹redacted 9›" }), { token: "‹redacted 9›" })
  })

  it("accepts a lone surrogate", () => {
    const [exchange] = kept([[post({ branch: "main" }), toResponse(200, {}, '{"token":"\\ud800 is half of a pair"}')]])
    assert.strictEqual(exchange?.answer.text, '{"token":"‹redacted 1›"}')
  })
})
