import { Cause, Effect, Exit } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OpenSlots } from "../../core/service/OpenSlots.ts"
import { storeBody } from "./storeBody.ts"
import type { PutGrant } from "./SignedUrls.ts"

/**
 * Stores the body of a PUT while its slot is open. The slot is opened before the first byte is read and checked again after the
 * object is stored. If it closed meanwhile, the object is deleted and the PUT is refused like a later one. A finalize that commits
 * after the check deletes the object itself.
 */
export const handlePut = Effect.fnUntraced(function* (grant: PutGrant, request: HttpServerRequest.HttpServerRequest) {
  const [slots, store] = [yield* OpenSlots, yield* ObjectStore]
  const openOrRemoved = slots.check(grant.key).pipe(Effect.tapErrorTag("UrlRefused", () => store.remove([grant.key])))
  const slot = yield* slots.open(grant.key)
  return yield* Effect.onExit(storeBody(grant, request, slot), (exit) =>
    // A client that disconnects interrupts this call; the object may have been stored just before.
    Exit.isSuccess(exit) || Cause.hasInterrupts(exit.cause) ? openOrRemoved : Effect.void
  )
}, Effect.scoped)
