import { randomUUID } from "node:crypto"
import { Refusal } from "../parts/http.ts"

/** One-time tokens. Unknown, used, expired and somebody else's are all the same to this host: 400 `token`. */
export interface Tokens<Held> {
  readonly issue: (account: string, held: Held) => string
  /** What a token holds; `use` makes of it what the request wants, and if that succeeds the token is gone. */
  readonly spend: <Made>(account: string, token: unknown, use: (held: Held) => Made) => Made
}

export const makeTokens = <Held>(now: () => number, lifeMs: number): Tokens<Held> => {
  const issued = new Map<unknown, { readonly account: string; readonly until: number; readonly held: Held }>()
  return {
    issue: (account, held) => {
      const token = randomUUID()
      issued.set(token, { account, until: now() + lifeMs, held })
      return token
    },
    spend: (account, token, use) => {
      const found = issued.get(token)
      if (found === undefined || found.account !== account || found.until <= now()) throw new Refusal(400, "token")
      const made = use(found.held)
      issued.delete(token)
      return made
    }
  }
}
