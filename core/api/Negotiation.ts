import { HttpApiMiddleware } from "effect/http-api"
import { NotAcceptable } from "../model/Problem.ts"

/** Refuses a request whose `Accept` header admits no JSON. @see interface §4 */
export class Negotiation extends HttpApiMiddleware.Service<Negotiation>()("slipway/core/api/Negotiation", {
  error: NotAcceptable
}) {}
