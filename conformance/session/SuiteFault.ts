import { Data } from "effect"

/** A fault of the suite: it would send something invalid, or behaves differently than in the recording. A defect. */
export class SuiteFault extends Data.TaggedError("SuiteFault")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}
