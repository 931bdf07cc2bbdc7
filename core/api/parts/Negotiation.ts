import { HttpApiMiddleware } from "effect/http-api"
import { NotAcceptable, UnsupportedMediaType } from "../../model/Problem.ts"

/** Refuses a request whose `Accept` header admits no JSON, or whose body is encoded. @see docs/interface.md#4 */
export class Negotiation extends HttpApiMiddleware.Service<Negotiation>()("slipway/core/api/Negotiation", {
  error: [NotAcceptable, UnsupportedMediaType]
}) {}
