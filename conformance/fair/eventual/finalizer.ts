import { randomBytes } from "node:crypto"
import { Refusal } from "../parts/http.ts"

/** Tokens whose use may be repeated: the same token gives the same answer, also past its life. */
export interface Finalizer<Held, Made> {
  readonly issue: (account: string, held: Held) => string
  /** Refuses an unknown token with 404, another account's with 409, one past its life with 410. */
  readonly finalize: (account: string, token: unknown) => Made
}

/** `make` is done once for each token; one that it refuses may be tried again. */
export const makeFinalizer = <Held, Made>(
  now: () => number,
  lifeMs: number,
  make: (held: Held) => Made
): Finalizer<Held, Made> => {
  const issued = new Map<unknown, { readonly account: string; readonly until: number; readonly held: Held }>()
  const made = new Map<unknown, Made>()
  return {
    issue: (account, held) => {
      const token = randomBytes(24).toString("base64url")
      issued.set(token, { account, until: now() + lifeMs, held })
      return token
    },
    finalize: (account, token) => {
      const found = issued.get(token)
      if (found === undefined) throw new Refusal(404, "unknown_token")
      if (found.account !== account) throw new Refusal(409, "reserved_by_another_account")
      const before = made.get(token)
      if (before !== undefined) return before
      if (found.until <= now()) throw new Refusal(410, "token_expired")
      const one = make(found.held)
      made.set(token, one)
      return one
    }
  }
}
