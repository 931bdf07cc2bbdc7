import type { Refusal } from "./http.ts"

/** What the tokens of a host look like, how long they can be used, and which refusal a wrong one gets. */
export interface TokenKind {
  readonly now: () => number
  readonly lifeMs: number
  readonly issue: () => string
  readonly refusals: {
    readonly unknown: Refusal
    readonly foreign: Refusal
    readonly expired: Refusal
    /** Without it, a used token gives its answer again, also past its life. */
    readonly used?: Refusal
  }
}

/** One-time tokens. */
export interface Tokens<Held, Made> {
  readonly issue: (account: string, held: Held) => string
  /** The result of `use`, which is given what else the request says. The token counts as used once `use` has succeeded. */
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
