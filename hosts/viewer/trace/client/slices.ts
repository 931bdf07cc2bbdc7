/** How many milliseconds the page may be busy before it handles input again. */
const quantum = 8

const channel = new MessageChannel()
const waiting: Array<() => void> = []
channel.port1.addEventListener("message", () => waiting.shift()?.())
channel.port1.start()

/** Waits until the browser has done its other work. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    channel.port2.postMessage(undefined)
  })

/** Await this within long work. It continues at once, or in the next turn if the time slice is used up. */
export const slices = (): (() => Promise<void>) => {
  let until = performance.now() + quantum
  return async () => {
    if (performance.now() < until) return
    await turn()
    until = performance.now() + quantum
  }
}
