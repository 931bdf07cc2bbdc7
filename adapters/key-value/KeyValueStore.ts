/** One entry of a {@link KeyValueStore}. */
export interface Entry {
  readonly key: string
  readonly value: string
}

/** Entries with `from <= key < to`, by code unit: the first `limit` of them, or the last ones, last first. None if `from >= to`. */
export interface Range {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly reverse: boolean
}

/**
 * What a transaction of a {@link KeyValueStore} can do. Its reads see what it wrote itself. Calls may overlap: Slipway doesn't always
 * wait for one before the next, and when `use` rejects, some may not have ended.
 */
export interface Transaction {
  /** The value of a key, or `undefined` when there is none. */
  readonly get: (key: string) => Promise<string | undefined>
  /** Stores a value in place of whichever the key had. */
  readonly set: (key: string, value: string) => Promise<void>
  /** Removes a key. One that isn't there is no error. */
  readonly remove: (key: string) => Promise<void>
  /** The entries of a range, in its order. */
  readonly list: (range: Range) => Promise<ReadonlyArray<Entry>>
}

/**
 * An ordered store of texts with transactions: all that an engine has to give to keep Slipway's metadata. One table of an
 * SQL database is one, with the key as its primary key; so are FoundationDB, LMDB, Deno KV and DynamoDB.
 *
 * Keys are ASCII of at most 500 bytes; values are JSON of up to a few MiB, as large as a request may be. For an engine that takes only smaller values, set
 * `maxValueBytes` of `layerMetadata`.
 */
export interface KeyValueStore {
  /**
   * Runs `use`, and keeps what it wrote, all of it or nothing: when `use` rejects, nothing.
   *
   * Transactions are serializable: the result is as if one had run after the other, also on several hosts, and also where one only
   * reads or `use` rejects. Where an engine finds that two can't be, it runs `use` again, or rejects with `TransactionConflict`. What
   * `transaction` has answered is on the disk, as far as the engine promises that of anything, and every later transaction sees it, on
   * every host.
   */
  readonly transaction: <A>(use: (transaction: Transaction) => Promise<A>) => Promise<A>
}
