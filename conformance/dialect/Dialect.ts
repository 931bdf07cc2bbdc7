import { Context, Data, Effect, JsonPointer } from "effect"
import {
  isList,
  type HttpResponse,
  type Content,
  type Credential,
  type Json,
  type Tamper
} from "../session/Exchange.ts"
import type { NoResponse } from "../session/Session.ts"

/**
 * The target violates a sentence of the interface. `expected` and `came` are short sentences for a person; `step` is the
 * id of the check that tests the step in which it showed, where that is a step which other checks only prepare with.
 */
export class Violation extends Data.TaggedError("Violation")<{
  readonly expected: string
  readonly came: string
  readonly step?: string
}> {}

/** A step with which many checks prepare, tested by the check of this id: what goes wrong in it names that check. */
export const testedBy =
  (step: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Violation, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof Violation && error.step === undefined
        ? new Violation({ expected: error.expected, came: error.came, step })
        : error
    )

/** Fails with a {@link Violation} unless the condition holds. */
export const must = (holds: boolean, expected: string, came: Json | undefined): Effect.Effect<void, Violation> =>
  holds
    ? Effect.void
    : new Violation({ expected, came: typeof came === "string" ? came : JSON.stringify(came ?? null) })

// Finds values in an answer whose structure is unknown.

/** A member of an object or an item of a list, with its path. */
interface Member {
  /** The name of the member, or the index of the item. */
  readonly name: string
  readonly value: Json
  /** The path, outermost name first. */
  readonly path: ReadonlyArray<string>
}

/** Every value within a JSON value, outer ones first, in the order of the text. */
export function* eachMember(json: Json | undefined): Generator<Member> {
  const open: Array<Member> = [{ name: "", value: json ?? null, path: [] }]
  for (let next = 0; next < open.length; next++) {
    const place = open[next]
    if (place === undefined) return
    yield place
    if (typeof place.value !== "object" || place.value === null) continue
    for (const [name, value] of Object.entries(place.value)) open.push({ name, value, path: [...place.path, name] })
  }
}

/** The outermost valid value under the first name that has one. Names are compared without case, `_` and `-`. */
export const named = <A extends Json>(
  json: Json | undefined,
  names: ReadonlyArray<string>,
  fits: (value: Json) => value is A
): A | undefined => {
  const all = [...eachMember(json)]
  for (const wanted of names) {
    for (const { name, value } of all) if (plain(name) === plain(wanted) && fits(value)) return value
  }
  return undefined
}

const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase()

/** Whether a text is an absolute http or https URL. */
export const isAbsoluteUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

export const isText = (value: Json): value is string => typeof value === "string" && value !== ""

/** A text, or a number converted to one, such as an id. */
export const asText = (value: Json | undefined): string | undefined =>
  typeof value === "number" ? String(value) : value !== undefined && isText(value) ? value : undefined

export const isObject = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const member = (value: Json | undefined, token: string): Json | undefined =>
  Object.entries(typeof value === "object" && value !== null ? value : {}).find(([name]) => name === token)?.[1]

/** The value at a JSON Pointer (RFC 6901), or `undefined` when there is none. */
export const follow = (json: Json | undefined, pointer: string): Json | undefined =>
  pointer.split("/").slice(1).map(JsonPointer.unescapeToken).reduce<Json | undefined>(member, json)

/** The values for the places of a template, by name. */
export type Values = Readonly<Record<string, Json | undefined>>

const whole = /^\{(\w+)\}$/
const within = /\{(\w+)\}/g

const fillText = (text: string, values: Values): Json | undefined => {
  const name = whole.exec(text)?.[1]
  if (name !== undefined) return values[name]
  const missing = [...text.matchAll(within)].some(([, name = ""]) => values[name] === undefined)
  return missing ? undefined : text.replaceAll(within, (_, name: string) => String(values[name]))
}

/** Fills an item of a list. A place for a list is replaced by the items of that list. */
const fillItem = (item: Json, values: Values): ReadonlyArray<Json> => {
  const filled = fill(item, values)
  if (filled === undefined) return []
  return typeof item === "string" && isList(filled) ? filled : [filled]
}

/** Fills a template. `undefined` when it is only a place whose value is missing. */
export const fill = (template: Json, values: Values): Json | undefined => {
  if (typeof template === "string") return fillText(template, values)
  if (typeof template !== "object" || template === null) return template
  return isList(template) ? template.flatMap((item) => fillItem(item, values)) : fillObject(template, values)
}

/** Fills an object, which stays an object. */
export const fillObject = (
  template: Readonly<Record<string, Json>>,
  values: Values
): Readonly<Record<string, Json>> => {
  const filled: Record<string, Json> = {}
  for (const [name, one] of Object.entries(template)) {
    const value = fill(one, values)
    if (value !== undefined) filled[name] = value
  }
  return filled
}

/** The names of the places in a template. */
export const placeholdersOf = (template: Json): ReadonlyArray<string> => {
  if (typeof template === "string") return [...template.matchAll(within)].map(([, name = ""]) => name)
  if (typeof template !== "object" || template === null) return []
  return Object.values(template).flatMap(placeholdersOf)
}

