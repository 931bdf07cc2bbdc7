import cliProgress from "cli-progress"
import type { Progress } from "../client/index.ts"

/** Shows how far an upload is: a bar on a terminal; where there is none, a line when it is done. */
export const progressBar = (what: string): ((progress: Progress) => void) => {
  const bar = new cliProgress.SingleBar(
    {
      format: `  PUT       ${what.padEnd(7)} [{bar}] {percentage}%  {value}/{total} bytes`,
      clearOnComplete: false,
      noTTYOutput: true,
      notTTYSchedule: 60_000
    },
    cliProgress.Presets.legacy
  )
  return ({ sentBytes, sentObjects, totalBytes, totalObjects }) => {
    if (bar.isActive) bar.update(sentBytes)
    else bar.start(totalBytes, sentBytes)
    if (sentObjects === totalObjects) bar.stop()
  }
}
