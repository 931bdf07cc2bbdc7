/** The viewer's forms are small: a larger body is refused before it is decoded. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { enginesWithOwnUrls } from "../../http/testing/engines.ts"
import { readyPreview, uploader } from "../../http/testing/previews.ts"
import { refusal } from "../../http/testing/refusals.ts"
import { call, TestHost } from "../../http/testing/TestHost.ts"
import { parsedPerTurn } from "../../http/testing/turnWork.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { signIn, visit } from "../testing/visit.ts"

/** How many bytes of forms one turn of the event loop may parse. */
const mostParsed = 16 * 1024
const form = { "content-type": "application/x-www-form-urlencoded" }

const large = {
  "half a million fields": bytes("a&".repeat(520_000)),
  "half a million fields of the same name, with values": bytes("key=a&".repeat(170_000)),
  "a megabyte of key": bytes(`key=${"a".repeat(1_000_000)}`),
  "a megabyte of signs to decode": bytes(`key=${"%41".repeat(340_000)}`),
  "a little more than the most": bytes("a".repeat(8 * 1024 + 1)),
  "too many fields": bytes("a&".repeat(16))
}

/** Sends a body without declaring its length; returns the status. */
const inChunks = Effect.fnUntraced(function* (path: string, body: Uint8Array) {
  const { url } = yield* TestHost
  return yield* Effect.callback<number | undefined>((resume) => {
    const sent = request(url + path, { method: "POST", headers: form }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
    // The host may end the connection while the rest is still being sent.
    sent.on("error", () => {})
    sent.write(body.subarray(0, 1000))
    sent.end(body.subarray(1000))
  })
})

for (const engines of enginesWithOwnUrls()) {
  layer(TestHost.layer(engines))(`forms of the viewer on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("one that is too large is refused, signed in or not, and nothing is done", () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const account = yield* uploader
        const { shareId } = yield* readyPreview(account)
        const cookie = yield* signIn(account.key)
        const shares = `/previews/${shareId}/shares`
        for (const path of ["/sign-in", shares, `${shares}/x/revoke`, "/runs/x/shares"]) {
          for (const [what, raw] of Object.entries(large)) {
            const { most, result } = yield* parsedPerTurn(
              call("POST", url + path, { raw, headers: { ...form, cookie } })
            )
            assert.isAtMost(most, mostParsed, `${path}: ${what}`)
            yield* refusal(result, 413, "payload_too_large")
          }
        }
        assert.notInclude((yield* visit("GET", shares, { cookie })).text, "/revoke")
      })
    )

    it.effect("it is refused while it is read if its length isn't declared", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* inChunks("/sign-in", large["half a million fields"]), 413)
      })
    )

    it.effect("eight at once don't block other requests either", () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const send = call("POST", `${url}/sign-in`, { raw: large["half a million fields"], headers: form })
        const eight = Effect.all(
          Array.from({ length: 8 }, () => send),
          { concurrency: "unbounded" }
        )
        assert.isAtMost((yield* parsedPerTurn(eight)).most, mostParsed)
      })
    )

    it.effect("a key that is far too long is refused", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* visit("POST", "/sign-in", { form: { key: "a".repeat(2000) } })).status, 400)
      })
    )

    it.effect("signing out reads no body, however large it is", () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const { key } = yield* uploader
        const headers = { ...form, cookie: yield* signIn(key) }
        const send = call("POST", `${url}/sign-out`, { raw: large["half a million fields"], headers })
        const { most, result } = yield* parsedPerTurn(send)
        assert.isAtMost(most, mostParsed)
        assert.strictEqual(result.status, 200)
      })
    )
  })
}
