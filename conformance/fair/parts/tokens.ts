import type { Refusal } from "./http.ts"

/** The form of a host's tokens, their lifetime, and how wrong ones are refused. */
export interface TokenKind {
  readonly now: () => number
  readonly lifeMs: number
  readonly issue: () => string
  readonly refusals: {
    readonly unknown: Refusal
    readonly foreign: Refusal
    readonly expired: Refusal
    /** The refusal of a used token. Without it, a used token gives its answer again, also after its lifetime. */
    readonly used?: Refusal
  }
}

/** One-time tokens. */
export interface Tokens<Held, Made> {
  readonly issue: (account: string, held: Held) => string
  /** The result of `use`, which gets the rest of the request. The token counts as used when `use` has succeeded. */
  readonly spend: (account: string, token: unknown, said?: unknown) => Made
}

export const makeTokens = <Held, Made>(
  { issue, lifeMs, now, refusals }: TokenKind,
  use: (held: Held, account: string, said: unknown) => Made
): Tokens<Held, Made> => {
  const issued = new Map<unknown, { readonly account: string; readonly until: number; readonly held: Held }>()
  const used = new Map<unknown, Made>()
  return {
    issue: (account, held) => {
      const token = issue()
      issued.set(token, { account, until: now() + lifeMs, held })
      return token
    },
    spend: (account, token, said) => {
      const found = issued.get(token)
      if (found === undefined) throw refusals.unknown
      if (found.account !== account) throw refusals.foreign
      const before = used.get(token)
      if (before !== undefined && refusals.used !== undefined) throw refusals.used
      if (before !== undefined) return before
      if (found.until <= now()) throw refusals.expired
      const made = use(found.held, account, said)
      used.set(token, made)
      return made
    }
  }
}
