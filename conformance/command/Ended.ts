import { Data, Runtime } from "effect"
import type { ExitCode } from "../run/exitCode.ts"

/** A command that ends with another exit code than 0. Everything but this message was printed before. */
export class Ended extends Data.TaggedError("Ended")<{
  readonly code: Exclude<ExitCode, 0>
  readonly message: string
}> {
  override get [Runtime.errorExitCode]() {
    return this.code
  }
}
