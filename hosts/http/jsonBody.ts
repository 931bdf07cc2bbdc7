/**
 * The JSON bodies of the API. No body may block the event loop for long, whatever it contains: its bytes, values, depth
 * and list lengths are checked against its schema before it is parsed, and a large body is read in several turns of the
 * event loop.
 */
import { Array as NonEmpty, ByteSize, Context, Effect, Predicate, Result, Schema } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { type BodyBounds, boundsOf } from "../../core/api/bodyBounds.ts"
import { CrossFieldIssues } from "../../core/api/fields.ts"
import type { InvalidRequest, Issue } from "../../core/model/Problem.ts"
import { listLengthIssue } from "../../core/rules/limits.ts"
import { CurrentPermit } from "../../core/service/RequestScheduler.ts"
import { Settings } from "../../core/service/Settings.ts"
import { invalidRequest, maxIssues, type Mismatch, mismatchesOf, toIssue } from "../../core/rules/invalidRequest.ts"
import { notJson, notJsonType, unreadable } from "./problems.ts"

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

/** How many items of a list are decoded in one turn of the event loop. */
export const itemsPerTurn = 500

/** A body whose lists are cut to at most `itemsPerTurn` items each: those from index `from` on. */
interface BodySlice {
  readonly from: number
  readonly body: unknown
}

/** The lists that a body has in these fields. */
const listsOf = (body: unknown, fields: ReadonlyArray<string>) =>
  fields.flatMap((field) => {
    const items: unknown = Predicate.hasProperty(body, field) ? body[field] : undefined
    return Array.isArray(items) ? [[field, items as ReadonlyArray<unknown>] as const] : []
  })

/** The slices of a body: itself, if the lists in these fields are short enough to be decoded at once. */
const slicesOf = (body: unknown, fields: ReadonlyArray<string>): ReadonlyArray<BodySlice> => {
  const lists = listsOf(body, fields)
  const longest = Math.max(1, ...lists.map(([, { length }]) => length))
  return Array.from({ length: Math.ceil(longest / itemsPerTurn) }, (_, index) => {
    const from = index * itemsPerTurn
    const slices = lists.map(([field, items]) => [field, items.slice(from, from + itemsPerTurn)] as const)
    return { from, body: lists.length === 0 ? body : { ...Object(body), ...Object.fromEntries(slices) } }
  })
}

/** The decoded slices of a body as the whole body. */
export const joined = <A>(slices: readonly [A, ...ReadonlyArray<A>], fields: ReadonlyArray<string>): A => {
  const [first, ...others] = slices
  if (others.length === 0) return first
  const lists = listsOf(first, fields).map(([field]) => [
    field,
    slices.flatMap((one) => listsOf(one, [field])[0]?.[1] ?? [])
  ])
  return { ...first, ...Object.fromEntries(lists) }
}

/**
 * An issue found in a slice, with its path in the whole body. Every slice finds the issues outside the lists; only the
 * first slice reports them.
 */
const inWholeBody = (mismatch: Mismatch, from: number, fields: ReadonlyArray<string>): ReadonlyArray<Mismatch> => {
  const [field, index, ...below] = mismatch.path
  if (from === 0) return [mismatch]
  const isInList = typeof index === "number" && fields.some((one) => one === field)
  return isInList ? [{ ...mismatch, path: [String(field), index + from, ...below] }] : []
}

// Checks a JSON text against the bounds of its schema, before it is parsed.

/** A text that may be parsed, and the issues of the lists that were too long. Those lists are empty in the text. */
interface BoundedText {
  readonly text: string
  readonly tooLong: ReadonlyArray<Issue>
}

/** How many values a body may have, and how deep it may be nested. There is room for fields that no schema knows. */
export const roomFor = ({ depth, values }: BodyBounds) => ({ depth: depth + 64, values: 2 * values + 1000 })

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** A list or object whose end was not found yet. */
interface Open {
  readonly start: number
  readonly isList: boolean
  readonly fields: BodyBounds["fields"] | undefined
  readonly items: BodyBounds["items"]
  commas: number
  /** The name of the field at hand, if the schema has it. */
  field: string
  /** The bounds of the value at hand, if the schema has them. */
  value: BodyBounds | undefined
}

