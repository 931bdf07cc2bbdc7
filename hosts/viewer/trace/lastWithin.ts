/** The last of those that are in the order of their times whose time has come by `t`, if one's has. */
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
