import { Context, Effect, Layer, Option } from "effect"
import type { Reader } from "../model/Principal.ts"
import { NotFound } from "../model/Problem.ts"
import type { Resource } from "../model/Resource.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { makeKeeping } from "./keeping.ts"
import { inSpan } from "./inSpan.ts"

/** Keeps resources of an account regardless of retention rules. */
export class Pins extends Context.Service<
  Pins,
  {
    /** Keeps a build, preview or run of the account until it is released; a run keeps its preview. `NotFound` when there is none. */
    readonly keep: (reader: Reader, resource: Resource) => Effect.Effect<void, NotFound | WriteFailure>
    /** Releases it, so that retention rules apply again. `NotFound` when there is none. */
    readonly release: (reader: Reader, resource: Resource) => Effect.Effect<void, NotFound | WriteFailure>
  }
>()("slipway/core/service/Pins") {
  static readonly layer = Layer.effect(
    Pins,
    Effect.gen(function* () {
      const keeping = yield* makeKeeping
      return Pins.of({
        keep: Effect.fnUntraced(function* ({ account }, resource) {
          if (Option.isNone(yield* keeping.keep(resource, account.id))) return yield* NotFound.answer
        }, inSpan("Pins.keep")),
        release: Effect.fnUntraced(function* ({ account }, resource) {
          if (!(yield* keeping.release(resource, account.id))) return yield* NotFound.answer
        }, inSpan("Pins.release"))
      })
    })
  )
}
