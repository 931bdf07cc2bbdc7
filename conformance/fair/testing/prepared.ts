import { onTestFinished } from "vitest"
import type { FairOptions, Start } from "../parts/FairHost.ts"
import { makeClient } from "./client.ts"
import { makeClock } from "./clock.ts"

/** A new host with a clock that the test moves, and a client for it. */
export const prepared = async (start: Start, options: FairOptions = {}) => {
  const clock = makeClock()
  const host = await start({ now: clock.now, ...options })
  onTestFinished(() => host.stop())
  return { host, clock, client: makeClient(host, clock), ...host.accounts }
}