/** What is declared at reserve and PUT afterwards. Each object of a reservation has a different content type. */
export interface Declared {
  readonly content: Content
  readonly contentType: string
}
export interface DeclaredFile extends Declared {
  readonly path: string
}
export interface DeclaredRecording extends Declared {
  readonly name: string
  readonly kind: string
}

/**
 * Fields of a request that replace the usual ones; `undefined` leaves one out. The usual fields are valid: the linked
 * repository of the account that asks (of `a` where none asks), platform `ios`, and a branch and a commit of the check.
 * A list is asked for with `org` and `repo` alone. A field outside the interface is sent where the bindings have a
 * place for it.
 */
export type Fields = Readonly<Record<string, Json | undefined>>

export interface BuildInput {
  readonly bundle: Declared
  readonly files: ReadonlyArray<DeclaredFile>
  readonly fields: Fields
}
export interface PreviewInput {
  readonly bundle: Declared
  readonly files: ReadonlyArray<DeclaredFile>
  readonly recordings: ReadonlyArray<DeclaredRecording>
  readonly fields: Fields
}

export interface Slot {
  readonly putUrl: string
  /** The content type to send with the PUT: the slot's, or the declared one when the slot names none. */
  readonly contentType: string
  readonly objectKey: string | undefined
  /** The content to PUT. */
  readonly content: Content
  /** The slot as it was answered. */
  readonly json: Readonly<Record<string, Json>>
}

/**
 * A reservation as it was answered, with its slots in the order bundle, files, recordings. `url` belongs to a build,
 * `shareId` to a preview.
 */
export interface Reserved {
  readonly answer: HttpResponse
  readonly token: string
  readonly url: string | undefined
  readonly shareId: string | undefined
  readonly slots: ReadonlyArray<Slot>
}

/** A build row or a preview's finalize answer, with the fields of the interface. */
export interface Row {
  readonly answer: HttpResponse
  readonly url: string | undefined
  readonly previewUrl: string | undefined
  readonly id: string | undefined
  readonly status: Json | undefined
}

export interface Registered {
  readonly answer: HttpResponse
  readonly previewUrl: string | undefined
  readonly traceUrl: string | undefined
}

export interface Listed {
  readonly answer: HttpResponse
  readonly runs: ReadonlyArray<ListedRun>
  readonly nextCursor: string | undefined
}
export interface ListedRun {
  readonly json: Json
  readonly name: string | undefined
  /** Whether it is stored as passed. */
  readonly passed: boolean
  readonly traceUrl: string | undefined
}

/**
 * The interface as this target speaks it: how requests are written and where answers hold their values, by the bindings
 * or, without one, by search.
 *
 * The plain verbs (`reserveBuild`, `put` …) send one request and answer the response. The readers (`reserved`, `row` …)
 * read an answer and fail with a Violation when a value that the interface requires is missing.
 */
export class Dialect extends Context.Service<
  Dialect,
  {
    readonly reserveBuild: (input: BuildInput, as: Credential) => Effect.Effect<HttpResponse, NoResponse>
    readonly finalizeBuild: (token: string, as: Credential) => Effect.Effect<HttpResponse, NoResponse>
    readonly latestBuild: (query: Fields, as: Credential) => Effect.Effect<HttpResponse, NoResponse>
    /** Neither read has parameters of its own; `query` are some that must not matter. */
    readonly build: (id: string, as: Credential, query?: Fields) => Effect.Effect<HttpResponse, NoResponse>
    readonly put: (
      slot: Pick<Slot, "putUrl">,
      sent: {
        readonly contentType: string
        readonly content: Content
        readonly method?: string
        /** The value of `content-range`. */
        readonly range?: string
        readonly tamper?: Tamper
        readonly as?: Credential
      }
    ) => Effect.Effect<HttpResponse, NoResponse>
    readonly reservePreview: (input: PreviewInput, as: Credential) => Effect.Effect<HttpResponse, NoResponse>
    readonly finalizePreview: (
      reserved: Pick<Reserved, "token" | "shareId">,
      as: Credential
    ) => Effect.Effect<HttpResponse, NoResponse>
    readonly preview: (shareId: string, as: Credential, query?: Fields) => Effect.Effect<HttpResponse, NoResponse>
    readonly registerRun: (fields: Fields, as: Credential) => Effect.Effect<HttpResponse, NoResponse>
    readonly listRuns: (query: Fields, as: Credential) => Effect.Effect<HttpResponse, NoResponse>

    /** Reads a 2xx answer to a build or preview reservation of these objects. Its token and `putUrl`s are secret. */
    readonly reserved: (answer: HttpResponse, input: BuildInput | PreviewInput) => Effect.Effect<Reserved, Violation>
    /** Reads a 2xx answer to finalize or a read of a build, or to finalize or a read of a preview. */
    readonly row: (answer: HttpResponse) => Effect.Effect<Row, Violation>
    readonly registered: (answer: HttpResponse) => Effect.Effect<Registered, Violation>
    readonly listed: (answer: HttpResponse) => Effect.Effect<Listed, Violation>
    /**
     * What in the body of an answer may be its error code: the value at its binding, or else of the member that is named
     * like one, or else every short text without spaces.
     */
    readonly codes: (answer: HttpResponse) => ReadonlyArray<string>
  }
>()("slipway/conformance/dialect/Dialect") {}
