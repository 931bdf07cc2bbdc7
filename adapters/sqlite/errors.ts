import { Data } from "effect"

/** Another process, or another part of this one, already has the database. */
export class DatabaseInUse extends Data.TaggedError("DatabaseInUse")<{ readonly file: string }> {
  override get message() {
    return `The database ${this.file} is in use by another process. Stop that one first, or choose another.`
  }
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
  override get message() {
    return `The database ${this.file} can't be used: ${this.detail}; ${this.hint}.`
  }
}
