import { Data } from "effect"

/** The suite itself is wrong: it would send what it shouldn't, or does otherwise than it did when it was recorded. A defect. */
export class SuiteFault extends Data.TaggedError("SuiteFault")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}
