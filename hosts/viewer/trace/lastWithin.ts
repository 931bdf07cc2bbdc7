/** The last item whose time is at most `t`, if there is one. The items are ordered by time. */
export const lastWithin = <A>(all: ReadonlyArray<A>, t: number, timeOf: (one: A) => number): A | undefined => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = all[middle]
    if (one !== undefined && timeOf(one) <= t) low = middle + 1
    else high = middle
  }
  return all[low - 1]
}
