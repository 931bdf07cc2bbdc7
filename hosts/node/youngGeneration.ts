/**
 * How much memory V8 gives to new objects, and to the bytes of new buffers that count with them. Left alone it grows to 64 MiB
 * and stays, nearly all of it garbage: a host under load took up to 130 MiB more than it needed.
 */
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** It grows by doubling, so to 16 MiB. With 8, a read of a build took a tenth more CPU time; with 32, a host a sixth more memory. */
const enough = 12 * 1024 ** 2

const size = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? Infinity

/** Keeps the young generation from growing. V8 asks this flag whenever it would grow, so it can be set at any time. */
const growBy = (factor: 1 | 2): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** Lets the young generation of this process grow until it is large {@link enough}, and no more. */
export const boundYoungGeneration = (): void => {
  const stopWhenEnough = () => {
    if (size() < enough) return growBy(2)
    growBy(1)
    observer.disconnect()
  }
  const observer = new PerformanceObserver(stopWhenEnough)
  observer.observe({ entryTypes: ["gc"] })
  stopWhenEnough()
}
