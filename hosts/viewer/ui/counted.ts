/** A number with its noun: `1 run`, `3 runs`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : several}`
