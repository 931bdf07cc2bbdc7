/** What is wrong, and how to fix it: two parts of one line, without a full stop. */
export interface Fault {
  readonly detail: string
  readonly hint: string
}
