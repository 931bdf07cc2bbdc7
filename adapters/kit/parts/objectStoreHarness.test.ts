import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import { it } from "../../../core/testing/layer.ts"
import { putTogether, tamperings } from "./objectStoreHarness.ts"

/** A server that refuses each PUT before its body. */
const refusing = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer().on("checkContinue", (_, response) => response.writeHead(400).end("no such bucket"))
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
)

it.live("PUTs that the store answers before their bodies fail with that answer", function* () {
  const address = (yield* refusing).address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`
  const exit = yield* Effect.exit(putTogether(url, "text/plain", [new Uint8Array(1), new Uint8Array(1)]))
  assert.include(String(exit), "the store answered 400 before the body: no such bucket")
})

describe("the ways to change a parameter of a URL", () => {
  it("are other URLs, also where a parameter is empty", () => {
    const url = "http://127.0.0.1/a?empty=&signature=ab"
    const all = tamperings(url)
    assert.deepStrictEqual(
      all.filter(([, tampered]) => tampered === url),
      []
    )
    for (const name of ["empty", "signature"]) {
      const changed = all.map(([how]) => how)
      assert.includeMembers(changed, [`${name} longer`, `no ${name}`, `a second ${name}`])
    }
  })
})
