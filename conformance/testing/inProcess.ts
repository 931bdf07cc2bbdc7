import { Effect, Redacted, type Scope } from "effect"
import * as memory from "../../adapters/memory/index.ts"
import { Settings } from "../../core/service/Settings.ts"
import { makeSlipway } from "../../hosts/http/slipway.ts"
import { toAnswer, Transport, type Outgoing } from "../session/transport.ts"
import { targetOf } from "./referenceHost.ts"
import type { Target } from "./Target.ts"

/** Its base URL; no request leaves the process. */
const url = "http://reference.example"

const requestOf = ({ body, headers, method, url }: Outgoing): Request => {
  // A copy has a buffer of its own, which is what a Request wants.
  const sent = body === undefined || typeof body === "string" ? body : new Uint8Array(body)
  return new Request(url, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
}

/**
 * The reference service on memory, in this process without a socket: the config of a run against it, and its transport.
 * It stops when the scope closes.
 */
export const inProcess: Effect.Effect<
  { readonly target: Target; readonly transport: Transport["Service"] },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const engines = memory.engines({ url, secret: Redacted.make("secret of a conformance test") })
  const slipway = yield* Effect.acquireRelease(
    Effect.sync(() => makeSlipway({ settings: { url }, ...engines })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const target = yield* Effect.promise(() => slipway.run(Effect.provide(targetOf, Settings.layer({ url }))))
  const send = (request: Outgoing) =>
    Effect.promise(async () => {
      const response = await slipway.fetch(requestOf(request))
      return toAnswer(response.status, Object.fromEntries(response.headers), await response.text())
    })
  return { target, transport: Transport.of({ send }) }
})
