import { DateTime, Option, Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { TestRunId, type RunCursor } from "../model/TestRun.ts"

const form = /^(\d{1,15})\.([\x21-\x7e]{1,64})$/

/** A position in a list that is ordered by time, then by id. */
interface Position {
  readonly at: DateTime.Utc
  readonly id: string
}

/** Encodes a position in a list as an opaque cursor. */
export const positionText = ({ at, id }: Position): string => Base64Url.encode(`${DateTime.toEpochMillis(at)}.${id}`)

/** Decodes a cursor; none when {@link positionText} did not make it. */
export const positionFrom = (cursor: string): Option.Option<Position> => {
  const written = Base64Url.decodeString(cursor)
  const [, millis, id] = form.exec(Result.isSuccess(written) ? written.success : "") ?? []
  return millis === undefined || id === undefined
    ? Option.none()
    : Option.map(DateTime.make(Number(millis)), (at) => ({ at: DateTime.toUtc(at), id }))
}

/** The cursor after a run. */
export const toCursor = ({ createdAt, id }: RunCursor): string => positionText({ at: createdAt, id })

/** Decodes a cursor; none when {@link toCursor} did not make it. */
export const fromCursor = (cursor: string): Option.Option<RunCursor> =>
  Option.map(positionFrom(cursor), ({ at, id }) => ({ createdAt: at, id: TestRunId.make(id) }))
