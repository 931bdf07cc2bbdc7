/** The exit codes of every command. */
export const ExitCode = {
  done: 0,
  /** What `--fail-on` names was found. */
  failOn: 1,
  /** A wrong flag, argument or setting, or an input that can't be read. */
  usage: 2,
  /** The host can't be reached, or refuses. */
  host: 3,
  /** A fault of this program. */
  fault: 4
} as const

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]
