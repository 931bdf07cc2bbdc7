import type { Table } from "./claims.ts"
import { looks } from "./look.ts"
import { uses } from "./use.ts"

/** Each screen of the app of properties, and what each property there comes to. */
export const tables: Readonly<Record<string, Table>> = { ...looks, ...uses }

/** Each property that isn't as on a phone, with the reason. */
export const differences: ReadonlyArray<readonly [screen: string, property: string, reason: string]> = Object.entries(
  tables
).flatMap(([screen, table]) =>
  Object.entries(table).flatMap(([name, claim]) =>
    typeof claim === "function" ? [] : [[screen, name, claim.otherwise] as const]
  )
)
