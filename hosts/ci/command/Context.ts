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
