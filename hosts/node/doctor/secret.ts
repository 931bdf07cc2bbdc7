import { Effect } from "effect"
import { existsSync } from "node:fs"
import { dataFolder, storedSecret } from "../settings/dataFolder.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { fine, wrong, type Finding } from "./parts/Finding.ts"

const name = "secret"

/** Whether a host would have a secret, and the same one as the other hosts. None is created. */
export const checkSecret = ({
  data,
  database,
  secret
}: Pick<ProcessSettings, "data" | "database" | "secret">): Effect.Effect<Finding> => {
  if (secret !== undefined) return Effect.succeed(fine(name, "given; every host of a deployment needs the same"))
  if (database !== undefined) {
    return Effect.succeed(
      wrong(name, {
        detail: "none is set, and hosts that share a PostgreSQL need the same one",
        hint: "set SLIPWAY_SECRET to the same value on every host; `openssl rand -base64 32` makes one"
      })
    )
  }
  const kept = dataFolder(data).secret
  if (!existsSync(kept)) return Effect.succeed(fine(name, "the first start makes one and keeps it in the data folder"))
  return storedSecret(data).pipe(
    Effect.as(fine(name, `kept in ${kept}`)),
    Effect.catch(({ message }) =>
      Effect.succeed(wrong(name, { detail: message.replace(/\.$/, ""), hint: "check the file" }))
    )
  )
}
