import { HttpApiMiddleware } from "effect/http-api"
import { problemClass } from "../../model/problemClass.ts"

/** The request does not accept JSON, the only content type of the API. */
export class NotAcceptable extends problemClass<NotAcceptable>()(
  "NotAcceptable",
  406,
  "not_acceptable",
  "Not acceptable",
  {}
) {}

/** The body's content type isn't JSON, or it has a content encoding. */
export class UnsupportedMediaType extends problemClass<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  415,
  "unsupported_media_type",
  "Unsupported media type",
  {}
) {}

/** Refuses a request whose `Accept` header admits no JSON, or whose body is encoded. @see docs/interface.md#4 */
export class Negotiation extends HttpApiMiddleware.Service<Negotiation>()("slipway/core/api/Negotiation", {
  error: [NotAcceptable, UnsupportedMediaType]
}) {}
