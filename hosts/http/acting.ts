import { Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Caller } from "../../core/model/Principal.ts"
import type { SessionId } from "../../core/model/Session.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { actorOf } from "../../core/service/auditing.ts"

/** The actor of the current request, and its address: the peer's, since anyone can send `X-Forwarded-For`. */
export const actingBy = (caller: Caller & { readonly sessionId?: SessionId }) =>
  HttpServerRequest.HttpServerRequest.useSync(({ remoteAddress }) => ({
    actor: actorOf(caller),
    ...withoutUndefined({ address: Option.getOrUndefined(remoteAddress) })
  }))
