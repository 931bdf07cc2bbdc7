import { Effect } from "effect"
import type { Dialect } from "../../dialect/Dialect.ts"
import type { Answer, Credential, KeyName } from "../../session/Exchange.ts"
import type { NoAnswer, Session } from "../../session/Session.ts"
import type { Check, Skipped } from "./Check.ts"
import type { Violation } from "../../dialect/Violation.ts"
import { keyOf } from "./credentials.ts"
import { refuses } from "./refuses.ts"

/** A request that would succeed with the right key. */
export interface Attempt {
  readonly send: (as: Credential) => Effect.Effect<Answer, Violation | NoAnswer, Session | Dialect>
  /** That nothing came of it, where that shows. */
  readonly prove: Effect.Effect<void, Violation | NoAnswer, Session | Dialect>
}

/** An endpoint that wants a key, and what it takes to ask it for something. */
export interface Endpoint extends Pick<Check, "cost" | "readOnly" | "supplied"> {
  /** Ends the ids of its checks. */
  readonly name: string
  /** Begins a sentence: "A reservation of a preview". */
  readonly noun: string
  readonly attempt: Effect.Effect<Attempt, Violation | Skipped | NoAnswer, Session | Dialect>
}

/** Endpoints that want one scope. */
export interface Group extends Pick<Check, "profile"> {
  /** Begins the ids of its checks. */
  readonly prefix: string
  readonly scope: string
  /** The keys of an account without that scope. */
  readonly lackedBy: ReadonlyArray<KeyName>
}

interface WrongKey {
  readonly name: "key" | "scope"
  readonly text: string
  readonly keys: ReadonlyArray<{ readonly as: Credential; readonly text: string; readonly situation: string }>
}

const noKeys: WrongKey = {
  name: "key",
  text: "without a key, or with one that nobody was given,",
  keys: [
    { as: "none", text: "without a key", situation: "none" },
    { as: "unknown", text: "with a key that nobody was given", situation: "unknown" }
  ]
}

const withoutScope = ({ lackedBy, scope }: Group): WrongKey => ({
  name: "scope",
  text: `by a key of the account without the scope \`${scope}\``,
  keys: lackedBy.map((key) => ({ as: keyOf("a", key), text: `by the key \`${key}\``, situation: "missing" }))
})

const refused = ({ prefix, profile }: Group, endpoint: Endpoint, wrong: WrongKey): Check => {
  const { attempt, cost, name, noun, ...made } = endpoint
  const id = `${prefix}.${wrong.name}.${name}`
  return {
    ...made,
    id,
    profile,
    title: `${noun} ${wrong.text} is refused.`,
    cost: { ...cost, requests: cost.requests + wrong.keys.length },
    run: Effect.gen(function* () {
      const { prove, send } = yield* attempt
      for (const { as, situation, text } of wrong.keys)
        yield* refuses(send(as), `${noun} ${text}`, `${id}.${situation}`)
      yield* prove
    })
  }
}

/** That endpoints refuse whoever has no key, a key that nobody was given, or one without the scope of their group. */
export const wrongKeyChecks = (group: Group, endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<Check> =>
  endpoints.flatMap((endpoint) => [noKeys, withoutScope(group)].map((wrong) => refused(group, endpoint, wrong)))
