import type { TraceEvent } from "../event.ts"
import { stepReader } from "../steps.ts"
import type { KnownSteps } from "../steps.ts"
import { slices } from "./slices.ts"

/** How many steps are kept: whatever the clock shows is looked for among them. */
const most = 100_000

/** The steps that the events of a run tell of, gathered in slices. */
export const gatherSteps = async (events: ReadonlyArray<TraceEvent>): Promise<KnownSteps> => {
  const { known, read } = stepReader(most)
  const breathe = slices()
  for (const [index, event] of events.entries()) {
    read(event)
    if (index % 256 === 0) await breathe()
  }
  return known()
}
