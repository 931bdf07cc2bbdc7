import { randomBytes } from "node:crypto"
import { Refusal } from "../parts/http.ts"

/** Tokens that tell apart what is wrong with them: 404 unknown, 403 another account's or past its life, 409 used. */
export interface Reservations<Held> {
  readonly issue: (account: string, held: Held) => string
  /** What `use` makes of what a token holds; the token counts as used once that succeeded. */
  readonly spend: <Made>(account: string, token: unknown, use: (held: Held) => Made) => Made
}

export const makeReservations = <Held>(now: () => number, lifeMs: number): Reservations<Held> => {
  const issued = new Map<unknown, { readonly account: string; readonly until: number; readonly held: Held }>()
  const used = new Set<unknown>()
  return {
    issue: (account, held) => {
      const token = `rsv_${randomBytes(16).toString("hex")}`
      issued.set(token, { account, until: now() + lifeMs, held })
      return token
    },
    spend: (account, token, use) => {
      const found = issued.get(token)
      if (found === undefined) throw new Refusal(404, "reservation_unknown")
      if (found.account !== account) throw new Refusal(403, "forbidden")
      if (used.has(token)) throw new Refusal(409, "already_finalized")
      if (found.until <= now()) throw new Refusal(403, "reservation_expired")
      const made = use(found.held)
      used.add(token)
      return made
    }
  }
}
