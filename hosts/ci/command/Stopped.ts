import { ExitCode } from "./ExitCode.ts"

/** A command ends here: the program prints the message on stderr and exits with the code. */
export class Stopped extends Error {
  override readonly name = "Stopped"
  readonly code: ExitCode

  constructor(code: ExitCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A wrong flag, argument, setting or input: exit code 2. */
export const unusable = (message: string): Stopped => new Stopped(ExitCode.usage, message)
