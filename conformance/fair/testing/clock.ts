/** A clock that stands still until a test moves it. */
export interface Clock {
  readonly now: () => number
  readonly advance: (ms: number) => void
}

export const makeClock = (): Clock => {
  let time = Date.now()
  return {
    now: () => time,
    advance: (ms) => {
      time += ms
    }
  }
}
