import type { TraceEvent } from "../event.ts"
import { stepReader, type KnownSteps } from "../steps.ts"
import { slices } from "./slices.ts"

/** How many steps are stored. The list shows fewer, the timeline and the clock use all of them. */
const most = 100_000

/** The steps of a run from its events, read in slices. */
export const gatherSteps = async (events: ReadonlyArray<TraceEvent>): Promise<KnownSteps> => {
  const { known, read } = stepReader(most)
  const breathe = slices()
  for (const [index, event] of events.entries()) {
    read(event)
    if (index % 256 === 0) await breathe()
  }
  return known()
}
