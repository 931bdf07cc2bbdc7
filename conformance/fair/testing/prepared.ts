import { onTestFinished } from "vitest"
import type { FairOptions, Start } from "../parts/FairHost.ts"
import { makeClient } from "./client.ts"
import { makeClock } from "./clock.ts"

/** A host of this test's own on a clock of its own, and a client that speaks to it. */
export const prepared = async (start: Start, options: FairOptions = {}) => {
  const clock = makeClock()
  const host = await start({ now: clock.now, ...options })
  onTestFinished(() => host.stop())
  return { host, clock, client: makeClient(host, clock), ...host.accounts }
}
