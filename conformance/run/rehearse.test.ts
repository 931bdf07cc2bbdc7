/** A setting that only a write shows to be wrong ends before the run, in a line that names it. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { it } from "../../core/testing/layer.ts"
import { enveloped as start } from "../fair/enveloped.ts"
import type { HttpResponse } from "../session/Exchange.ts"
import { NoResponse } from "../session/Session.ts"
import { toResponse, Transport, type Outgoing } from "../session/transport.ts"
import { fairInProcess } from "../testing/target.ts"
import { rehearse } from "./plan.ts"

type Instead = (request: Outgoing) => HttpResponse | NoResponse | undefined

/** Rehearses with a host that answers some requests otherwise. */
const rehearsed = Effect.fnUntraced(function* (instead: Instead) {
  const { target, transport } = yield* fairInProcess(start)
  const send = (request: Outgoing) => {
    const answer = instead(request)
    if (answer instanceof NoResponse) return Effect.fail(answer)
    return answer === undefined ? transport.send(request) : Effect.succeed(answer)
  }
  const layer = Layer.succeed(Transport, Transport.of({ send }))
  return yield* Effect.provide(rehearse({ id: "0123456789ab", ...target }, target.config.profiles), layer)
})

const isPost = ({ method, url }: Outgoing, path: string): boolean => method === "POST" && url.endsWith(path)

const refusal = (instead: Instead) => Effect.map(rehearsed(instead), ({ problem }) => problem?.message ?? "")

describe("a rehearsal", () => {
  it.live("passes where every setting fits, and answers what it made", function* () {
    const { made, problem } = yield* rehearsed(() => undefined)
    assert.isUndefined(problem)
    const kinds = Map.groupBy(made, ({ what }) => what)
    assert.deepStrictEqual(
      [...kinds].map(([what, all]) => [what, all.length]),
      [
        ["build", 3],
        ["preview", 3],
        ["testRun", 3]
      ]
    )
  })

  it.live(
    "names the key that may only read, the body that is refused, and the upload origin that doesn't answer",
    function* () {
      const forbidden = toResponse(403, {}, '{"error":{"code":"read_only"}}')
      assert.match(
        yield* refusal((request) => (isPost(request, "/api/v1/builds") ? forbidden : undefined)),
        /accounts\.a\.keys\.builds: the reservation of a build is refused \(403\); has the key write access and the scope builds\?/
      )
      const unprocessable = toResponse(422, {}, '{"error":{"code":"no_colour"}}')
      assert.match(
        yield* refusal((request) => (isPost(request, "/api/v1/previews") ? unprocessable : undefined)),
        /bindings\.bodies\.previewReserve: .* refused \(422\); does the target want other fields\? It says .*no_colour/
      )
      const { made, problem } = yield* rehearsed(({ url }) =>
        new URL(url).pathname === "/" ? new NoResponse({ url, reason: `Nothing listens at ${url}.` }) : undefined
      )
      assert.strictEqual(problem?._tag, "Unreachable")
      assert.lengthOf(made, 1)
      assert.match(problem?.message ?? "", /^A putUrl can't be reached\. Nothing listens at http:\/\/origin-1\.example/)
    }
  )
})
