/** The kinds of faults that a front can have. */
import { Effect } from "effect"
import type { Answer, Json } from "../../session/Exchange.ts"
import { toAnswer } from "../../session/transport.ts"
import type { Target } from "../../testing/Target.ts"
import { querying, saying, type Call, type Endpoint, type Fields } from "./Call.ts"
import type { Ask, Front } from "./Front.ts"
import { members, stripped } from "./json.ts"
import { eachOf, type MutantTable, type Row } from "./Mutant.ts"

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
export const answer = (status: number, json: Json | Fields): Answer =>
  toAnswer(status, { "content-type": "application/json" }, JSON.stringify(json))

export const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300

const invalid = answer(400, { code: "invalid_request" })
export const notFound = answer(404, { code: "not_found" })
export const failure = answer(500, { code: "internal" })

/** The same answer with another body. */
export const withBody = ({ headers, status }: Answer, json: Json | Fields): Answer =>
  toAnswer(status, headers, JSON.stringify(json))

/** Handles these requests in another way, and passes all others to the host. */
export const instead =
  (where: Where, otherwise: (call: Call, ask: Ask, target: Target) => Effect.Effect<Answer>): Front =>
  (ask, target) =>
  (call) =>
    where(call, target) ? otherwise(call, ask, target) : ask(call)

/** Passes the request to the host, and continues with its answer. */
export const continuing = (
  where: Where,
  next: (answer: Answer, call: Call, ask: Ask, target: Target) => Effect.Effect<Answer>
): Front =>
  instead(where, (call, ask, target) => Effect.flatMap(ask(call), (answer) => next(answer, call, ask, target)))

/** Passes another request to the host. */
export const asking = (where: Where, change: (call: Call, target: Target) => Call): Front =>
  instead(where, (call, ask, target) => ask(change(call, target)))

/** Changes the answer, whatever it is. */
export const answering = (where: Where, change: (answer: Answer, call: Call) => Answer): Front =>
  continuing(where, (answer, call) => Effect.succeed(change(answer, call)))

/** Changes a successful answer. */
export const answeringDone = (where: Where, change: (answer: Answer, call: Call) => Answer): Front =>
  answering(where, (answer, call) => (isDone(answer) ? change(answer, call) : answer))

/** Changes the members of a successful answer. */
export const changingFields = (where: Where, change: (fields: Fields, call: Call) => Fields): Front =>
  answeringDone(where, (answer, call) => withBody(answer, change(members(answer.json), call)))

/** Removes these members from a successful answer, at any depth. */
export const without = (where: Where, ...names: ReadonlyArray<string>): Front =>
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
export const sayingInstead = (where: Where, changes: Fields): Front => asking(where, (call) => saying(call, changes))

/** Passes another query to the host. */
export const queryingInstead = (where: Where, changes: Fields): Front =>
  asking(where, (call) => querying(call, changes))

/** Passes every request to the host. */
export const unchanged: Front = (ask) => ask

/** Answers this without passing the request to the host. */
export const outright = (where: Where, answered: Answer): Front => instead(where, () => Effect.succeed(answered))

/** Refuses without passing the request to the host. */
export const refusing = (where: Where): Front => outright(where, invalid)

/** Answers this where the host answers 404. */
export const answeringNotFound = (where: Where, answered: Answer): Front =>
  answering(where, (answer) => (answer.status === 404 ? answered : answer))

/** Answers 500 where the host refuses the request. */
export const failing = (where: Where): Front => answering(where, (answer) => (isDone(answer) ? answer : failure))
