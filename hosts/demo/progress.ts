import cliProgress from "cli-progress"
import { Effect } from "effect"

/** Shows how far an upload is. */
export interface Progress {
  readonly start: (totalBytes: number) => Effect.Effect<void>
  readonly sent: (name: string, bytes: number) => Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

/** A bar on a terminal; where there is none, a line when it is done. */
export const progressBar = (what: string): Progress => {
  const bar = new cliProgress.SingleBar(
    {
      format: `  PUT       ${what.padEnd(7)} [{bar}] {percentage}%  {value}/{total} bytes  {name}`,
      clearOnComplete: false,
      hideCursor: true,
      noTTYOutput: true,
      notTTYSchedule: 60_000
    },
    cliProgress.Presets.legacy
  )
  return {
    start: (total) => Effect.sync(() => bar.start(total, 0, { name: "" })),
    sent: (name, bytes) => Effect.sync(() => bar.increment(bytes, { name })),
    stop: Effect.sync(() => bar.stop())
  }
}
