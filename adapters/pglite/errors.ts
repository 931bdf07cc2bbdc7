import { Data } from "effect"

/** Somebody holds the data folder already: another process, or another part of this one. */
export class DataFolderInUse extends Data.TaggedError("DataFolderInUse")<{ readonly folder: string }> {
  override get message() {
    return `The data folder ${this.folder} is in use by another process. Stop that one first, or choose another folder.`
  }
}

/** The data folder can't be created, written or opened; `cause` says why. */
export class DataFolderUnusable extends Data.TaggedError("DataFolderUnusable")<{
  readonly folder: string
  readonly cause: unknown
}> {
  override get message() {
    return `The data folder ${this.folder} can't be used: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}
