import { Data, Runtime } from "effect"

/** A run that can't be as it is asked for: what the config, a file or a flag says doesn't fit. One sentence, which names it. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 2
}
