import { Effect } from "effect"
import type { Dialect } from "../../dialect/Dialect.ts"
import type { Violation } from "../../dialect/Violation.ts"
import type { Answer, Credential, KeyName } from "../../session/Exchange.ts"
import { Session, type NoAnswer } from "../../session/Session.ts"
import type { Check, CheckTable, Skipped } from "./Check.ts"
import { keyOf } from "./accounts.ts"
import { refuses } from "./answers.ts"

/** A request that would succeed with the right key. */
export interface Attempt {
  readonly send: (as: Credential) => Effect.Effect<Answer, Violation | NoAnswer, Session | Dialect>
  /** Proves that the refused requests changed nothing, where a read can show that. */
  readonly prove?: Effect.Effect<void, Violation | NoAnswer, Session | Dialect>
}

/** An endpoint that wants a key. */
export interface Endpoint extends Pick<Check, "cost" | "readOnly" | "supplied"> {
  /** Begins a sentence: "A reservation of a preview". */
  readonly noun: string
  readonly attempt: Effect.Effect<Attempt, Violation | Skipped | NoAnswer, Session | Dialect>
}

/** The scope that the endpoints of an area want, and the keys of an account that lack it. */
export interface Group {
  readonly scope: string
  readonly lackedBy: ReadonlyArray<KeyName>
}

interface WrongKey {
  readonly as: Credential
  readonly text: string
  readonly situation: string
}

const noKeys: ReadonlyArray<WrongKey> = [
  { as: "none", text: "without a key", situation: "none" },
  { as: "unknown", text: "with a key that nobody was given", situation: "unknown" },
  { as: "altered", text: "with the account's key, its end changed", situation: "altered" }
]

const refused = (
  id: string,
  { attempt, cost, noun, ...about }: Endpoint,
  text: string,
  keys: ReadonlyArray<WrongKey>
): readonly [id: string, check: CheckTable[string]] => [
  id,
  {
    ...about,
    title: `${noun} ${text} is refused.`,
    cost: { ...cost, requests: cost.requests + keys.length },
    *run() {
      const { pairsOfScopes = false } = (yield* Session).config
      const { prove = Effect.void, send } = yield* attempt
      for (const { as, situation, text } of keys) {
        const isOfPair = typeof as === "object" && as.key.startsWith("without")
        if (pairsOfScopes || !isOfPair) yield* refuses(send(as), `${noun} ${text}`, `${id}.${situation}`)
      }
      yield* prove
    }
  }
]

/**
 * The checks that endpoints, by their names in the area, refuse requests without a key, with an unknown key, and with a key
 * that lacks the scope.
 */
export const wrongKeyChecks = (
  area: string,
  { lackedBy, scope }: Group,
  endpoints: Readonly<Record<string, Endpoint>>
): CheckTable => {
  const withoutScope = lackedBy.map((key) => ({
    as: keyOf("a", key),
    text: `by the key \`${key}\``,
    situation: "missing"
  }))
  const scopeText = `by a key of the account without the scope \`${scope}\``
  return Object.fromEntries(
    Object.entries(endpoints).flatMap(([name, endpoint]) => [
      refused(`${area}.key.${name}`, endpoint, "without a key or with an unknown key", noKeys),
      refused(`${area}.scope.${name}`, endpoint, scopeText, withoutScope)
    ])
  )
}
