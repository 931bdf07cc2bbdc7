import { DateTime } from "effect"

/** A time that may be absent, as a parameter of a statement. */
export const orNull = (time: DateTime.Utc | undefined): Date | null =>
  time === undefined ? null : DateTime.toDateUtc(time)
