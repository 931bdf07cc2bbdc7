/** The column types and expressions in which engines differ. */
export interface Dialect {
  /** A text that is ordered or compared by its bytes. */
  readonly id: string
  readonly text: string
  readonly time: string
  readonly digest: string
  readonly integer: string
  /** Whole numbers up to 2^53. */
  readonly amount: string
  readonly fraction: string
  readonly flag: string
  readonly json: string
  readonly list: string
  /** The primary key of rows that are numbered as they are inserted. */
  readonly numbered: (table: string) => string
  /** What ends a table whose rows are found by its primary key, and one whose rows are larger. */
  readonly byKey: string
  readonly byRow: string
  /** A table that a crash may empty. */
  readonly transient: string
  /** A source without its attempt, that is up to its first slash: as much as fits into an index entry. */
  readonly ciRun: string
  /** The condition of keys that live for an hour at most, as those from a token exchange do. */
  readonly shortLived: string
}
