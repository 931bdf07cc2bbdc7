import { Data, Runtime } from "effect"

/** The config, a file or a flag is invalid. The message is one sentence that names what is wrong. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 2
}
