import { isObject } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"
import type { Front } from "./Front.ts"
import { at, changingFields } from "./fronts.ts"
import { items } from "./json.ts"
import type { Reservation } from "./Call.ts"

/** A reservation answers other slots for its files, or for its recordings. */
export const otherSlots = (
  profile: Reservation["profile"],
  group: "files" | "recordings",
  change: (slots: ReadonlyArray<Json>) => ReadonlyArray<Json>
): Front =>
  changingFields(at(`${profile}.reserve`), (fields) => {
    const slots = isObject(fields.slots) ? fields.slots : {}
    return { ...fields, slots: { ...slots, [group]: change(items(slots[group])) } }
  })
