import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"

/**
 * `GET /healthz`: the process is alive. `GET /readyz`: its engines can be reached; 503 with `Retry-After` when one
 * can't.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const objects = yield* ObjectStore
    const ready = Effect.all([accounts.findByName(""), objects.list("uploads/readyz/")], { concurrency: 2 })
    const answer = (status: string) => HttpServerResponse.jsonUnsafe({ status })
    return HttpRouter.addAll([
      HttpRouter.route("GET", "/healthz", Effect.succeed(answer("ok"))),
      HttpRouter.route("GET", "/readyz", Effect.as(ready, answer("ready")))
    ])
  })
)
