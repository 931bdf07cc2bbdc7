/** How much the objects of a reservation may decompress to, all together. */
export interface DecompressionBudget {
  /** Adds this many bytes to the count; false if the budget is then exceeded. */
  readonly spend: (bytes: number) => boolean
  /** How many bytes were counted; more than the budget if it was exceeded. */
  readonly spent: () => number
  /** Whether the budget was exceeded. */
  readonly isUsedUp: () => boolean
}

/** A new budget of this many bytes. */
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
