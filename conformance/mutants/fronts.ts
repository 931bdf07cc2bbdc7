/** The kinds of faults that a front can have. */
import { Effect } from "effect"
import type { AccountName, HttpResponse, Json } from "../session/Exchange.ts"
import { toResponse } from "../session/transport.ts"
import type { Target } from "../testing/target.ts"
import {
  accountOf,
  by,
  eachOf,
  items,
  keyOf,
  members,
  querying,
  saying,
  stripped,
  type Ask,
  type Call,
  type Endpoint,
  type Fields,
  type Middleware,
  type MutantTable,
  type Reservation,
  type Row
} from "./Mutant.ts"
import { isObject } from "../dialect/Dialect.ts"

/** Which requests a fault is in. */
export type Where = (call: Call, target: Target) => boolean

/** Requests to one of these, when `when` holds. */
export const at = (endpoints: Endpoint | ReadonlyArray<Endpoint>, when: Where = () => true): Where => {
  const some = typeof endpoints === "string" ? [endpoints] : endpoints
  return (call, target) => call.endpoint !== undefined && some.includes(call.endpoint) && when(call, target)
}

/** What members or parameters must be: a value, `undefined` for one that is left out, or what is true of it. */
type Pattern = Readonly<Record<string, Json | undefined | ((value: Json | undefined) => boolean)>>

/** Requests to one endpoint whose members, or parameters, are like this. */
export const like = (endpoint: Endpoint, pattern: Pattern): Where =>
  at(endpoint, ({ fields, query }) =>
    Object.entries(pattern).every(([name, wanted]) => {
      const value = fields[name] ?? query[name]
      return typeof wanted === "function" ? wanted(value) : value === wanted
    })
  )

/** Members or parameters that are there. */
export const present = (value: Json | undefined): boolean => value !== undefined

/** An answer of JSON. */
export const answer = (status: number, json: Json | Fields): HttpResponse =>
  toResponse(status, { "content-type": "application/json" }, JSON.stringify(json))

export const isDone = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

const invalid = answer(400, { code: "invalid_request" })
export const notFound = answer(404, { code: "not_found" })
export const failure = answer(500, { code: "internal" })

/** The same answer with another body. */
export const withBody = ({ headers, status }: HttpResponse, json: Json | Fields): HttpResponse =>
  toResponse(status, headers, JSON.stringify(json))

/** Handles these requests in another way, and passes all others to the host. */
export const instead =
  (where: Where, otherwise: (call: Call, ask: Ask, target: Target) => Effect.Effect<HttpResponse>): Middleware =>
  (ask, target) =>
  (call) =>
    where(call, target) ? otherwise(call, ask, target) : ask(call)

/** Passes the request to the host, and continues with its answer. */
export const continuing = (
  where: Where,
  next: (answer: HttpResponse, call: Call, ask: Ask, target: Target) => Effect.Effect<HttpResponse>
): Middleware =>
  instead(where, (call, ask, target) => Effect.flatMap(ask(call), (answer) => next(answer, call, ask, target)))

/** Passes another request to the host. */
export const asking = (where: Where, change: (call: Call, target: Target) => Call): Middleware =>
  instead(where, (call, ask, target) => ask(change(call, target)))

/** Changes the answer, whatever it is. */
export const answering = (where: Where, change: (answer: HttpResponse, call: Call) => HttpResponse): Middleware =>
  continuing(where, (answer, call) => Effect.succeed(change(answer, call)))

/** Changes a successful answer. */
export const answeringDone = (where: Where, change: (answer: HttpResponse, call: Call) => HttpResponse): Middleware =>
  answering(where, (answer, call) => (isDone(answer) ? change(answer, call) : answer))

/** Changes the members of a successful answer. */
export const changingFields = (where: Where, change: (fields: Fields, call: Call) => Fields): Middleware =>
  answeringDone(where, (answer, call) => withBody(answer, change(members(answer.json), call)))

/** Removes these members from a successful answer, at any depth. */
export const without = (where: Where, ...names: ReadonlyArray<string>): Middleware =>
  answeringDone(where, (answer) => withBody(answer, stripped(answer.json, names)))

/** The id of a mutant ends with the names of members in lower case. */
const inId = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Answers that lack a member: whose, and the checks that report each. Ids begin with `start`. */
export const lacking = (
  start: string,
  whose: string,
  where: Where,
  checks: Readonly<Record<string, Row[1]>>
): MutantTable =>
  eachOf(checks, (caughtBy, name) => [
    `${start}.no-${inId(name)}`,
    `${whose} has no ${name}.`,
    caughtBy,
    without(where, name)
  ])

