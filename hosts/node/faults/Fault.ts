/** What is wrong with something, and what mends it: two parts of one line, without a full stop. */
export interface Fault {
  readonly detail: string
  readonly mend: string
}
