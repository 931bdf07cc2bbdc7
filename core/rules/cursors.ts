import { DateTime, Option, Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { TestRunId, type RunCursor } from "../model/TestRun.ts"

const form = /^(\d{1,15})\.([\x21-\x7e]{1,64})$/

/** Encodes a position in a list as an opaque cursor. */
export const toCursor = ({ createdAt, id }: RunCursor): string =>
  Base64Url.encode(`${DateTime.toEpochMillis(createdAt)}.${id}`)

/** Decodes a cursor; none when {@link toCursor} did not make it. */
export const fromCursor = (cursor: string): Option.Option<RunCursor> => {
  const written = Base64Url.decodeString(cursor)
  const [, millis, id] = form.exec(Result.isSuccess(written) ? written.success : "") ?? []
  return millis === undefined || id === undefined
    ? Option.none()
    : Option.map(DateTime.make(Number(millis)), (at) => ({ createdAt: DateTime.toUtc(at), id: TestRunId.make(id) }))
}
