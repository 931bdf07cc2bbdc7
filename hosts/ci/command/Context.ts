/** The process that a command runs in. Commands use nothing of the process but this, so tests can give them another. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly cwd: string
  /** Prints a line of the result on stdout. */
  readonly out: (line: string) => void
  /** Prints a line about the result on stderr: progress, warnings. */
  readonly err: (line: string) => void
  /** Where a progress bar is drawn; `undefined` where nobody watches, as in the log of a CI run. */
  readonly terminal: NodeJS.WriteStream | undefined
  /** Ends what is under way, when the process is interrupted. */
  readonly signal: AbortSignal
}

/** The exit codes of every command. */
export const ExitCode = {
  done: 0,
  /** What `--fail-on` names was found, or a `--budget` is exceeded. */
  failOn: 1,
  /** A wrong flag, argument or setting, an input that can't be read, or an output that can't be written. */
  usage: 2,
  /** The host can't be reached, or refuses. */
  host: 3,
  /** A fault of this program. */
  fault: 4
} as const

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]

/** The exit codes, as each help lists them. */
export const exitCodesText = `Exit codes: 0 done; 1 what --fail-on names was found, or a --budget is exceeded; 2 a wrong flag,
setting, input or output; 3 the host can't be reached, refuses or can't tell; 4 a fault of this program.`

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

/** The value of a flag that must be one of some texts; `undefined` if it isn't given. */
export const oneOf = <A extends string>(
  flag: string,
  text: string | undefined,
  allowed: ReadonlyArray<A>
): A | undefined => {
  const found = allowed.find((one) => one === text)
  if (text === undefined || found !== undefined) return found
  throw unusable(`${flag} must be ${allowed.join(" or ")}, and is ${JSON.stringify(text)}.`)
}
