/**
 * The engine found that a transaction conflicts with another one, and kept nothing of it. A `KeyValueStore` whose engine doesn't run
 * transactions again rejects with this, and Slipway runs it again.
 */
export class TransactionConflict extends Error {
  override readonly name = "TransactionConflict"
}
