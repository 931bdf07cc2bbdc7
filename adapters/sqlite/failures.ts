import { Data, Predicate } from "effect"
import { failuresBy, type Failures } from "../sql/Engine.ts"

/** Another process, or another part of this one, already has the database. */
export class DatabaseInUse extends Data.TaggedError("DatabaseInUse")<{ readonly file: string }> {
  override readonly message = `The database ${this.file} is in use by another process. Stop that one first, or choose another.`
}

/**
 * The database can't be opened or brought to this version's schema. The message says why and what to do. Nothing was
 * changed.
 */
export class DatabaseFileUnusable extends Data.TaggedError("DatabaseFileUnusable")<{
  readonly file: string
  readonly detail: string
  readonly hint: string
  readonly cause?: unknown
}> {
  override readonly message = `The database${this.file === "" ? "" : ` ${this.file}`} can't be used: ${this.detail}; ${this.hint}.`
}

// SQLite's result codes: https://sqlite.org/rescode.html

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
type Kind = keyof typeof codes

/** Whether an error is SQLite's with one of these primary codes, whatever its extended code is. */
export const isOfKind =
  (...kinds: ReadonlyArray<Kind>) =>
  (cause: unknown): boolean =>
    isEngineError(cause) && kinds.some((kind) => codes[kind] === (cause.errcode & 0xff))

interface Fault {
  readonly detail: string
  readonly hint: string
}

const damaged = isOfKind("corrupt", "notADatabase")
const full = isOfKind("full")
const refused = isOfKind("readonly", "cantOpen")
const unlockable = isOfKind("io", "protocol")

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const codeOf = (cause: unknown): unknown => (cause instanceof Error && "code" in cause ? cause.code : undefined)

const faultOf = (cause: unknown): Fault => {
  if (damaged(cause)) return { detail: `it is damaged (${messageOf(cause)})`, hint: "restore it from a backup" }
  if (full(cause) || codeOf(cause) === "ENOSPC")
    return { detail: "its disk is full", hint: "make room, and start again" }
  if (refused(cause) || (!isEngineError(cause) && codeOf(cause) !== undefined)) {
    return {
      detail: `it can't be written (${messageOf(cause)})`,
      hint: "give it and its folder to the user that Slipway runs as, or choose another"
    }
  }
  if (unlockable(cause)) {
    return {
      detail: `its file system refuses what a database needs (${messageOf(cause)})`,
      hint: "put it on a local disk"
    }
  }
  return { detail: messageOf(cause), hint: "check the file, or restore it from a backup" }
}

/** Explains why a database file can't be opened, from the error of SQLite or the system. */
export const unusable = (file: string, cause: unknown): DatabaseFileUnusable =>
  new DatabaseFileUnusable({ file, ...faultOf(cause), cause })

/** Another program writes to the file, such as one that an operator opened it with; another host can't. */
const isBusy = isOfKind("busy", "locked")

const isFull = isOfKind("full")

/** States of the disk and not faults of a statement. */
const isPassing = isOfKind("busy", "locked", "readonly", "io", "cantOpen")

/** What becomes of a statement or transaction that fails. When the disk is full or fails, nothing was stored. */
export const { orUnavailable, orWriteFailure }: Failures = failuresBy({
  isFull: ({ reason }) => isFull(reason.cause),
  isPassing: ({ reason }) => isPassing(reason.cause),
  describe: ({ reason }) => `The database can't be used: ${String(reason.cause)}`,
  // Another program writes to the file: up to two seconds are waited for it.
  retry: { while: ({ reason }) => isBusy(reason.cause), pause: "20 millis", times: 100 }
})
