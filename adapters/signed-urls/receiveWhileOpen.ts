import { Cause, Effect, Exit } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OpenSlots } from "../../core/service/OpenSlots.ts"
import { receive } from "./receive.ts"
import type { PutGrant } from "./SignedUrls.ts"

/**
 * Stores the body of a PUT while its slot is open. That is asked before a byte is read, and again when the object is
 * stored, as the slot may have closed meanwhile: then the object is removed, and the PUT refused like one that came later.
 * A finalize that is committed after the second time removes the object itself.
 */
export const receiveWhileOpen = Effect.fnUntraced(function* (
  grant: PutGrant,
  request: HttpServerRequest.HttpServerRequest
) {
  const [slots, store] = [yield* OpenSlots, yield* ObjectStore]
  const openOrRemoved = slots.require(grant.key).pipe(Effect.tapErrorTag("UrlRefused", () => store.remove([grant.key])))
  yield* slots.require(grant.key)
  return yield* Effect.onExit(receive(grant, request), (exit) =>
    // Who is interrupted may have stored the object just before.
    Exit.isSuccess(exit) || Cause.hasInterrupts(exit.cause) ? openOrRemoved : Effect.void
  )
})
