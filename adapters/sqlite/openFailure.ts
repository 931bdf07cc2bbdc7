import { isEngineError, isOfKind } from "./errorCodes.ts"
import { DatabaseFileUnusable } from "./errors.ts"

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
  return { detail: messageOf(cause), hint: "see to the file, or restore it from a backup" }
}

/** Explains why a database file can't be opened, from the error of SQLite or the system. */
export const unusable = (file: string, cause: unknown): DatabaseFileUnusable =>
  new DatabaseFileUnusable({ file, ...faultOf(cause), cause })
