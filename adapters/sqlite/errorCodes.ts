/** SQLite's result codes: https://sqlite.org/rescode.html */
import { Predicate } from "effect"

/** The error that `node:sqlite` throws for a failure of SQLite. */
interface EngineError extends Error {
  readonly errcode: number
}

export const isEngineError = (cause: unknown): cause is EngineError =>
  cause instanceof Error && Predicate.hasProperty(cause, "errcode") && Predicate.isNumber(cause.errcode)

const codes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  notADatabase: 26
}

/** The primary result codes that get their own treatment. */
export type Kind = keyof typeof codes

/** Whether an error is SQLite's with one of these primary codes, whatever its extended code is. */
export const isOfKind =
  (...kinds: ReadonlyArray<Kind>) =>
  (cause: unknown): boolean =>
    isEngineError(cause) && kinds.some((kind) => codes[kind] === (cause.errcode & 0xff))
