import { Schema } from "effect"
// All of http-api would be loaded by each command, and has 60 modules.
import * as HttpApiError from "effect/http-api/HttpApiError"

/**
 * The base class of a problem: a tagged error that is encoded as in RFC 9457, with a `detail` and `fields` of its own. Clients
 * rely on its `code`, which never changes. `requestId` is set when the response is sent.
 *
 * @see docs/interface.md#7
 */
export const problemClass =
  <Self = never>() =>
  <
    const Tag extends string,
    const Code extends string,
    const Status extends number,
    const Fields extends Schema.Struct.Fields
  >(
    tag: Tag,
    status: Status,
    code: Code,
    title: string,
    fields: Fields
  ) =>
    HttpApiError.Problem<Self>()(
      tag,
      { type: `urn:slipway:problem:${code}`, status, title },
      { code: Schema.tag(code), detail: Schema.String, requestId: Schema.optionalKey(Schema.String), ...fields }
    )
