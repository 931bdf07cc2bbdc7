/** Pages over uploaded text that is made to be slow: while one page is made, every other request waits, so that is bounded work. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { layer } from "../../core/testing/layer.ts"
import { CreateShareLinkResponse } from "../../core/api/shareLinks.ts"
import { enginesWithOwnUrls } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { parsedPerTurn } from "../http/testing/turnWork.ts"
import type { Account } from "../http/testing/uploads.ts"
import { hostileFiles, hostileRecordings, recordedRun, runAccount } from "./testing/runs.ts"
import { uploadPreview } from "./testing/previews.ts"
import { signIn, visit } from "./testing/visit.ts"

/** How many characters a page may have, and how many one turn of the event loop may parse for it. */
const most = { page: 3_000_000, parsed: 2 ** 20 }

/** Requests a page, checks that making it was bounded work, and returns it. */
const boundedPage = Effect.fnUntraced(function* (path: string, cookie: string | undefined, what: string) {
  const { most: parsed, result } = yield* parsedPerTurn(visit("GET", path, { cookie }))
  assert.isAtMost(parsed, most.parsed, `characters that one turn of the event loop parses for the page of ${what}`)
  assert.isAtMost(result.text.length, most.page, `characters of the page of ${what}`)
  assert.strictEqual(result.status, 200, what)
  return result.text
})

const shareOf = Effect.fnUntraced(function* ({ key }: Pick<Account, "key">, id: string) {
  const host = yield* TestHost
  const { json } = yield* host.call("POST", `/api/v1/test-runs/${id}/shares`, { key, body: {} })
  return new URL((yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(json)).url).pathname
})

for (const engines of enginesWithOwnUrls()) {
  layer(TestHost.layer(engines))(`hostile text on ${engines.metadata} and ${engines.objects}`, (it) => {
    for (const [what, recordings] of Object.entries(hostileRecordings)) {
      it.effect(`a run of ${what} is shown as far as it was read, and has a note`, function* () {
        const account = yield* runAccount
        const run = yield* recordedRun(account, recordings, { status: "failed" })
        const cookie = yield* signIn(account.key)
        const shared = yield* shareOf(account, run.id)
        for (const path of [`/runs/${run.id}`, shared]) {
          const page = yield* boundedPage(path, cookie, what)
          assert.match(page, /<p class="more" ?>The events have more steps than are shown here.</)
          assert.include(page, " and more</span>")
        }
        const sides = new URLSearchParams({ left: run.id, right: run.id })
        const compared = yield* boundedPage(`/compare?${sides}`, cookie, `a comparison of ${what}`)
        assert.include(compared, "One of the runs has more steps than are compared here.")
      })
    }

    it.effect("files of very long paths are listed as far as there is room for them, and it is said", function* () {
      const { key } = yield* runAccount
      const files = Array.from({ length: 200 }, (_, n) => ({
        path: `${"<".repeat(1000)}${n}`,
        contentType: "text/plain",
        sizeBytes: 1
      }))
      const content = new Uint8Array([65])
      const { shareId } = yield* uploadPreview({ key }, { files }, { files: files.map(() => content) })
      const page = yield* boundedPage(`/previews/${shareId}`, yield* signIn(key), "files of very long paths")
      assert.match(page, /These are the first \d+: their paths are too long to list all of them\./)
    })

    it.effect("files are shown as far as they were read, with a note", function* () {
      const { key } = yield* runAccount
      const files = Object.entries(hostileFiles)
      const { shareId } = yield* uploadPreview(
        { key },
        {
          files: files.map(([path, { bytes, contentType }]) => ({ path, contentType, sizeBytes: bytes.byteLength }))
        },
        { files: files.map(([, { bytes }]) => bytes) }
      )
      const cookie = yield* signIn(key)
      for (const [path] of files) {
        yield* boundedPage(`/previews/${shareId}/view?${new URLSearchParams({ path })}`, cookie, path)
      }
    })
  })
}
