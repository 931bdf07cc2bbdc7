import { Data } from "effect"

/** The host can't listen on the address: it is in use, not of this machine, or not permitted. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly cause: unknown
}> {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `Can't listen on ${this.host}:${this.port}: ${why}`
  }
}
