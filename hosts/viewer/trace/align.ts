import { lengthOf, type Step } from "./steps.ts"

/** A pair of matching steps of two runs, or a step that only one of them has. */
export interface Pair {
  readonly left: Step | undefined
  readonly right: Step | undefined
}

/** How two steps that belong together differ. */
export type Difference = "same" | "only-left" | "only-right" | "status" | "message" | "slower" | "faster"

/** Gives equal names equal numbers, so that comparing long names is as fast as comparing short ones. */
const numbering = (): ((step: Step) => number) => {
  const numbers = new Map<string, number>()
  return ({ name }) => {
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    return number
  }
}

/**
 * Matches the longest common subsequence of the steps' names. The steps between are unmatched, the left run's first.
 */
export const alignSteps = (left: ReadonlyArray<Step>, right: ReadonlyArray<Step>): ReadonlyArray<Pair> => {
  const numberOf = numbering()
  const [ofLeft, ofRight] = [left.map(numberOf), right.map(numberOf)]
  const width = right.length + 1
  const longest = new Uint32Array((left.length + 1) * width)
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        ofLeft[row] === ofRight[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: Array<Pair> = []
  let [row, column] = [0, 0]
  while (row < left.length || column < right.length) {
    const [one, other] = [left[row], right[column]]
    if (one !== undefined && other !== undefined && ofLeft[row] === ofRight[column]) {
      pairs.push({ left: one, right: other })
      row += 1
      column += 1
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      pairs.push({ left: one, right: undefined })
      row += 1
    } else {
      pairs.push({ left: undefined, right: other })
      column += 1
    }
  }
  return pairs
}

/** Slower or faster means by more than a fifth, and by more than 100 ms. */
export const differenceOf = ({ left, right }: Pair): Difference => {
  if (left === undefined) return "only-right"
  if (right === undefined) return "only-left"
  if (left.status !== right.status) return "status"
  if (left.message !== right.message) return "message"
  const change = lengthOf(right) - lengthOf(left)
  if (Math.abs(change) <= Math.max(100, lengthOf(left) / 5)) return "same"
  return change > 0 ? "slower" : "faster"
}
