import { Array, Data, Effect, Stream } from "effect"
import { stepCommands } from "../stepCommands.ts"
import { slice } from "./slices.ts"
import { parseEvent, type TraceEvent } from "../event.ts"
import { inflated } from "../../content/inflated.ts"
import { lineReader, piecesOf, type LineBounds } from "../lines.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** How many events of steps are kept, and of how many characters together. */
export interface Room {
  readonly events: number
  readonly characters: number
}

/** Events of steps; `isWhole` if there were no others. */
export interface StepEvents {
  readonly events: ReadonlyArray<TraceEvent>
  readonly isWhole: boolean
}

const charactersOf = ({ fields, name, status = "" }: TraceEvent): number => {
  const { message } = fields
  const own = name.length + status.length + (typeof message === "string" ? message.length : 0)
  return own + stepCommands(fields).reduce((size, command) => size + JSON.stringify(command).length, 0)
}

/** Stores events up to a limit, and drops later ones. */
const keeper = (room: Room) => {
  const events: Array<TraceEvent> = []
  let [left, isWhole] = [room.characters, true]
  return {
    keep: (event: TraceEvent): void => {
      left -= charactersOf(event)
      if (isWhole && left >= 0 && events.length < room.events) events.push(event)
      else isWhole = false
    },
    kept: (): StepEvents => ({ events, isWhole })
  }
}

/** The first of some events of steps, as many as there is room for. */
export const first = (all: ReadonlyArray<TraceEvent>, room: Room): StepEvents => {
  const { keep, kept } = keeper(room)
  for (const event of all) keep(event)
  return kept()
}

/** How many lines are read between two yields: even a short invalid line can be slow to read. */
const linesOfSlice = 500

/** A text that can't be read any further. */
class Unreadable extends Data.TaggedError("Unreadable")<{ readonly cause: unknown }> {}

/**
 * Reads the events of steps with which a recording begins, in slices; its bytes are read from the stream only as far as
 * the bounds go. If it can't be read to its end, the events until there are returned.
 */
export const readStepEvents = Effect.fnUntraced(function* (
  recording: ReadableStream<Bytes>,
  startedAtMs: number,
  { bounds, room }: { readonly bounds: LineBounds; readonly room: Room }
): Effect.fn.Return<StepEvents> {
  const lines = lineReader(bounds)
  const { keep, kept } = keeper(room)
  let before: TraceEvent | undefined

  const add = (found: ReadonlyArray<string>): void => {
    for (const line of found) {
      const event = parseEvent(line, before, startedAtMs)
      if (event === undefined) continue
      before = event
      if (event.type === "step") keep(event)
    }
  }
  const takeAll = (found: ReadonlyArray<string>) =>
    Effect.forEach(Array.chunksOf(found, linesOfSlice), (some) => slice(() => add(some)), { discard: true })
  /** Reads a piece; `false` when no more has to be read. */
  const readOn = (piece: Uint8Array) =>
    slice(() => lines.read(piece)).pipe(
      Effect.flatMap(takeAll),
      Effect.map(() => !lines.isOver() && kept().isWhole)
    )

  const unreadable = (cause: unknown) => new Unreadable({ cause })
  const isRead = yield* Effect.tryPromise({ try: () => inflated(recording), catch: unreadable }).pipe(
    Effect.flatMap((text) =>
      Stream.fromReadableStream({ evaluate: () => text, onError: unreadable }).pipe(
        Stream.flatMap((chunk) => Stream.fromIterable(piecesOf(chunk))),
        Stream.runForEachWhile(readOn)
      )
    ),
    Effect.andThen(Effect.suspend(() => takeAll(lines.end()))),
    Effect.as(true),
    Effect.catchTag("Unreadable", () => Effect.succeed(false))
  )
  const { events, isWhole } = kept()
  return { events, isWhole: isWhole && lines.isWhole() && isRead }
})