/** Passes another body to the host. */
export const sayingInstead = (where: Where, changes: Fields): Middleware =>
  asking(where, (call) => saying(call, changes))

/** Passes another query to the host. */
export const queryingInstead = (where: Where, changes: Fields): Middleware =>
  asking(where, (call) => querying(call, changes))

/** Passes every request to the host. */
export const unchanged: Middleware = (ask) => ask

/** Answers this without passing the request to the host. */
export const outright = (where: Where, answered: HttpResponse): Middleware =>
  instead(where, () => Effect.succeed(answered))

/** Refuses without passing the request to the host. */
export const refusing = (where: Where): Middleware => outright(where, invalid)

/** Answers this where the host answers 404. */
export const answeringNotFound = (where: Where, answered: HttpResponse): Middleware =>
  answering(where, (answer) => (answer.status === 404 ? answered : answer))

/** Answers 500 where the host refuses the request. */
export const failing = (where: Where): Middleware => answering(where, (answer) => (isDone(answer) ? answer : failure))

/** Faults that mix two accounts. */

const others: Readonly<Record<AccountName, AccountName>> = { a: "b", b: "a" }

/** The other account's answer to a refused request; `undefined` when it wasn't refused or came without an account's key. */
const forTheOther = (call: Call, ask: Ask, answer: HttpResponse): Effect.Effect<HttpResponse | undefined> => {
  const account = accountOf(call)
  return account === undefined || isDone(answer) ? Effect.undefined : ask(by(call, others[account]))
}

/** Answers a refused request as if the other account had made it, where that is done. */
export const forEither = (where: Where): Middleware =>
  continuing(where, (answer, call, ask) =>
    Effect.map(forTheOther(call, ask, answer), (other) => (other !== undefined && isDone(other) ? other : answer))
  )

/** Refuses the request, and does it all the same as if the other account had made it. */
export const refusesButPerforms = (where: Where): Middleware =>
  continuing(where, (answer, call, ask) => Effect.as(forTheOther(call, ask, answer), answer))

/** Whether these are the names of the repository that isn't linked to account a. */
export const isUnlinked = (owner: unknown, repo: unknown, { config }: Target): boolean => {
  const { unlinked } = config.accounts.a
  return owner === unlinked.owner && repo === unlinked.repo
}

/** Whether these are the names of a repository that isn't linked to account a, of the owner of one that is. */
export const isBelowOwner = (owner: unknown, repo: unknown, { config }: Target): boolean => {
  const { linked, second } = config.accounts.a
  return owner === linked.owner && repo !== undefined && repo !== linked.repo && repo !== second?.repo
}

/** Answers this where both accounts are refused, whatever their keys allow. */
export const forUnownedResource = (where: Where, answered: HttpResponse): Middleware =>
  continuing(where, (answer, call, ask) =>
    Effect.map(forTheOther(call, ask, answer), (other) =>
      keyOf(call) === "all" && other !== undefined && !isDone(other) ? answered : answer
    )
  )

/** Refuses account b what is account a's with an answer that has its url. */
export const foreignUrl = (endpoint: Endpoint, status: number, code: string): Middleware =>
  continuing(
    at(endpoint, (call) => accountOf(call) === "b"),
    (refusal, call, ask) =>
      isDone(refusal)
        ? Effect.succeed(refusal)
        : Effect.map(ask(by(call, "a")), ({ json }) =>
            answer(status, { code, detail: `You may not open ${String(members(json).url)}.` })
          )
  )

/** A reservation answers other slots for its files, or for its recordings. */
export const otherSlots = (
  profile: Reservation["profile"],
  group: "files" | "recordings",
  change: (slots: ReadonlyArray<Json>) => ReadonlyArray<Json>
): Middleware =>
  changingFields(at(`${profile}.reserve`), (fields) => {
    const slots = isObject(fields.slots) ? fields.slots : {}
    return { ...fields, slots: { ...slots, [group]: change(items(slots[group])) } }
  })

/** An object that was declared and hasn't arrived. */
export interface Missing {
  readonly object: "bundle" | "file" | "recording"
  /** Its place among the objects of its kind, from 0. */
  readonly place: number
}

/** What of the upload that a call is about hasn't arrived yet. */
export const missing = ({ reservation }: Pick<Call, "reservation">): ReadonlyArray<Missing> => {
  if (reservation === undefined) return []
  const { arrived, call, putUrls } = reservation
  const files = items(call.fields.files).length
  return putUrls.flatMap((url, index): ReadonlyArray<Missing> => {
    if (arrived.has(url)) return []
    if (index === 0) return [{ object: "bundle", place: 0 }]
    return index <= files ? [{ object: "file", place: index - 1 }] : [{ object: "recording", place: index - 1 - files }]
  })
}
