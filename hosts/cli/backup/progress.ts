import cliProgress from "cli-progress"
import { Effect } from "effect"

/** Shows the progress of a move: a bar of bytes if stderr is a terminal, else nothing. */
export const progressBar = (what: string, totalBytes: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const bar = new cliProgress.SingleBar(
          { format: `${what} [{bar}] {percentage}%  {value}/{total} bytes`, hideCursor: true, stream: process.stderr },
          cliProgress.Presets.legacy
        )
        bar.start(totalBytes, 0)
        return bar
      }),
      (bar) => Effect.sync(() => bar.stop())
    ),
    (bar) => (bytes: number) => Effect.sync(() => bar.increment(bytes))
  )
