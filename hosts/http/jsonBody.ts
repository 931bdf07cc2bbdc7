/**
 * The JSON bodies of the API. No body may block the event loop for long, whatever it contains: its depth, fields and list
 * lengths are checked before anything else, and a large body is decoded in several turns of the event loop.
 */
import { Context, Effect, Predicate, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { CrossFieldIssues } from "../../core/api/parts/crossFieldIssues.ts"
import { DeclaredLists, tooLongLists } from "../../core/api/parts/declaredLists.ts"
import type { Limits } from "../../core/rules/limits.ts"
import { Settings } from "../../core/service/Settings.ts"
import { inWholeBody, slicesOf } from "./bodySlices.ts"
import { parseJson, type JsonBounds, type JsonRefusal } from "./jsonText.ts"
import { misfitsOf, mostIssues, toIssue, type Misfit } from "./misfits.ts"
import { invalidRequest, notJson, notJsonType } from "./problems.ts"

/** The bounds that are checked before a body is parsed. They leave room for more than a reservation may declare. */
const boundsFor = ({ files, recordings }: Limits): JsonBounds => ({
  depth: 120_000,
  fields: 10_000 + 20 * (files + recordings)
})

const refusedText = (refusal: JsonRefusal, { depth, fields }: JsonBounds) => {
  switch (refusal) {
    case "not JSON":
      return notJson
    case "too deep":
      return invalidRequest([{ path: "", message: `must be nested at most ${depth} deep` }])
    case "too many fields":
      return invalidRequest([{ path: "", message: `must have at most ${fields} fields, at all depths together` }])
  }
}

/** A body with this many characters or more is parsed in one turn of the event loop and decoded in another. */
const large = 64 * 1024

const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /^\s*application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "application/json")

/** A request whose handler reads the body itself. */
export interface Undecoded {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly endpoint: Pick<HttpApiEndpoint.Top, "annotations">
}

/**
 * Reads the body of a request by a schema. `InvalidRequest` lists every misfit of a body that doesn't fit, including those
 * between fields and lists that are too long. `UnsupportedMediaType` is the answer to a content type other than JSON. An
 * empty body means `null`.
 */
export const jsonBody = <A>(schema: Schema.Codec<A, unknown>) => {
  // Where the schema allows anything, nothing is checked: the value was parsed from JSON.
  const decode = Schema.decodeUnknownEffect(schema)

  return Effect.map(Settings, ({ limits }) => {
    const bounds = boundsFor(limits)

    return Effect.fnUntraced(function* ({ endpoint: { annotations }, request }: Undecoded) {
      if (!isJson(request)) return yield* notJsonType
      const text = yield* Effect.orDie(request.text)
      const parsed = text === "" ? Result.succeed(null) : parseJson(text, bounds)
      if (Result.isFailure(parsed)) return yield* refusedText(parsed.failure, bounds)
      if (text.length >= large) yield* Effect.yieldNow

      const sent = parsed.success
      const lists = Context.get(annotations, DeclaredLists)
      const tooLong = Predicate.isObject(sent) ? tooLongLists(sent, lists, limits) : []
      // A list that is too long is reported for its length only; its items are not decoded.
      const body =
        tooLong.length === 0 ? sent : { ...Object(sent), ...Object.fromEntries(tooLong.map(({ path }) => [path, []])) }
      const options = { errors: "all", ...Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions) } as const

      const misfits: Array<Misfit> = []
      for (const slice of Predicate.isObject(body) ? slicesOf(body, lists) : []) {
        const decoded = yield* Effect.result(decode(slice.body, options))
        const found = Result.isFailure(decoded) ? misfitsOf(decoded.failure.issue) : []
        misfits.push(...found.flatMap((one) => inWholeBody(one, slice.from, lists)))
        if (misfits.length > mostIssues) break
        yield* Effect.yieldNow
      }
      if (misfits.length === 0) {
        const decoded = yield* Effect.result(decode(body, options))
        if (Result.isSuccess(decoded) && tooLong.length === 0) return decoded.success
        if (Result.isFailure(decoded)) misfits.push(...misfitsOf(decoded.failure.issue))
      }
      return yield* invalidRequest(
        [...tooLong, ...misfits.map(toIssue)],
        Context.get(annotations, CrossFieldIssues)(body)
      )
    })
  })
}
