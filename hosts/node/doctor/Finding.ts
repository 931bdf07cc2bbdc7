/** What is wrong with something, and what mends it: two parts of one line, without a full stop. */
export interface Fault {
  readonly detail: string
  readonly mend: string
}

/** What one check found. */
export type Finding =
  | { readonly name: string; readonly ok: true; readonly detail: string }
  | ({ readonly name: string; readonly ok: false } & Fault)

export const fine = (name: string, detail: string): Finding => ({ name, ok: true, detail })

export const wrong = (name: string, { detail, mend }: Fault): Finding => ({ name, ok: false, detail, mend })
