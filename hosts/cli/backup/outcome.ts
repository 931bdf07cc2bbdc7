import { Data } from "effect"
import { databaseAddress } from "../../node/settings/engineSettings.ts"
import type { ProcessSettings } from "../../node/settings/settings.ts"

/** A move that was refused or failed, as one line that says what to do. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{ readonly message: string }> {}

/** The target isn't empty. */
export const notEmpty = (where: string) =>
  new MoveRefused({ message: `The deployment ${where} is not empty, so nothing was changed. Name an empty one.` })

/** The stores that the settings select: someone may have expected others. */
export const storesOf = ({
  data,
  database,
  file,
  s3
}: Pick<ProcessSettings, "data" | "database" | "file" | "s3">): string => {
  const place = database && databaseAddress(database.url)
  const metadata = place === undefined ? (file ?? data) : `PostgreSQL (${place.database} at ${place.server})`
  const objects = s3 === undefined ? data : `S3 (bucket ${s3.bucket})`
  return metadata === objects ? data : `${metadata} and ${objects}`
}

const grouped = (value: number): string => value.toLocaleString("en-US")

/** Two columns of numbers side by side, and whether they are equal. */
export const comparison = (
  from: ReadonlyArray<readonly [what: string, count: number]>,
  to: ReadonlyArray<readonly [what: string, count: number]>
) => {
  const there = new Map(to)
  const rows = from.map(([what, count]) => [what, grouped(count), grouped(there.get(what) ?? 0)] as const)
  return {
    same: from.every(([what, count]) => (there.get(what) ?? 0) === count) && to.length === from.length,
    lines: [["", "from", "to"] as const, ...rows].map(
      ([what, a, b]) => `${what.padEnd(16)}${a.padStart(20)}${b.padStart(20)}`
    )
  }
}