/** The index at which the string that begins at `start` ends: that of its closing quote, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** The index at which the list around `start` ends, or the end of the text, and how many of its commas are before that. */
const restOfList = (text: string, start: number) => {
  let depth = 0
  let commas = 0
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case comma:
        if (depth === 0) commas++
        break
      case openBracket:
      case openBrace:
        depth++
        break
      case closeBracket:
      case closeBrace:
        if (depth-- === 0) return { end: at, commas }
    }
  }
  return { end: text.length, commas }
}

/** Whether there is nothing but spaces between two places of a text. */
const isBlank = (text: string, from: number, to: number): boolean => {
  let at = to - 1
  while (at > from && text.charCodeAt(at) <= 0x20) at--
  return at === from
}

/** The name of a field, from its JSON string without the quotes. */
const nameOf = (written: string): string => {
  if (!written.includes("\\")) return written
  return Result.getOrElse(
    Result.try(() => String(JSON.parse(`"${written}"`))),
    () => written
  )
}

const refuse = (message: string) => Result.fail(invalidRequest([{ path: "", message }]))

/**
 * A text that is cheap to parse, or why it is refused. The text is read once and need not be JSON. Lists that are too
 * long are counted to their end, and cut out.
 */
export const boundedText = (text: string, bounds: BodyBounds): Result.Result<BoundedText, InvalidRequest> => {
  const most = roomFor(bounds)
  const open: Array<Open> = []
  const tooLong: Array<Issue> = []
  const chunks: Array<string> = []
  let values = 1
  let inner: Open | undefined
  let cutTo = 0
  let nameStart = 0
  let nameEnd = 0

  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    switch (character) {
      case quote:
        nameStart = at + 1
        nameEnd = at = endOfString(text, at)
        break
      case colon:
        if (inner === undefined || inner.isList) break
        inner.field = nameOf(text.slice(nameStart, nameEnd))
        inner.value = inner.fields?.get(inner.field)
        break
      case comma: {
        if (inner === undefined) break
        inner.commas++
        values++
        if (inner.items === undefined || inner.commas < inner.items.most) break
        // What is in a list that is too long is not counted, because it isn't parsed.
        const rest = restOfList(text, at + 1)
        inner.commas += rest.commas
        at = rest.end - 1
        break
      }
      case openBracket:
      case openBrace: {
        const isList = character === openBracket
        const own: BodyBounds | undefined = inner === undefined ? bounds : inner.value
        const items = isList ? own?.items : undefined
        inner = { start: at, isList, fields: own?.fields, items, commas: 0, field: "", value: items?.bounds }
        if (open.push(inner) > most.depth) return refuse(`must be nested at most ${most.depth} deep`)
        break
      }
      case closeBracket:
      case closeBrace: {
        const closed = open.pop()
        if (closed?.isList !== (character === closeBracket)) return Result.fail(notJson)
        inner = open.at(-1)
        const items = isBlank(text, closed.start, at) ? 0 : closed.commas + 1
        if (items > 0) values++
        if (closed.items === undefined) break
        const path = open.map(({ commas, field, isList }) => (isList ? commas : field)).join(".")
        const issue = listLengthIssue(path, items, closed.items.most)
        if (issue === undefined) break
        tooLong.push(issue)
        chunks.push(text.slice(cutTo, closed.start), "[]")
        cutTo = at + 1
      }
    }
    if (values > most.values) return refuse(`must have at most ${most.values} values, at all depths together`)
  }
  if (open.length > 0) return Result.fail(notJson)
  return Result.succeed({ text: tooLong.length === 0 ? text : [...chunks, text.slice(cutTo)].join(""), tooLong })
}
