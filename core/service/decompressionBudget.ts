/** How much may be decompressed of a reservation: one budget for all its objects. */
export interface DecompressionBudget {
  /** Counts so many bytes more; false when they are too many, which counts all the same. */
  readonly spend: (bytes: number) => boolean
  /** How much was decompressed; more than the budget where it was stopped. */
  readonly spent: () => number
  /** Whether it was stopped for being too much. */
  readonly isUsedUp: () => boolean
}

/** A budget of so many bytes, of which nothing was spent yet. */
export const decompressionBudget = (bytes: number): DecompressionBudget => {
  let spent = 0
  const isUsedUp = () => spent > bytes
  return {
    isUsedUp,
    spent: () => spent,
    spend: (more) => {
      spent += more
      return !isUsedUp()
    }
  }
}
