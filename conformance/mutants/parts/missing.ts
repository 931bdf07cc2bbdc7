import type { Call } from "./Call.ts"
import { items } from "./json.ts"

/** An object that was declared and hasn't arrived. */
export interface Missing {
  readonly object: "bundle" | "file" | "recording"
  /** Its place among the objects of its kind, from 0. */
  readonly place: number
}

/** What of the upload that a call is about hasn't arrived yet. */
export const missing = ({ reservation }: Pick<Call, "reservation">): ReadonlyArray<Missing> => {
  if (reservation === undefined) return []
  const { arrived, call, putUrls } = reservation
  const files = items(call.fields.files).length
  return putUrls.flatMap((url, index): ReadonlyArray<Missing> => {
    if (arrived.has(url)) return []
    if (index === 0) return [{ object: "bundle", place: 0 }]
    return index <= files ? [{ object: "file", place: index - 1 }] : [{ object: "recording", place: index - 1 - files }]
  })
}
