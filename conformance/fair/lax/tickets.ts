import { Refusal } from "../parts/http.ts"

/** Numbered tickets. One that can't be used, for whatever reason, doesn't exist: 404. */
export const makeTickets = <Held>(now: () => number, lifeMs: number) => {
  const open = new Map<unknown, { readonly account: string; readonly until: number; readonly held: Held }>()
  return {
    issue: (account: string, held: Held): string => {
      const token = `${open.size}.${crypto.randomUUID()}`
      open.set(token, { account, until: now() + lifeMs, held })
      return token
    },
    /** What a ticket holds. It can be used until it is torn. */
    held: (account: string, token: unknown): Held => {
      const found = open.get(token)
      if (found === undefined || found.account !== account || found.until <= now()) throw new Refusal(404, "not_found")
      return found.held
    },
    tear: (token: unknown): void => void open.delete(token)
  }
}

export type Tickets<Held> = ReturnType<typeof makeTickets<Held>>
