/** The first words of the commands that `slipway` has too, which it knows without loading them: its own `run` is that of the operator. */
export const commandNames = [
  "upload",
  "import",
  "comment",
  "tests",
  "runs",
  "failed",
  "shard",
  "quarantine",
  "completion"
] as const
