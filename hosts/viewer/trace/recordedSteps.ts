/** The steps of a run from its recordings of events, for pages without a script. */
import { Array, Data, Effect, Semaphore, Stream } from "effect"
import type { Preview } from "../../../core/model/Preview.ts"
import { recordingObject } from "../../../core/rules/reservations.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { commandsIn, type FlowCommand } from "../../phone/flows/flow.ts"
import { inflated } from "../content/inflated.ts"
import { type LineBounds, lineReader, piecesOf } from "./lines.ts"
import { type KnownSteps, numberOf, parseEvent, stepsOf, type TraceEvent } from "./steps.ts"

/**
 * How much of a run's events is read for a page, of all of its recordings together: each may be read to its equal part of
 * the bytes and lines. The script of the page reads all of them.
 */
const most = { recordings: 4, bytes: 2 ** 20, lines: 20_000, steps: 500 }

/** How many characters of a line are read: a line is read at once. */
const longest = 2 ** 16

/** How much of that is stored for the page: a step is one event, or two. */
const room = { events: 2 * most.steps, characters: 2 ** 17 }

const nothing: StepEvents = { events: [], isWhole: true }
const unread: StepEvents = { events: [], isWhole: false }

/** The steps of a run as it was recorded. */
export interface RecordedSteps extends KnownSteps {
  /** The Maestro commands that they were, in their order. */
  readonly commands: ReadonlyArray<FlowCommand>
  /** When each command had ended, in milliseconds on the clock of the run. */
  readonly moments: ReadonlyArray<number>
}

export const noSteps: RecordedSteps = { steps: [], isWhole: true, commands: [], moments: [] }

/** The steps in the events of a ready preview. Events that can't be read now are skipped. */
export const recordedSteps = Effect.fnUntraced(function* ({
  accountId,
  declaration: { recordings },
  finalizedAt,
  shareId
}: Preview): Effect.fn.Return<RecordedSteps, never, Previews> {
  if (finalizedAt === undefined) return noSteps
  const previews = yield* Previews
  const eventRecordings = recordings.flatMap(({ kind, startedAtMs = 0 }, index) =>
    kind === "events" ? [{ name: recordingObject(index), startedAtMs }] : []
  )
  const readRecordings = eventRecordings.slice(0, most.recordings)
  const part = (all: number): number => Math.floor(all / readRecordings.length)
  const bounds = { longest, bytes: part(most.bytes), lines: part(most.lines) }

  const read = ({ name, startedAtMs }: (typeof readRecordings)[number]) =>
    previews.open({ account: { id: accountId } }, shareId, { name, range: { offset: 0, length: bounds.bytes } }).pipe(
      Effect.flatMap(({ length, sizeBytes, stream }) =>
        Stream.toReadableStreamEffect(Stream.map(stream, (chunk) => new Uint8Array(chunk))).pipe(
          Effect.flatMap((recording) => readStepEvents(recording, startedAtMs, { bounds, room })),
          Effect.map(({ events, isWhole }) => ({ events, isWhole: isWhole && length === sizeBytes }))
        )
      ),
      Effect.scoped,
      // An empty object has no range to ask for.
      Effect.catchTag("RangeNotSatisfiable", () => Effect.succeed(nothing)),
      Effect.orElseSucceed(() => unread)
    )
  const found = yield* Effect.forEach(readRecordings, read, { concurrency: "unbounded" })
  const all = found.flatMap(({ events }) => events).toSorted((one, other) => one.t - other.t)
  const kept = first(all, room)
  const known = stepsOf(kept.events, most.steps)
  const isWhole =
    [...found, kept, known].every((one) => one.isWhole) && readRecordings.length === eventRecordings.length
  const played = kept.events.flatMap(({ fields, t }) =>
    stepCommands(fields).map((command) => ({ command, moment: t + (numberOf(fields["durationMs"]) ?? 0) }))
  )
  return {
    steps: known.steps,
    isWhole,
    commands: played.map(({ command }) => command),
    moments: played.map(({ moment }) => moment)
  }
})

type Bytes = Uint8Array<ArrayBuffer>

/** How many events of steps are kept, and of how many characters together. */
interface Room {
  readonly events: number
  readonly characters: number
}

/** Events of steps; `isWhole` if there were no others. */
interface StepEvents {
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

/** The most characters and values of the commands of one step, and how deep they are nested. */
const commandLimits = { size: 4000, depth: 20 }

/** How large a value is, in characters and values; no more of it is counted than the limit. */
const sizeOf = (value: unknown): number => {
  let size = 0
  const open: Array<{ readonly value: unknown; readonly depth: number }> = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined && size <= commandLimits.size; next = open.pop()) {
    const { depth } = next
    size += typeof next.value === "string" ? next.value.length + 1 : 1
    if (typeof next.value !== "object" || next.value === null) continue
    if (depth >= commandLimits.depth) return Infinity
    for (const [key, one] of Object.entries(next.value)) {
      size += key.length
      open.push({ value: one, depth: depth + 1 })
    }
  }
  return size
}

/**
 * The Maestro commands of a step, by which it can be played again: the field `command` of its event, which is a command as
 * the YAML of a flow has it, or a list of them.
 */
const stepCommands = ({ command }: Readonly<Record<string, unknown>>): ReadonlyArray<FlowCommand> => {
  if (command === undefined || sizeOf(command) > commandLimits.size) return []
  try {
    return commandsIn(Array.isArray(command) ? command : [command])
  } catch {
    return []
  }
}

const turn = Semaphore.makeUnsafe(1)

/**
 * Does a short piece of long work, after which the event loop turns. However many requests work at the same time, each
 * turn does one piece of one of them.
 */
export const slice = <A>(work: () => A): Effect.Effect<A> =>
  turn.withPermit(Effect.tap(Effect.sync(work), () => Effect.yieldNow))
