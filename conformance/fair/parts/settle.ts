import type { FairOptions, Lives } from "./FairHost.ts"

/** What the options say, and what holds where they don't. */
export const settle = ({
  lives,
  now = Date.now
}: FairOptions): { readonly now: () => number; readonly lives: Lives } => ({
  now,
  lives: { tokenMs: 600_000, putUrlMs: 600_000, ...lives }
})
