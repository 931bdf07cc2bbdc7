import { Effect, Stream } from "effect"
import type { PreviewMetadata } from "../../core/api/previews/responses.ts"
import { ShareId } from "../../core/model/Preview.ts"
import type { Reader } from "../../core/model/Principal.ts"
import { Previews } from "../../core/service/Previews.ts"
import { eventBatches } from "./trace/eventBatches.ts"
import type { TraceEvent } from "./trace/event.ts"
import { inflated } from "./trace/inflated.ts"
import { stepsOf } from "./trace/steps.ts"
import type { Step } from "./trace/steps.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** How much of a run's events is read for its page; the script of the page reads all of them. */
const most = { recordings: 4, bytes: 2 ** 20, steps: 500 }

/** The steps that the events of a run tell of, on the clock of all its recordings, and whether they are all of them. */
export interface RecordedSteps {
  readonly steps: ReadonlyArray<Step>
  readonly isWhole: boolean
}

/** A text's first bytes; `onMore` is told when it had more. */
const beginningOf = (text: ReadableStream<Bytes>, bytes: number, onMore: () => void): ReadableStream<Bytes> => {
  let left = bytes
  return text.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.byteLength
        if (left >= 0) return
        onMore()
        controller.terminate()
      }
    })
  )
}

/** The events of steps with which a recording begins. What can't be read to its end tells what it told until then. */
const readSteps = async (stream: ReadableStream<Bytes>, startedAtMs: number) => {
  const events: Array<TraceEvent> = []
  let isWhole = true
  const cut = () => {
    isWhole = false
  }
  try {
    for await (const batch of eventBatches(beginningOf(await inflated(stream), most.bytes, cut), startedAtMs)) {
      events.push(...batch.filter(({ type }) => type === "step"))
    }
  } catch {
    cut()
  }
  return { events, isWhole }
}

/** Reads the steps of a preview that is ready. Events that can't be had just now are as if they weren't there. */
export const recordedSteps = Effect.fnUntraced(function* (
  account: Reader["account"],
  { recordings, shareId, status }: Pick<PreviewMetadata, "recordings" | "shareId" | "status">
): Effect.fn.Return<RecordedSteps, never, Previews> {
  if (status !== "ready") return { steps: [], isWhole: true }
  const previews = yield* Previews
  const told = recordings.flatMap(({ kind, startedAtMs = 0 }, index) =>
    kind === "events" ? [{ name: `recordings/${index}`, startedAtMs }] : []
  )
  const read = yield* Effect.forEach(
    told.slice(0, most.recordings),
    ({ name, startedAtMs }) =>
      previews.open({ account }, ShareId.make(shareId), { name }).pipe(
        Effect.flatMap(({ stream }) =>
          Stream.toReadableStreamEffect(Stream.map(stream, (bytes) => new Uint8Array(bytes)))
        ),
        Effect.flatMap((stream) => Effect.promise(() => readSteps(stream, startedAtMs))),
        Effect.scoped,
        Effect.orElseSucceed(() => ({ events: [], isWhole: false }))
      ),
    { concurrency: "unbounded" }
  )
  const steps = stepsOf(read.flatMap(({ events }) => events).toSorted((one, other) => one.t - other.t))
  return {
    steps: steps.slice(0, most.steps),
    isWhole: told.length <= most.recordings && steps.length <= most.steps && read.every(({ isWhole }) => isWhole)
  }
})
