import type { Clock } from "./clock.ts"
import type { Finding } from "./Finding.ts"

/** The findings about one engine, and its clock if it has one. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>
  readonly clock?: Clock
}
