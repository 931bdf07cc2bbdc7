import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Caller, SessionId } from "../../core/model/ApiKey.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { actorOf } from "../../core/service/auditing.ts"
import { CurrentOrigin } from "./RequestOrigin.ts"

/**
 * The actor of a request with this context, and its address: the peer's, since anyone can send `X-Forwarded-For`. A caller without a
 * key is named as the embedder's server names it.
 */
export const actorIn = (context: Context.Context<never>, caller: Caller & { readonly sessionId?: SessionId }) => {
  const { remoteAddress } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
  const { actor } = Context.get(context, CurrentOrigin)
  return {
    actor: actor === undefined || caller.keyId !== undefined ? actorOf(caller) : { embedder: actor },
    ...withoutUndefined({ address: Option.getOrUndefined(remoteAddress) })
  }
}

/** The actor of the current request. */
export const actorOfRequest = (caller: Caller & { readonly sessionId?: SessionId }) =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
    Effect.succeed(actorIn(context, caller))
  )
