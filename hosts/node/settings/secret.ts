import { Effect } from "effect"
import type { Redacted } from "effect"
import { keptSecret } from "./dataFolder.ts"
import type { SecretUnusable } from "./dataFolder.ts"
import { SettingRefused } from "./settings.ts"
import type { ProcessSettings } from "./settings.ts"

/** Why a host on a PostgreSQL makes no secret itself. */
export const secretNeeded =
  "SLIPWAY_SECRET (--secret) is needed with DATABASE_URL, the same on every host; `openssl rand -base64 32` makes one"

/**
 * The secret of a host: the one that it is given, else one made with the first start and kept in the data folder. Hosts
 * on one PostgreSQL sign for each other, and a secret kept by one of them would be unknown to the others; so there it has
 * to be given.
 */
export const hostSecret = ({
  data,
  database,
  secret
}: Pick<ProcessSettings, "data" | "database" | "secret">): Effect.Effect<
  Redacted.Redacted,
  SettingRefused | SecretUnusable
> => {
  if (secret !== undefined) return Effect.succeed(secret)
  return database === undefined ? keptSecret(data) : Effect.fail(new SettingRefused({ message: secretNeeded }))
}
