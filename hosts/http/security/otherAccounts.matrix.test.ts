/**
 * Another account requests everything that one account has, in every way. The answer is byte for byte the same as for
 * something that doesn't exist, and nothing changes.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { testEngines } from "../testing/engines.ts"
import { TestHost } from "../testing/TestHost.ts"
import { layer } from "../../../core/testing/layer.ts"
import { newHoldings, onceBody, type Holdings } from "./testing/holdings.ts"
import { likeButNone, namesOf, probes } from "./testing/probes.ts"
import { inventory, snapshot } from "./testing/snapshot.ts"
import { faultsOf } from "./testing/sound.ts"
import { send, shown, shownResponse, wire, type WireResponse } from "./testing/wire.ts"
import { signIn } from "../../viewer/testing/visit.ts"

/** The least number of requests, so that the test notices if the table shrinks. */
const fewest = 2000

/** The parts of two answers that are compared: everything but the time, with the requested names removed. */
const comparable = ({ body, rawHeaders, status }: WireResponse, asked: ReadonlyArray<string>): string => {
  const headers = rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && !/^(?:date|keep-alive|connection)$/i.test(rawHeaders[index - 1] ?? "")
      ? [`${rawHeaders[index - 1]}: ${value}`]
      : []
  )
  const text = `${status}\n${headers.join("\n")}\n\n${body.toString("latin1")}`
  return asked.reduce((left, name) => left.replaceAll(name, "…").replaceAll(encodeURIComponent(name), "…"), text)
}

/** Texts that would show that one account's data reached another. */
const marksOf = ({
  branch,
  build,
  links,
  name,
  openBuild,
  openPreview,
  owner,
  preview,
  runs
}: Holdings): ReadonlyArray<string> => [
  branch,
  `${name}`,
  owner,
  build.id,
  openBuild.id,
  preview.shareId,
  openPreview.shareId,
  ...Object.values(runs),
  ...Object.values(links).map(({ id }) => id)
]

