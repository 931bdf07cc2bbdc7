import type { Clock } from "./clock.ts"
import type { Finding } from "./Finding.ts"

/** What the checks of one engine found, and its clock where it has one. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>
  readonly clock?: Clock
}
