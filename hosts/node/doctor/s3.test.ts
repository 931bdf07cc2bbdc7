/** What the doctor reports about stores that enforce too little, or that pages of other origins can't read. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from "node:http"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import { it } from "../../../core/testing/layer.ts"
import { corsFinding, refusalFindings } from "./s3.ts"

interface Answered {
  readonly status: number
  readonly headers?: OutgoingHttpHeaders
}

/** A server with this behaviour, and a URL of it that looks signed. */
const startServer = Effect.fnUntraced(function* (answer: (request: IncomingMessage) => Answered) {
  const server = createServer((request, response) => {
    const { headers = {}, status } = answer(request)
    request.resume().once("end", () => response.writeHead(status, headers).end())
  })
  const port = yield* Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return `http://127.0.0.1:${port}/bucket/doctor/key?X-Amz-Signature=0a`
})

const signed = { contentType: "text/plain", sizeBytes: 4 }
const settings = {
  bucket: "bucket",
  endpoint: undefined,
  region: undefined,
  prefix: undefined,
  forcePathStyle: undefined
}

describe("a store that checks less than was signed", () => {
  for (const [accepts, ...said] of [
    [() => false],
    [({ url = "" }: IncomingMessage) => !url.endsWith("=0a"), "a tampered signature"],
    [({ url = "" }: IncomingMessage) => !url.includes("/key?"), "another key"],
    [({ headers }: IncomingMessage) => headers["content-type"] === "text/html", "another content type"],
    [({ headers }: IncomingMessage) => headers["content-length"] === "5", "another length"],
    [({ method }: IncomingMessage) => method === "DELETE", "another method"],
    [() => true, "a tampered signature", "another key", "another content type", "another length", "another method"]
  ] as const) {
    it.effect(`takes ${said.join(", ") || "nothing that it shouldn't"}`, function* () {
      const url = yield* startServer((request) => ({ status: accepts(request) ? 200 : 403 }))
      const findings = yield* refusalFindings(url, signed)
      assert.deepStrictEqual(
        findings.flatMap((finding) => (finding.ok ? [] : [finding.detail])),
        said.map((what) => `the store accepts a PUT URL with ${what}`)
      )
    })
  }

  it.effect("fails each check that it answers with an error of its own", function* () {
    const findings = yield* refusalFindings(yield* startServer(() => ({ status: 503 })), signed)
    assert.deepStrictEqual(new Set(findings.map(({ ok }) => ok)), new Set([false]))
  })
})

describe("a bucket that pages of other origins", () => {
  const any = { "access-control-allow-origin": "*" }
  for (const [what, whole, asked, said] of [
    ["may read", any, { ...any, "access-control-allow-headers": "Range" }, undefined],
    ["may not read", {}, {}, "the bucket bucket lets no page of another origin read its presigned URLs"],
    [
      "may read when they are another's",
      { "access-control-allow-origin": "https://viewer.example" },
      {},
      "the bucket bucket lets no page of another origin read its presigned URLs"
    ],
    ["may read as a whole only", any, any, "the bucket bucket lets pages of other origins read no ranges"]
  ] as const) {
    it.effect(what, function* () {
      const url = yield* startServer(({ method }) => ({ status: 200, headers: method === "OPTIONS" ? asked : whole }))
      const finding = yield* corsFinding("CORS", url, settings)
      assert.strictEqual(finding.ok ? undefined : finding.detail, said)
    })
  }
})
