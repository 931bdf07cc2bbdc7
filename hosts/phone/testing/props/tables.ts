import type { Table } from "./claims.ts"
import { fields } from "./fields.ts"
import { motion } from "./motion.ts"
import { overlays } from "./overlays.ts"
import { pictures } from "./pictures.ts"
import { scrolling } from "./scrolling.ts"
import { texts } from "./texts.ts"
import { touching } from "./touching.ts"
import { views } from "./views.ts"

/** Each screen of the app of properties, and what each property there comes to. */
export const tables: Readonly<Record<string, Table>> = {
  ...views,
  ...texts,
  ...pictures,
  ...scrolling,
  ...fields,
  ...touching,
  ...overlays,
  ...motion
}

/** Each property that isn't as on a phone, with the reason. */
export const differences: ReadonlyArray<readonly [screen: string, property: string, reason: string]> = Object.entries(
  tables
).flatMap(([screen, table]) =>
  Object.entries(table).flatMap(([name, claim]) =>
    typeof claim === "function" ? [] : [[screen, name, claim.otherwise] as const]
  )
)
