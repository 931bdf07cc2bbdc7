import { Data, Runtime } from "effect"
import type { ExitCode } from "../run/exitCode.ts"

/** What a command has to say at its end when that isn't good. Everything else was printed before. */
export class Ended extends Data.TaggedError("Ended")<{
  readonly code: Exclude<ExitCode, 0>
  readonly message: string
}> {
  override get [Runtime.errorExitCode]() {
    return this.code
  }
}
