import { Data } from "effect"

/** A fault of the suite: it would send something invalid, or it doesn't follow the recording. A defect. */
export class SuiteFault extends Data.TaggedError("SuiteFault")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}
