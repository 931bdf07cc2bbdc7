/** Reads answers by the bindings or, without one, by searching for the names in the interface. */
import { Effect } from "effect"
import {
  asText,
  eachMember,
  follow,
  isAbsoluteUrl,
  isObject,
  isText,
  named,
  Violation,
  type BuildInput,
  type Declared,
  type Listed,
  type ListedRun,
  type PreviewInput,
  type Registered,
  type Reserved,
  type Row,
  type Slot
} from "./Dialect.ts"
import type { Bindings } from "../config/Config.ts"
import { isList, type HttpResponse, type Json } from "../session/Exchange.ts"
import type { CreatedResource } from "../session/Session.ts"

/** Describes an answer in a few words for a person. */
export const describe = ({ json, status, text }: HttpResponse): string => {
  const body = json === undefined ? text : JSON.stringify(json)
  return `status ${status} with ${body === "" ? "no body" : body.length > 300 ? `${body.slice(0, 300)}…` : body}`
}

const succeeded = (answer: HttpResponse, what: string): Effect.Effect<Json, Violation> => {
  const { json, status } = answer
  if (status < 200 || status > 299) return new Violation({ expected: `${what} returns 2xx`, came: describe(answer) })
  return json === undefined
    ? new Violation({ expected: `${what} returns JSON`, came: describe(answer) })
    : Effect.succeed(json)
}

/** The value at the binding when it exists there, otherwise the found one. */
const bound = (json: Json, pointer: string | undefined): string | undefined =>
  pointer === undefined ? undefined : asText(follow(json, pointer))

const isScalar = (value: Json): value is string | number | boolean => typeof value !== "object"

const tokenNames = ["token", "reservationToken", "uploadToken", "finalizeToken"]

/** The token: at its binding, under its name, or under a name that begins with `token`. */
const tokenIn = (json: Json, { answers }: Bindings): string | undefined => {
  const found = bound(json, answers.token) ?? named(json, tokenNames, isText)
  if (found !== undefined) return found
  const other = [...eachMember(json)].find(({ name, value }) => /^token/i.test(name) && isText(value))
  return asText(other?.value)
}

export const reserved = Effect.fnUntraced(function* (
  bindings: Bindings,
  answer: HttpResponse,
  input: BuildInput | PreviewInput
): Effect.fn.Return<Reserved, Violation> {
  const json = yield* succeeded(answer, "A reservation")
  const token = tokenIn(json, bindings)
  if (token === undefined) {
    return yield* new Violation({ expected: "The reservation returns a token", came: describe(answer) })
  }
  const slots = slotsOf(json, input).filter((slot) => slot !== undefined)
  const declared = 1 + input.files.length + ("recordings" in input ? input.recordings.length : 0)
  if (slots.length !== declared) {
    return yield* new Violation({
      expected: `The reservation returns ${declared} slots with a putUrl, one for each declared object`,
      came: `${slots.length} slots: ${describe(answer)}`
    })
  }
  const unreachable = slots.find(({ putUrl }) => !isAbsoluteUrl(putUrl))
  if (unreachable !== undefined) {
    return yield* new Violation({ expected: "A putUrl is an absolute http or https URL", came: unreachable.putUrl })
  }
  return {
    answer,
    token,
    url: bound(json, bindings.answers.buildUrl) ?? named(json, ["url"], isText),
    shareId: bound(json, bindings.answers.shareId) ?? asText(named(json, ["shareId"], isScalar)),
    slots
  }
})

/** The part of a text that a pattern's first group captures; all of it without a pattern. */
const part = (text: string | undefined, pattern: string | undefined): string | undefined =>
  text === undefined || pattern === undefined ? text : new RegExp(pattern).exec(text)?.[1]

/** The last segment of a URL's path. */
const lastSegment = (url: string | undefined): string | undefined =>
  url === undefined || !URL.canParse(url) ? undefined : new URL(url).pathname.split("/").findLast((one) => one !== "")

