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
