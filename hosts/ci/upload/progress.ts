import cliProgress from "cli-progress"
import { bytesText } from "../../../core/rules/amounts.ts"
import type { Progress } from "../../client/index.ts"
import type { Context } from "../command/Context.ts"

/** Receives the progress of an upload, and its end. */
export interface Watch {
  readonly onProgress: (progress: Progress) => void
  readonly end: () => void
}

/** A bar on a terminal; in the log of a CI, which can't draw one, nothing. */
export const watch = ({ terminal }: Context): Watch => {
  if (terminal === undefined) return { onProgress: () => {}, end: () => {} }
  const bar = new cliProgress.SingleBar(
    {
      format: "[{bar}] {percentage}%  {sent} of {whole}",
      stream: terminal,
      hideCursor: true,
      gracefulExit: false
    },
    cliProgress.Presets.legacy
  )
  return {
    onProgress: ({ sentBytes, totalBytes }) => {
      const texts = { sent: bytesText(sentBytes), whole: bytesText(totalBytes) }
      if (bar.isActive) bar.update(sentBytes, texts)
      else bar.start(totalBytes, sentBytes, texts)
    },
    end: () => bar.stop()
  }
}
