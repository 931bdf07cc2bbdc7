/** The kinds of faults that a front can have. */
import { Effect } from "effect"
import type { AccountName, HttpResponse, Json } from "../session/Exchange.ts"
import { toResponse } from "../session/transport.ts"
import type { Target } from "../testing/target.ts"
import { accountOf, by, members, stripped, type Ask, type Call, type Fields, type Middleware } from "./Mutant.ts"

/** Which requests a fault is in. */
export type Where = (call: Call, target: Target) => boolean

/** An answer of JSON. */
export const answer = (status: number, json: Json | Fields): HttpResponse =>
  toResponse(status, { "content-type": "application/json" }, JSON.stringify(json))

export const isDone = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

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

/** Answers this without passing the request to the host. */
export const outright = (where: Where, answered: HttpResponse): Middleware =>
  instead(where, () => Effect.succeed(answered))

/** Answers this where the host answers 404. */
export const answeringNotFound = (where: Where, answered: HttpResponse): Middleware =>
  answering(where, (answer) => (answer.status === 404 ? answered : answer))

/** Answers 500 where the host refuses the request. */
export const failing = (where: Where): Middleware => answering(where, (answer) => (isDone(answer) ? answer : failure))

// Faults that mix two accounts.

const others: Readonly<Record<AccountName, AccountName>> = { a: "b", b: "a" }

/** Answers a refused request as if the other account had made it, where that is done. */
export const forEither = (where: Where): Middleware =>
  continuing(where, (answer, call, ask) => {
    const account = accountOf(call)
    if (account === undefined || isDone(answer)) return Effect.succeed(answer)
    return Effect.map(ask(by(call, others[account])), (other) => (isDone(other) ? other : answer))
  })

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

/** Whether an object of the upload that a call is about hasn't arrived yet. */
export const isMissing = ({ reservation }: Call): boolean =>
  reservation?.putUrls.some((url) => !reservation.arrived.has(url)) === true
