import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { accountOf, by, keyOf, type Call, type Reservation } from "./Call.ts"
import { answer, asking, at, instead, isDone, notFound, outright, refusing, type Where } from "./fronts.ts"
import type { Front } from "./Front.ts"
import { doneSilently, forEither } from "./isolation.ts"
import { missing } from "./missing.ts"
import type { MutantTable } from "./Mutant.ts"

const isForeign = (call: Call): boolean =>
  call.reservation !== undefined && accountOf(call.reservation.call) !== accountOf(call)

const isByOtherKey = (call: Call): boolean =>
  call.reservation !== undefined && !isForeign(call) && keyOf(call.reservation.call) !== keyOf(call)

const others = { builds: "previews", previews: "builds" } as const

/** The same token at the finalize of a profile. */
const atFinalize = ({ fields: { token }, ...call }: Call, profile: Reservation["profile"]): Call => {
  const path = profile === "builds" ? "/api/v1/builds" : "/api/v1/previews/finalize"
  const body = { token, ...(profile === "builds" ? { operation: "finalize" } : {}) }
  const url = new URL(path, call.url).href
  return { ...call, url, endpoint: `${profile}.finalize`, fields: body, body: JSON.stringify(body) }
}

/** Answers such a finalize as the one before with the same token, where that succeeded. */
const answeringAgain = (where: Where, such: (call: Call) => boolean): Front => {
  return (ask, target) => {
    const done = new Map<unknown, Answer>()
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if (!where(call, target)) return answer
        if (isDone(answer)) done.set(call.fields.token, answer)
        return (such(call) ? done.get(call.fields.token) : undefined) ?? answer
      })
  }
}

/** A refused finalize uses up its token when `burns` is true of it. */
const usingUp =
  (profile: Reservation["profile"], burns: (call: Call, refusal: Answer) => boolean): Front =>
  (ask, ...host) => {
    const used = new Set<unknown>()
    const remember = (call: Call) => (answered: Answer) =>
      Effect.sync(() => !isDone(answered) && burns(call, answered) && used.add(call.fields.token))
    const front = instead(at(`${profile}.finalize`), (call, ask) =>
      used.has(call.fields.token) ? Effect.succeed(notFound) : Effect.tap(ask(call), remember(call))
    )
    return front(ask, ...host)
  }

/** By whose key, and with which token, builds or previews are finalized. */
export const finalizerMutants = (profile: Reservation["profile"]): MutantTable => {
  const endpoint = `${profile}.finalize` as const
  return {
    "finalize.foreign-taken": [
      "Another account's key finalizes.",
      ["finalize.foreign-account", "finalize.foreign-again"],
      forEither(at(endpoint))
    ],
    "finalize.foreign-again-taken": [
      "A finalize by another account is answered 201 once the own account has finalized.",
      "finalize.foreign-again",
      answeringAgain(at(endpoint), isForeign)
    ],
    "finalize.elsewhere-taken": [
      `A token of ${profile} finalizes at the other endpoint.`,
      "finalize.elsewhere",
      asking(
        at(`${others[profile]}.finalize`, ({ reservation }) => reservation?.profile === profile),
        (call) => by(atFinalize(call, profile), accountOf(call) ?? "a")
      )
    ],
    "finalize.foreign-done": [
      "A finalize by another account's key is refused, and done all the same.",
      "finalize.foreign-account",
      doneSilently(at(endpoint))
    ],
    "finalize.used-up-by-another": [
      "A finalize by another account is refused and uses up the token.",
      "finalize.after-foreign",
      usingUp(profile, isForeign)
    ],
    "finalize.used-up-early": [
      "A finalize that is refused because an object is missing uses up its token.",
      profile === "builds" ? "finalize.early" : ["finalize.early", "finalize.after-missing"],
      usingUp(profile, (call) => missing(call).length > 0)
    ],
    "finalize.own-key-only": [
      "Only the key that reserved can finalize.",
      "finalize.other-key",
      refusing(at(endpoint, isByOtherKey))
    ],
    "finalize.any-token": [
      "A finalize with an unknown token is answered 201.",
      "finalize.unknown-token",
      outright(
        at(endpoint, ({ fields, reservation }) => fields.token !== undefined && reservation === undefined),
        answer(201, { url: "http://reference.example/of-nothing" })
      )
    ]
  }
}
