import { Effect } from "effect"
import { RangeNotSatisfiable } from "../../core/model/Problem.ts"
import type { ByteRange } from "../../core/model/Artifact.ts"

/** The bytes that a range selects from an object of `sizeBytes` bytes. */
export const resolveRange = (
  range: ByteRange | undefined,
  sizeBytes: number
): Effect.Effect<{ readonly offset: number; readonly length: number }, RangeNotSatisfiable> => {
  if (range === undefined) return Effect.succeed({ offset: 0, length: sizeBytes })
  const offset = "suffix" in range ? Math.max(0, sizeBytes - range.suffix) : range.offset
  const wanted = "suffix" in range ? range.suffix : (range.length ?? sizeBytes)
  const length = Math.min(wanted, sizeBytes - offset)
  return length > 0
    ? Effect.succeed({ offset, length })
    : Effect.fail(new RangeNotSatisfiable({ detail: `The object has ${sizeBytes} bytes.`, sizeBytes }))
}
