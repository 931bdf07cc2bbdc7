import type { Fault } from "../../engineErrors/Fault.ts"

/** What one check found. */
export type Finding =
  | { readonly name: string; readonly ok: true; readonly detail: string }
  | ({ readonly name: string; readonly ok: false } & Fault)

export const fine = (name: string, detail: string): Finding => ({ name, ok: true, detail })

export const wrong = (name: string, { detail, mend }: Fault): Finding => ({ name, ok: false, detail, mend })