for (const engines of testEngines()) {
  // Links and keys are tried out as fast as they are answered, so no rate slows that.
  layer(TestHost.layer(engines, { rates: {} }))(
    `of another account, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect(
        "everything answers like what doesn't exist, whatever key asks, and nothing of it changes",
        function* () {
          const { url } = yield* TestHost
          const own = yield* newHoldings
          const other = yield* newHoldings
          const before = { snapshot: yield* snapshot(other), inventory: yield* inventory(other) }
          const keys = yield* Effect.forEach(own.keys, ({ key, scopes }) =>
            Effect.map(signIn(key), (cookie) => ({ key, scopes, cookie }))
          )
          const none = likeButNone(other)
          const headers = { "x-request-id": "probe" }
          let asked = 0
          for (const probe of probes) {
            for (const { cookie, key, scopes } of [...keys, { key: undefined, cookie: undefined, scopes: ["none"] }]) {
              const request = (names: ReturnType<typeof namesOf>) => {
                const made = probe(names, own, { key, cookie })
                return { ...made, headers: { ...made.headers, ...headers } }
              }
              const [theirs, nobodys] = [request(namesOf(other)), request(none)]
              const answer = yield* send(url, theirs)
              const expected = yield* send(url, nobodys)
              asked += 1
              const what = `${shown(theirs)}\n(scopes: ${scopes.join(", ")})\n\n${shownResponse(answer)}`
              const names = (of: ReturnType<typeof namesOf>) => Object.values(of)
              assert.strictEqual(comparable(answer, names(namesOf(other))), comparable(expected, names(none)), what)
              // A tool of an agent refuses in its answer.
              if (answer.status < 300) assert.include(answer.text, '"isError":true', what)
              assert.deepStrictEqual(faultsOf(other.secrets)(theirs, answer), [], what)
            }
          }
          assert.isAbove(asked, fewest)
          assert.deepStrictEqual(yield* snapshot(other), before.snapshot)
          assert.deepStrictEqual(yield* inventory(other), before.inventory)
          process.stdout.write(`${asked} questions about another account's\n`)
        }
      )

      it.effect("no list, page or cursor shows any of its data", function* () {
        const { url } = yield* TestHost
        const own = yield* newHoldings
        const other = yield* newHoldings
        const listing = `/api/v1/test-runs?${new URLSearchParams({ org: own.owner, repo: own.repo, limit: "1" })}`
        const cursorOf = Effect.fnUntraced(function* (of: Holdings) {
          const path = `/api/v1/test-runs?${new URLSearchParams({ org: of.owner, repo: of.repo, limit: "1" })}`
          const page: { readonly nextCursor: string } = JSON.parse(
            (yield* send(url, wire("GET", path, { key: of.key }))).text
          )
          return page.nextCursor
        })
        const cursor = yield* cursorOf(other)
        const { cookie, key, preview, runs } = own
        const repository = `/repositories?${new URLSearchParams({ owner: own.owner, repo: own.repo })}`
        for (const request of [
          wire("GET", `${listing}&cursor=${encodeURIComponent(cursor)}`, { key }),
          wire("GET", `/api/v1/previews/${preview.shareId}/shares?cursor=${other.links.preview.id}`, { key }),
          wire("GET", `/api/v1/test-runs/${runs.failed}/shares?cursor=${other.links.run.id}`, { key }),
          wire("GET", `/previews/${preview.shareId}/shares?after=${other.links.preview.id}`, { cookie }),
          wire("GET", "/", { cookie }),
          wire("GET", repository, { cookie }),
          wire("GET", `${repository}&branch=${encodeURIComponent(other.branch)}`, { cookie }),
          wire("GET", `${repository}&buildsAfter=${other.build.id}`, { cookie }),
          wire("GET", `${repository}&runsAfter=${encodeURIComponent(cursor)}`, { cookie }),
          wire("GET", `/runs/${runs.failed}`, { cookie }),
          wire("GET", `/previews/${preview.shareId}`, { cookie })
        ]) {
          const answer = yield* send(url, request)
          for (const mark of [...marksOf(other), ...other.secrets]) {
            if (request.target.includes(mark) || request.target.includes(encodeURIComponent(mark))) continue
            assert.notInclude(answer.text, mark, shown(request))
          }
        }
      })

      it.effect("accounts don't share Idempotency-Keys", function* () {
        const { url } = yield* TestHost
        const own = yield* newHoldings
        const other = yield* newHoldings
        const once = (key: string, json: unknown) =>
          send(url, wire("POST", "/api/v1/previews", { key, json, headers: { "idempotency-key": other.once.key } }))
        const first = yield* once(own.key, onceBody)
        assert.strictEqual(first.status, 201)
        assert.notInclude(first.text, other.once.shareId)
        assert.notInclude(first.text, other.once.token)
        const again = yield* once(other.key, onceBody)
        assert.strictEqual(again.status, 201)
        assert.include(again.text, other.once.shareId)
        assert.strictEqual((yield* once(own.key, { ...onceBody, branch: "another" })).status, 409)
      })

      it.effect("a capability URL opens only what it was issued for", function* () {
        const { url } = yield* TestHost
        const own = yield* newHoldings
        const other = yield* newHoldings
        const crossed = (one: string, another: string): ReadonlyArray<string> => {
          const [payload = "", signature = ""] = one.split(".")
          const [otherPayload = "", otherSignature = ""] = another.split(".")
          return [`${payload}.${otherSignature}`, `${otherPayload}.${signature}`]
        }
        const nameIn = (path: string): string => path.split("/")[2] ?? ""
        const putPath = (slot: { readonly putUrl: string }): string => slot.putUrl.slice(url.length)
        const [ownPut, otherPut] = [putPath(own.openPreview.slots.bundle), putPath(other.openPreview.slots.bundle)]
        const [ownQuery, otherQuery] = [ownPut, otherPut].map((target) => target.slice(target.indexOf("?")))
        const keyOf = (target: string): string => target.slice(0, target.indexOf("?"))
        const type = { "content-type": own.openPreview.slots.bundle.contentType }
        const body = Buffer.alloc(own.openPreview.slots.bundle.sizeBytes, "x")
        const requests = [
          ...(["replay", "objects"] as const).flatMap((kind) => {
            const root = kind === "replay" ? "/replay/" : "/preview-objects/"
            const rest = kind === "replay" ? "index.js" : "bundle"
            const [mine, theirs] = [nameIn(own.opened.preview[kind]), nameIn(other.opened.preview[kind])]
            return [
              ...crossed(mine, theirs).map((name) => wire("GET", `${root}${name}/${rest}`)),
              ...[
                `../${theirs}/${rest}`,
                `..%2f${theirs}%2f${rest}`,
                `%2e%2e/${theirs}/${rest}`,
                `..;/${theirs}/${rest}`
              ].map((path) => wire("GET", `${root}${mine.slice(0, -1)}A/${path}`))
            ]
          }),
          // A URL for running code opens no object, and a URL for objects runs no code.
          wire("GET", `/preview-objects/${nameIn(other.opened.preview.replay)}/bundle`),
          wire("GET", `/replay/${nameIn(other.opened.preview.objects)}/index.js`),
          wire("GET", `/replay/${nameIn(other.opened.build.replay)}/recordings/0`),
          // The link to a run shows only its recordings.
          wire("GET", `${other.opened.sharedRun.objects}bundle`),
          wire("GET", `${other.opened.sharedRun.objects}files/data.json`),
          wire("GET", `/shared/${other.links.run.secret}/view?path=data.json`),
          wire("GET", `/shared/${other.links.revoked.secret}`),
          wire("GET", `/shared/${other.links.preview.id}`),
          // A URL issued for one session, used with another session.
          ...crossed(own.cookie, other.cookie).map((cookie) => wire("GET", `/builds/${other.build.id}`, { cookie })),
          wire("PUT", keyOf(otherPut) + ownQuery, { headers: type, body }),
          wire("PUT", keyOf(ownPut) + otherQuery, { headers: type, body }),
          wire("GET", otherPut),
          wire("GET", keyOf(otherPut), { key: own.key }),
          wire("PUT", keyOf(otherPut), { key: own.key, headers: type, body })
        ]
        const before = yield* snapshot(other)
        for (const request of requests) {
          const answer = yield* send(url, request)
          const what = `${shown(request)}\n\n${shownResponse(answer)}`
          assert.oneOf(answer.status, [401, 403, 404, 410], what)
          assert.deepStrictEqual(faultsOf(other.secrets)(request, answer), [], what)
        }
        assert.deepStrictEqual(yield* snapshot(other), before)
      })
    }
  )
}
