import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Unavailable } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"

/** An engine that takes longer than this to answer counts as unreachable. */
const probeTimeout = "5 seconds"

/**
 * `GET /healthz`: the process is alive. `GET /readyz`: its engines can be reached; 503 with `Retry-After` when one
 * can't, or doesn't answer within five seconds. Neither needs a key: a host mounts them where its orchestrator expects
 * them.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const objects = yield* ObjectStore
    const ready = Effect.all([accounts.findByName(""), objects.check], { concurrency: 2 }).pipe(
      Effect.timeoutOrElse({ duration: probeTimeout, orElse: () => Effect.fail(Unavailable.default) })
    )
    const answer = (status: string) => HttpServerResponse.jsonUnsafe({ status })
    return HttpRouter.addAll([
      HttpRouter.route("GET", "/healthz", Effect.succeed(answer("ok"))),
      HttpRouter.route("GET", "/readyz", Effect.as(ready, answer("ready")))
    ])
  })
)
