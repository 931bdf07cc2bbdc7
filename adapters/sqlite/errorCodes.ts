/** What SQLite says of a failure, by its result codes: https://sqlite.org/rescode.html */
import { Predicate } from "effect"

/** An error that `node:sqlite` throws for the engine. */
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

/** The kinds of failure that something is made of. */
export type Kind = keyof typeof codes

/** Whether an error is the engine's, and of one of these kinds, whatever it adds to them. */
export const isOfKind =
  (...kinds: ReadonlyArray<Kind>) =>
  (cause: unknown): boolean =>
    isEngineError(cause) && kinds.some((kind) => codes[kind] === (cause.errcode & 0xff))
