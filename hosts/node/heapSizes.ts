/**
 * How much memory V8 gives to new objects, and to the bytes of new buffers that count with them. By default it grows to
 * 64 MiB, nearly all of it garbage. And when V8 collects what has grown old, and what a peak left.
 */
import { performance, PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Sizes of the young generation, which grows by doubling: to 8 MiB and to 32. */
export const youngSizes = {
  /** For all hosts except those on PostgreSQL. */
  small: 6 * 1024 ** 2,
  /** For hosts on PostgreSQL, which serve many more concurrent requests. */
  large: 24 * 1024 ** 2
}

const size = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? Infinity

/** Keeps the young generation from growing. V8 asks this flag whenever it would grow, so it can be set at any time. */
const growBy = (factor: 1 | 2): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

let enough = 0

const stopWhenEnough = () => {
  if (size() < enough) return growBy(2)
  growBy(1)
  observer.disconnect()
}
const observer = new PerformanceObserver(stopWhenEnough)

/** Lets the young generation of this process grow until it has this many bytes, and no more. The last call counts. */
export const limitYoungGeneration = (bytes: number): void => {
  enough = bytes
  observer.observe({ entryTypes: ["gc"] })
  stopWhenEnough()
}

/**
 * Makes V8 collect when the heap has doubled since the last collection. By default it grows to a multiple before that, mostly
 * garbage of slow requests and their buffers. Call this after the program is loaded, because it
 * slows loading.
 */
export const limitHeapGrowth = (): void => setFlagsFromString("--heap-growing-percent=100")

/** The parts of a period in which the event loop ran: a process is busy above the first, and idle below the second. */
const [busy, idle] = [0.2, 0.02]

/**
 * Collects as soon as the process has been idle for a period after it was busy: V8 would keep the memory of a peak. The collection
 * blocks the process.
 */
export const collectWhenIdle = (periodMillis = 5000): void => {
  setFlagsFromString("--expose-gc")
  const collect: NodeJS.GCFunction = runInNewContext("gc")
  let wasBusy = false
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > busy) wasBusy = true
    if (!wasBusy || utilization > idle) return
    wasBusy = false
    // Others leave the pages with the process.
    collect({ type: "major", execution: "sync", flavor: "last-resort" })
  }, periodMillis).unref()
}
