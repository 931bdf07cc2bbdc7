/** Reads answers by the bindings or, without one, by searching for the names in the interface. */
import { Effect } from "effect"
import { Violation } from "./Violation.ts"
import type { Bindings } from "../config/Config.ts"
import type { Answer, Json } from "../session/Exchange.ts"
import type { CreatedResource } from "../session/Session.ts"
import type { BuildInput, Listed, ListedRun, PreviewInput, Registered, Reserved, Row } from "./Dialect.ts"
import { follow } from "./pointer.ts"
import { asText, isAbsoluteUrl, isList, isObject, isText, named, eachMember } from "./search.ts"
import { slotsOf } from "./slots.ts"

/** Describes an answer in a few words for a person. */
export const describe = ({ json, status, text }: Answer): string => {
  const body = json === undefined ? text : JSON.stringify(json)
  return `status ${status} with ${body === "" ? "no body" : body.length > 300 ? `${body.slice(0, 300)}…` : body}`
}

const succeeded = (answer: Answer, what: string): Effect.Effect<Json, Violation> => {
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
  answer: Answer,
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
  answer: Answer
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
  { json, status }: Answer
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
  answer: Answer
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
  answer: Answer
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

export const codes = ({ answers }: Bindings, { json }: Answer): ReadonlyArray<string> => {
  if (answers.errorCode !== undefined) return [asText(follow(json, answers.errorCode)) ?? ""]
  const texts = [...eachMember(json)].flatMap(({ name, value }) => (isCode(value) ? [{ name, value }] : []))
  const own = texts.filter(({ name }) => codeName.test(name))
  return (own.length > 0 ? own : texts).map(({ value }) => value)
}
