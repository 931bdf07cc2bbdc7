/** The pages on which owners make, see and revoke share links. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { testEngines } from "../http/testing/engines.ts"
import { readyPreview, uploader } from "../http/testing/previews.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { signIn, unescaped, visit } from "./testing/visit.ts"

/** The page of a preview's links, for its owner. */
const ground = Effect.gen(function* () {
  const account = yield* uploader
  const { shareId } = yield* readyPreview(account)
  return { account, shareId, cookie: yield* signIn(account.key), path: `/previews/${shareId}/shares` }
})

const revocations = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/action="[^"]*\/shares\/([^/"]+)\/revoke"/g)].map(([, id]) => id ?? "")

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`the links to a preview, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("a hundred are a page, which leads to the older ones", () =>
      Effect.gen(function* () {
        const { account, cookie, path, shareId } = yield* ground
        const host = yield* TestHost
        const make = host.call("POST", `/api/v1/previews/${shareId}/shares`, { key: account.key, body: {} })
        yield* Effect.forEach(Array.from({ length: 101 }), () => make)
        const newest = yield* visit("GET", path, { cookie })
        assert.lengthOf(revocations(newest.text), 100)
        const older = /href="([^"]*\/shares\?after=[^"]+)"/.exec(unescaped(newest.text))?.[1] ?? ""
        const last = yield* visit("GET", older, { cookie })
        assert.lengthOf(revocations(last.text), 1)
        assert.notInclude(revocations(newest.text), revocations(last.text)[0])
        assert.notInclude(unescaped(last.text), "?after=")
        assert.include(unescaped(last.text), `href="${path}"`)
      })
    )

    it.effect("what no id looks like is not found", () =>
      Effect.gen(function* () {
        const { cookie, path } = yield* ground
        const { url } = yield* TestHost
        const headers = { origin: url }
        assert.strictEqual((yield* visit("GET", `${path}?after=%00`, { cookie })).status, 404)
        assert.strictEqual((yield* visit("POST", `${path}/%00/revoke`, { cookie, headers })).status, 404)
      })
    )
  })
}
