/**
 * A caller with access to some repositories of an account requests everything of another one, in every way of the API. The
 * answer is that for what doesn't exist, and nothing changes.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Authenticate, OwnAuthenticate } from "../authenticate.ts"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../testing/engines.ts"
import { TestHost } from "../testing/TestHost.ts"
import { newHoldings, type Holdings } from "./testing/holdings.ts"
import { likeButNone, namesOf, probes, type Names } from "./testing/probes.ts"
import { inventory, snapshot } from "./testing/snapshot.ts"
import { send, shown, type WireRequest } from "./testing/wire.ts"

/** The key's account, narrowed to the repositories that headers name. */
const authenticate: Authenticate = async (request, byKey) => {
  const [who, sees, changes] = [
    await byKey(),
    request.headers.get("x-sees"),
    request.headers.get("x-changes") ?? undefined
  ]
  if (who === undefined || sees === null) return who
  const among = (names: string) => (repository: { readonly owner: string; readonly repo: string }) =>
    names.split(",").includes(`${repository.owner}/${repository.repo}`)
  return {
    ...who,
    repositories: sees.split(","),
    writableRepositories: changes === undefined ? undefined : among(changes)
  }
}

layer(TestHost.layer(inMemory, { rates: {} }).pipe(Layer.provide(Layer.succeed(OwnAuthenticate, authenticate))))(
  "of a repository that the caller may not see or change",
  (it) => {
    const requestsOf = (names: Names, own: Holdings, access: Readonly<Record<string, string>>) =>
      probes.flatMap((probe): ReadonlyArray<WireRequest> => {
        const made = probe(names, own, { key: own.key, cookie: undefined })
        if (made.headers["authorization"] === undefined) return []
        return [{ ...made, headers: { ...made.headers, ...access, "x-request-id": "probe" } }]
      })
    const comparable = (text: string, ...all: ReadonlyArray<Names>) =>
      all
        .flatMap((names) => Object.values(names))
        .reduce((left, name) => left.replaceAll(name, "…").replaceAll(encodeURIComponent(name), "…"), text)

    const assertHidden = Effect.fnUntraced(function* (
      holdings: Holdings,
      access: Readonly<Record<string, string>>,
      isTried: (request: WireRequest) => boolean,
      isSeen = false
    ) {
      const { url } = yield* TestHost
      const before = { snapshot: yield* snapshot(holdings), inventory: yield* inventory(holdings) }
      const [names, none] = [namesOf(holdings), likeButNone(holdings)]
      const theirs = requestsOf(names, holdings, access)
      const nobodys = requestsOf(none, holdings, access)
      let tried = 0
      for (const [index, request] of theirs.entries()) {
        const other = nobodys[index]
        if (other === undefined || !isTried(request)) continue
        tried += 1
        const [answer, expected] = [yield* send(url, request), yield* send(url, other)]
        assert.strictEqual(answer.status, expected.status, `${shown(request)}\n${answer.text}`)
        // A tool of agents reads the test before it changes its quarantine.
        if (!isSeen || request.target !== "/mcp")
          assert.strictEqual(comparable(answer.text, names), comparable(expected.text, none, names), shown(request))
        assert.isTrue(answer.status >= 300 || answer.text.includes('"isError":true'), shown(request))
      }
      assert.deepStrictEqual(yield* snapshot(holdings), before.snapshot)
      assert.deepStrictEqual(yield* inventory(holdings), before.inventory)
      return tried
    })

    it.effect("everything answers like what doesn't exist, and nothing changes", function* () {
      const holdings = yield* newHoldings
      assert.isAbove(yield* assertHidden(holdings, { "x-sees": "nobody/none" }, () => true), 150)
    })

    it.effect("what the caller only sees is read like before, and not changed", function* () {
      const { url } = yield* TestHost
      const holdings = yield* newHoldings
      const access = { "x-sees": `${holdings.owner}/${holdings.repo}`.toUpperCase(), "x-changes": "nobody/none" }
      // The tools of agents that change something are about quarantines.
      const isRead = ({ body, method, target }: WireRequest) =>
        method === "GET" ||
        method === "HEAD" ||
        (target === "/mcp" && !/"(?:quarantine_test|end_quarantine)"/.test(Buffer.from(body ?? []).toString()))
      assert.isAbove(yield* assertHidden(holdings, access, (request) => !isRead(request), true), 50)
      const [narrowed, whole] = [access, {}].map((headers) => requestsOf(namesOf(holdings), holdings, headers))
      let read = 0
      for (const [index, request] of (narrowed ?? []).entries()) {
        const other = whole?.[index]
        if (other === undefined || !isRead(request)) continue
        const [answer, expected] = [yield* send(url, request), yield* send(url, other)]
        // A preview of no repository is seen only by who sees the whole account.
        if (answer.status !== expected.status && expected.status < 300) {
          assert.include(expected.text, '"git":{}', shown(request))
          continue
        }
        read += answer.status < 300 ? 1 : 0
      }
      assert.isAbove(read, 5)
    })
  }
)
