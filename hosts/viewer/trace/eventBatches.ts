import { parseEvent, type TraceEvent } from "./event.ts"

/** How many events are read at once, so that other work can run in between. */
const batchSize = 250

/** The events of a recording on the clock of its run, in batches as its lines arrive. */
export async function* eventBatches(
  text: AsyncIterable<ReadonlyArray<string>>,
  startedAtMs: number
): AsyncGenerator<ReadonlyArray<TraceEvent>> {
  let last: TraceEvent | undefined
  for await (const lines of text) {
    for (let at = 0; at === 0 || at < lines.length; at += batchSize) {
      const batch: Array<TraceEvent> = []
      for (const line of lines.slice(at, at + batchSize)) {
        const event = parseEvent(line, last, startedAtMs)
        if (event === undefined) continue
        last = event
        batch.push(event)
      }
      yield batch
    }
  }
}