export const row = Effect.fnUntraced(function* (
  { answers }: Bindings,
  answer: HttpResponse
): Effect.fn.Return<Row, Violation> {
  const json = yield* succeeded(answer, "A build or preview")
  const url =
    bound(json, answers.buildUrl) ??
    bound(json, answers.previewUrl) ??
    named(json, ["url"], isText) ??
    (isText(json) ? json : undefined)
  const status = answers.buildStatus === undefined ? undefined : follow(json, answers.buildStatus)
  return {
    answer,
    url,
    previewUrl: bound(json, answers.buildPreviewUrl) ?? named(json, ["previewUrl"], isText),
    id:
      part(bound(json, answers.buildId), answers.buildIdPattern) ??
      asText(named(json, ["id", "buildId", "uuid"], isScalar)) ??
      lastSegment(url),
    status: status ?? named(json, ["status", "state", "buildStatus"], isScalar)
  }
})

/** What requests create: the bindings and the names of its url and of its id. A reservation may have an id that isn't the build's. */
const creations = {
  reservation: ["build", "buildUrl", ["url"], "buildId", ["buildId"]],
  build: ["build", "buildUrl", ["url"], "buildId", ["id", "buildId", "uuid"]],
  preview: ["preview", "previewUrl", ["url"], "shareId", ["shareId"]],
  testRun: ["testRun", "runTraceUrl", ["traceUrl"], undefined, ["id", "runId", "testRunId", "uuid"]]
} as const

/** What an answer says was created, if it was a 2xx. Its id is its url where the answer has no id: see `run/cleanUp.ts`. */
export const created = (
  creation: keyof typeof creations,
  { answers }: Bindings,
  { json, status }: HttpResponse
): CreatedResource | undefined => {
  if (status < 200 || status > 299 || json === undefined) return undefined
  const [kind, urlAt, urlNames, idAt, idNames] = creations[creation]
  const url = bound(json, answers[urlAt]) ?? named(json, urlNames, isText)
  const own = idAt === undefined ? undefined : bound(json, answers[idAt])
  const pattern = kind === "build" ? answers.buildIdPattern : undefined
  const id = part(own, pattern) ?? asText(named(json, idNames, isScalar)) ?? url
  return id === undefined ? undefined : { kind, id, ...(url === undefined ? {} : { url }) }
}

export const registered = Effect.fnUntraced(function* (
  { answers }: Bindings,
  answer: HttpResponse
): Effect.fn.Return<Registered, Violation> {
  const json = yield* succeeded(answer, "A registration")
  return {
    answer,
    previewUrl: bound(json, answers.runPreviewUrl) ?? named(json, ["previewUrl"], isText),
    traceUrl: bound(json, answers.runTraceUrl) ?? named(json, ["traceUrl"], isText)
  }
})

const isListOfObjects = (value: Json): value is ReadonlyArray<Json> => isList(value) && value.every(isObject)

/** The outermost list of objects, or an empty list when there is no other list. */
const listIn = (json: Json, pointer: string | undefined): ReadonlyArray<Json> | undefined => {
  const there = pointer === undefined ? undefined : follow(json, pointer)
  if (isList(there)) return there
  const lists = [...eachMember(json)].map(({ value }) => value).filter(isListOfObjects)
  return lists.find((list) => list.length > 0) ?? lists[0]
}

const listedRun = ({ answers, passed }: Bindings, json: Json): ListedRun => {
  const status = answers.runStatus === undefined ? undefined : follow(json, answers.runStatus)
  const found = status ?? named(json, ["status", "outcome", "result", "passed", "state"], isScalar)
  return {
    json,
    name: bound(json, answers.runName) ?? named(json, ["name", "title", "label", "prompt"], isText),
    passed: JSON.stringify(found) === JSON.stringify(passed),
    traceUrl: named(json, ["traceUrl"], isText)
  }
}

export const listed = Effect.fnUntraced(function* (
  bindings: Bindings,
  answer: HttpResponse
): Effect.fn.Return<Listed, Violation> {
  const json = yield* succeeded(answer, "A list of test runs")
  const runs = listIn(json, bindings.answers.runs)
  if (runs === undefined) {
    return yield* new Violation({ expected: "The list of test runs holds a list of objects", came: describe(answer) })
  }
  return {
    answer,
    runs: runs.map((run) => listedRun(bindings, run)),
    nextCursor:
      bound(json, bindings.answers.nextCursor) ?? named(json, ["nextCursor", "cursor", "next", "nextPageToken"], isText)
  }
})

