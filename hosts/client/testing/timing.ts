import type { Timing } from "../retrying.ts"

/** Time that stands still, and how long was waited for it. */
export const standing = (): { readonly timing: Timing; readonly waits: Array<number> } => {
  const waits: Array<number> = []
  return {
    waits,
    timing: {
      now: () => Date.parse("2026-01-01T00:00:00Z"),
      random: () => 1,
      wait: async (ms) => {
        waits.push(ms)
      }
    }
  }
}
