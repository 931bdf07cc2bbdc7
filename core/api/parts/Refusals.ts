import { HttpApiMiddleware } from "effect/http-api"
import { InsufficientStorage, Internal, InvalidRequest, PayloadTooLarge, Unavailable } from "../../model/Problem.ts"
import { UnsupportedMediaType } from "./Negotiation.ts"

/** The refusals that any endpoint may answer with, whatever it does. @see docs/interface.md#7 */
export class Refusals extends HttpApiMiddleware.Service<Refusals>()("slipway/core/api/Refusals", {
  error: [InvalidRequest, UnsupportedMediaType, PayloadTooLarge, Internal, Unavailable, InsufficientStorage]
}) {}
