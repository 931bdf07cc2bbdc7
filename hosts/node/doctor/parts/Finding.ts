import { Effect } from "effect"
import type { Fault } from "../../engineErrors/Fault.ts"

/** What one check found. */
export type Finding =
  | { readonly name: string; readonly ok: true; readonly detail: string }
  | ({ readonly name: string; readonly ok: false } & Fault)

export const fine = (name: string, detail: string): Finding => ({ name, ok: true, detail })

export const wrong = (name: string, { detail, hint }: Fault): Finding => ({ name, ok: false, detail, hint })

/** A check whose failure is a finding too. */
export const orWrong =
  <E>(name: string, faultOf: (error: E) => Fault) =>
  (check: Effect.Effect<Finding, E>): Effect.Effect<Finding> =>
    Effect.catch(check, (error) => Effect.succeed(wrong(name, faultOf(error))))

/** How far a server's clock is ahead of this machine's, and how uncertain that is. */
export interface Clock {
  readonly of: string
  readonly aheadMillis: number
  readonly exactToMillis: number
}

/** The findings about one engine, and its clock if it has one. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>
  readonly clock?: Clock
}