/** Members that hold an error's code in the ways in which errors are usually written. */
const codeName = /^(?:error[_-]?)?code$|^error$/i

const isCode = (value: Json): value is string => isText(value) && /^(?=.*[a-z])\S{1,64}$/i.test(value)

export const codes = ({ answers }: Bindings, { json }: HttpResponse): ReadonlyArray<string> => {
  if (answers.errorCode !== undefined) return [asText(follow(json, answers.errorCode)) ?? ""]
  const texts = [...eachMember(json)].flatMap(({ name, value }) => (isCode(value) ? [{ name, value }] : []))
  const own = texts.filter(({ name }) => codeName.test(name))
  return (own.length > 0 ? own : texts).map(({ value }) => value)
}

/** An object in an answer that has a `putUrl`, with every text that may identify its object. */
export interface Found {
  readonly putUrl: string
  readonly contentType: string | undefined
  readonly objectKey: string | undefined
  readonly hints: ReadonlyArray<string>
  readonly json: Readonly<Record<string, Json>>
}

interface Wanted extends Declared {
  /** The path of a file or the name of a recording. */
  readonly name: string | undefined
}

/** All objects that a reservation declares: bundle, files, recordings. */
const wantedOf = (input: BuildInput | PreviewInput): ReadonlyArray<Wanted> => [
  { ...input.bundle, name: undefined },
  ...input.files.map((file) => ({ ...file, name: file.path })),
  ...("recordings" in input ? input.recordings : [])
]

const slotsIn = (json: Json | undefined): ReadonlyArray<Found> =>
  [...eachMember(json)].flatMap(({ path, value }) => {
    if (!isObject(value)) return []
    const putUrl = asText(value.putUrl)
    if (putUrl === undefined) return []
    const texts = Object.values(value).filter((one) => typeof one === "string")
    return [
      {
        putUrl,
        contentType: asText(value.contentType),
        objectKey: asText(value.objectKey),
        hints: [...path, ...texts],
        json: value
      }
    ]
  })

/** Removes the parameters of a content type: `text/css; charset=utf-8` becomes `text/css`. */
const mediaType = (contentType: string | undefined) => contentType?.split(";")[0]?.trim().toLowerCase()

type Fits = (wanted: Wanted, found: Found) => boolean

const sameType: Fits = (wanted, found) => mediaType(wanted.contentType) === mediaType(found.contentType)

const sameName: Fits = ({ name = "bundle" }, { hints }) =>
  hints.some((hint) => hint === name || hint.endsWith(`/${name}`))

/** The unambiguous pairs: one slot and one object that match only each other. */
const pairs = (wanted: ReadonlyArray<Wanted>, found: ReadonlyArray<Found>, fits: Fits) =>
  wanted.flatMap((one) => {
    const fitting = found.filter((other) => fits(one, other))
    const [only] = fitting
    const others = wanted.filter((rival) => only !== undefined && fits(rival, only))
    return only !== undefined && fitting.length === 1 && others.length === 1 ? [[one, only] as const] : []
  })

/**
 * The slots of a reservation in the order bundle, files, recordings. They are matched by content type, which differs
 * for each object of a reservation, then by the name of the object beside `putUrl` or above it, then by their order.
 * `undefined` when an object has no slot.
 */
export const slotsOf = (json: Json | undefined, input: BuildInput | PreviewInput): ReadonlyArray<Slot | undefined> => {
  const all = wantedOf(input)
  const matched = new Map<Wanted, Found>()
  let found = slotsIn(json)
  const take = (taken: ReadonlyArray<readonly [Wanted, Found]>) => {
    for (const [one, other] of taken) matched.set(one, other)
    found = found.filter((one) => !taken.some(([, other]) => other === one))
  }
  const open = () => all.filter((one) => !matched.has(one))
  take(pairs(open(), found, sameType))
  take(pairs(open(), found, sameName))
  take(open().flatMap((one, index) => (found[index] === undefined ? [] : [[one, found[index]] as const])))
  return all.map((one) => {
    const slot = matched.get(one)
    return slot === undefined
      ? undefined
      : {
          putUrl: slot.putUrl,
          contentType: slot.contentType ?? one.contentType,
          objectKey: slot.objectKey,
          content: one.content,
          json: slot.json
        }
  })
}
