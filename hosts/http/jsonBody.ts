/**
 * The JSON bodies of the API. No body may block the event loop for long, whatever it contains: its bytes, values, depth
 * and list lengths are checked against its schema before it is parsed, and a large body is read in several turns of the
 * event loop.
 */
import { Array as NonEmpty, ByteSize, Context, Effect, Result, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { boundsOf } from "../../core/api/bodyBounds.ts"
import { CrossFieldIssues } from "../../core/api/fields.ts"
import { CurrentPermit } from "../../core/service/RequestScheduler.ts"
import { Settings } from "../../core/service/Settings.ts"
import { inWholeBody, joined, slicesOf } from "./bodySlices.ts"
import { boundedText } from "./jsonText.ts"
import { maxIssues, mismatchesOf, toIssue, type Mismatch } from "./mismatches.ts"
import { invalidRequest, notJson, notJsonType, unreadable } from "./problems.ts"

/** A body with this many characters or more is read in several turns of the event loop. */
const large = 64 * 1024

/** How many bytes a body may have for each value of its schema, up to `SLIPWAY_MAX_BODY_SIZE` for all together. */
const bytesOfValue = 16 * 1024

const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /^\s*application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "application/json")

/** A request whose handler reads the body itself. */
export interface Undecoded {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly endpoint: Pick<HttpApiEndpoint.Top, "annotations">
}

/**
 * Reads the body of a request by a schema. `InvalidRequest` lists every mismatch of a body that doesn't fit, including those
 * between fields and lists that are too long. `UnsupportedMediaType` is the answer to a content type other than JSON. An
 * empty body means `null`.
 */
export const jsonBody = <A>(schema: Schema.Codec<A, unknown>) => {
  // Where the schema allows anything, nothing is checked: the value was parsed from JSON.
  const decode = Schema.decodeUnknownEffect(schema)

  return Effect.map(Settings, ({ limits }) => {
    const bounds = boundsOf(schema, limits)
    const lists = Array.from(bounds.fields).flatMap(([field, { items }]) => (items === undefined ? [] : [field]))
    const ownBytes = ByteSize.bytes(bytesOfValue * bounds.values)
    const textOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const most = ByteSize.min(ownBytes, (yield* HttpIncomingMessage.MaxBodySize) ?? ownBytes)
      const read = Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, most)
      return yield* Effect.catch((yield* CurrentPermit).whileReading(read), (error) => unreadable(error, most))
    })

    return Effect.fnUntraced(function* ({ endpoint: { annotations }, request }: Undecoded) {
      if (!isJson(request)) return yield* notJsonType
      const sent = yield* textOf(request)
      const turn = sent.length < large ? Effect.void : Effect.yieldNow
      const { text, tooLong } = yield* Effect.fromResult(boundedText(sent || "null", bounds))
      yield* turn
      const body = yield* Effect.fromResult(Result.try({ try: (): unknown => JSON.parse(text), catch: () => notJson }))
      const options = { errors: "all", ...Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions) } as const

      const mismatches: Array<Mismatch> = []
      const decoded: Array<A> = []
      for (const slice of slicesOf(body, lists)) {
        yield* turn
        const one = yield* Effect.result(decode(slice.body, options))
        if (Result.isSuccess(one)) decoded.push(one.success)
        else
          mismatches.push(
            ...mismatchesOf(one.failure.issue).flatMap((mismatch) => inWholeBody(mismatch, slice.from, lists))
          )
        if (mismatches.length > maxIssues) break
      }
      const others = Context.get(annotations, CrossFieldIssues)(body)
      const isRefused = tooLong.length + mismatches.length + others.length > 0
      if (NonEmpty.isArrayNonEmpty(decoded) && !isRefused) return joined(decoded, lists)
      return yield* invalidRequest([...tooLong, ...mismatches.map(toIssue)], others)
    })
  })
}
