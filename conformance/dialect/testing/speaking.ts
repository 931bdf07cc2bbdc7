import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaultBindings, type Bindings, type Config } from "../../config/Config.ts"
import { replay } from "../../session/replay.ts"
import { Session } from "../../session/Session.ts"
import { toResponse } from "../../session/transport.ts"
import type { HttpResponse, Request } from "../../session/Exchange.ts"
import { exampleConfig, exampleInput } from "../../testing/example.ts"
import { Dialect, type BuildInput, type Fields } from "../Dialect.ts"
import * as layer from "../layer.ts"

export const a = { account: "a", key: "all" } as const
export const answered = (json: unknown, status = 200): HttpResponse => toResponse(status, {}, JSON.stringify(json))

/** A dialect with a silent target, and the requests that it sends. */
export const speaking = (bindings: Partial<Bindings> = {}) => {
  const asked: Array<Request> = []
  const secrets: Array<string> = []
  const config: Config = { ...exampleConfig, bindings: { ...defaultBindings, ...bindings } }
  const { session } = replay({ runId: "run", checkId: "check", config, exchanges: [], noResponse: undefined })
  const listening = Session.of({
    ...session,
    exchange: (request) => Effect.sync(() => (asked.push(request), answered({}))),
    secret: (secret) => Effect.sync(() => void secrets.push(secret))
  })
  return { asked, secrets, layer: layer.layer.pipe(Layer.provideMerge(Layer.succeed(Session, listening))) }
}

/** The only request that this sends. */
export const sent = (
  send: (dialect: Dialect["Service"]) => Effect.Effect<unknown, unknown>,
  bindings: Partial<Bindings> = {}
) => {
  const { asked, layer } = speaking(bindings)
  return Dialect.use(send).pipe(
    Effect.provide(layer),
    Effect.map(() => {
      assert.lengthOf(asked, 1)
      return asked[0]
    })
  )
}

export const jsonOf = (request: Request | undefined): Record<string, unknown> => ({ ...Object(request?.json) })

export const { recordings: _, ...build } = exampleInput
export const withFields = (fields: Fields): BuildInput => ({ ...build, fields })
export const bundleFields = {
  contentHash: build.bundle.content.sha256,
  bundleSizeBytes: 8,
  bundleContentType: "text/javascript"
}
