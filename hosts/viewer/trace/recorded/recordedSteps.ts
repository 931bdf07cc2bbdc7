import { Effect, Stream } from "effect"
import type { Preview } from "../../../../core/model/Preview.ts"
import { Previews } from "../../../../core/service/Previews.ts"
import { recordingObject } from "../../../../core/rules/reservations.ts"
import { first, readStepEvents, type StepEvents } from "./stepEvents.ts"
import type { FlowCommand } from "../../../phone/flows/flow.ts"
import { stepCommands } from "../stepCommands.ts"
import { numberOf, stepsOf, type KnownSteps } from "../steps.ts"

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
