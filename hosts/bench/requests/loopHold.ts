const cpuMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** What a task took of this thread, in milliseconds of its CPU time: all of it, and the longest turn of the event loop. */
export interface ThreadTime {
  readonly totalMs: number
  readonly longestMs: number
}

/** Runs a task of another thread and measures what this thread does meanwhile. Other processes don't count. */
export const measureHold = async <A>(
  task: () => Promise<A>
): Promise<{ readonly result: A; readonly hold: ThreadTime }> => {
  const start = cpuMs()
  let last = start
  let longestMs = 0
  const turn = () => {
    const at = cpuMs()
    longestMs = Math.max(longestMs, at - last)
    last = at
  }
  let next = setImmediate(function again() {
    turn()
    next = setImmediate(again)
  })
  const result = await task()
  clearImmediate(next)
  turn()
  return { result, hold: { totalMs: last - start, longestMs } }
}
