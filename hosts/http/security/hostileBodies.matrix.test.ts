/** Bodies and headers that are expensive for a careless reader: each gets a sound answer. `npm run bench:requests` measures them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { embedded } from "../testing/engines.ts"
import { TestHost } from "../testing/TestHost.ts"
import { layer } from "../../../core/testing/layer.ts"
import { newHoldings, type Holdings } from "./testing/holdings.ts"
import { hostileBodies, hostileForms } from "./testing/hostileBodies.ts"
import { faultsOf } from "./testing/sound.ts"
import { send, wire, type WireRequest } from "./testing/wire.ts"

interface Named {
  readonly name: string
  readonly make: () => WireRequest
}

/** The faults of the answers to these requests, by the name of the request. */
const wrong = Effect.fnUntraced(function* (requests: ReadonlyArray<Named>) {
  const { url } = yield* TestHost
  const faults = faultsOf([])
  const found: Array<string> = []
  for (const { make, name } of requests) {
    const asked = make()
    const wrong = yield* send(url, asked).pipe(
      Effect.map((answer) => faults(asked, answer)),
      Effect.catchDefect((error) =>
        Effect.succeed([
          `no answer that a client takes: ${error instanceof Error ? String(error.cause) : String(error)}`
        ])
      )
    )
    if (wrong.length > 0) found.push(`${asked.method} ${asked.target.slice(0, 60)} ${name}: ${wrong.join("; ")}`)
  }
  return found
})

const bodies = (of: Holdings): ReadonlyArray<Named> =>
  hostileBodies(of).map(({ body, name, path }) => ({
    name,
    make: () =>
      wire("POST", path, { key: of.key, body: Buffer.from(body()), headers: { "content-type": "application/json" } })
  }))

const forms = ({ cookie, leavingCookie, preview, runs }: Holdings): ReadonlyArray<Named> =>
  ["/sign-in", "/sign-out", `/previews/${preview.shareId}/shares`, `/runs/${runs.failed}/shares`].flatMap((path) =>
    Object.entries(hostileForms).map(([name, body]) => ({
      name,
      make: () =>
        wire("POST", path, {
          cookie: path.startsWith("/sign-") ? leavingCookie : cookie,
          body: Buffer.from(body),
          headers: { "content-type": "application/x-www-form-urlencoded" }
        })
    }))
  )

/** The most that Node accepts as request line and headers, minus room for the other headers. */
const maxHeader = 15_000

const long = (text: string): string => text.repeat(Math.floor(maxHeader / text.length))

const headers = ({ cookie, key, opened, owner, preview, repo }: Holdings): ReadonlyArray<Named> => {
  const get = (name: string, target: string, more: Record<string, string> = {}, page = true): Named => ({
    name,
    make: () => wire("GET", target, { ...(page ? { cookie } : { key }), headers: more })
  })
  return [
    get("a long path to run", `${opened.preview.replay}${long("a/").slice(1)}`),
    get("a path of escapes to run", `${opened.preview.replay}${long("%2e")}`),
    get("a long path to a file", `/previews/${preview.shareId}/files/${long("a/")}a`),
    get("a long path to nothing", `/${long("a/")}`),
    get("many parameters of a page", `/repositories?${long("a=1&")}`),
    get("many repositories", `/repositories?${long("owner=a&")}`),
    get("many brackets", `/repositories?owner${long("[a]")}=1`),
    get("a long place to go to", `/sign-in?to=/${long("a")}`),
    get("a place of slashes to go to", `/sign-in?to=${long("/")}`),
    get("many runs to compare", `/compare?${long("left=a&right=b&")}`),
    get("many parameters of the API", `/api/v1/test-runs?${long("limit=1&")}org=${owner}&repo=${repo}`, {}, false),
    get("a long limit", `/api/v1/test-runs?org=${owner}&repo=${repo}&limit=${long("9")}`, {}, false),
    get("a long cursor", `/api/v1/test-runs?org=${owner}&repo=${repo}&cursor=${long("A")}`, {}, false),
    get("many ranges", `${opened.preview.objects}bundle`, { range: `bytes=${long("0-1,")}0-1` }),
    get("a long range", `${opened.preview.objects}bundle`, { range: `bytes=${long("9")}-` }),
    get("many types to accept", "/api/v1/previews/a", { accept: long("a/b;q=0.1,") }, false),
    get("many parameters of a type", "/api/v1/previews/a", { accept: `a/b${long(";a=b")}` }, false),
    get("many cookies", "/", { cookie: long("a=b; ") }),
    get("one cookie many times", "/", { cookie: long("slipway=a.b; ") }),
    get("a long session", "/", { cookie: `slipway=${long("A")}.A` }),
    get("a long key", "/api/v1/previews/a", { authorization: `Bearer ${long("a")}` }),
    get("a long host", "/", { host: long("a.") }),
    get("a long host, to run", opened.preview.replay, { host: long("a") }),
    get("a long host, of an object", `${opened.preview.objects}bundle`, { host: long("a") }),
    get("a long validator", `${opened.preview.objects}bundle`, { "if-range": long('"'), range: "bytes=0-1" })
  ]
}

layer(TestHost.layer(embedded()))("hostile requests", (it) => {
  for (const [what, requests] of Object.entries({ bodies, forms, headers })) {
    it.effect(`${what} of at most 1 MiB are answered soundly`, function* () {
      const sent = requests(yield* newHoldings)
      assert.isNotEmpty(sent)
      const found = yield* wrong(sent)
      assert.strictEqual(found.join("\n"), "", `${found.length} of ${sent.length}`)
    })
  }
})
