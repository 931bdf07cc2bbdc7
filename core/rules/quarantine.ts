import { testIdentity, type Attempted } from "./attempts.ts"

/**
 * Which failures are quarantined. This file needs no dependency, so that programs on a CI machine use it too.
 *
 * @see docs/quarantine.md
 */

/** What names a test: a run, or an entry of a list of quarantines, which has the platform itself. */
export type NamedTest = Pick<Attempted, "app" | "device" | "file" | "kind" | "name" | "prompt"> & {
  readonly platform?: string | undefined
}

/** A quarantine of a test. Times are milliseconds since 1970; without `from`, it has always held. */
export interface Quarantining extends NamedTest {
  readonly from?: number | undefined
  readonly until: number
}

const identityOf = ({ device, platform, ...named }: NamedTest): string =>
  testIdentity({ ...named, device: device ?? { platform } })

/** Whether a quarantine holds at a moment. Its end is not a part of it. */
export const isInForce = ({ from, until }: Pick<Quarantining, "from" | "until">, at: number): boolean =>
  (from === undefined || from <= at) && at < until

/** The quarantine that holds for a test at a moment; `undefined` if none does. */
export const quarantineOf = <Q extends Quarantining>(
  quarantines: ReadonlyArray<Q>,
  test: NamedTest,
  at: number
): Q | undefined => {
  const identity = identityOf(test)
  return quarantines.find((one) => isInForce(one, at) && identityOf(one) === identity)
}

/** After so many passes in a row on the default branch, a quarantine is no longer needed. */
export const passesToRecover = 10

/** For how many days a test is quarantined by default, and at most. */
export const quarantineDays = { default: 14, maximum: 90 }
