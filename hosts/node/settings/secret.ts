import { Effect } from "effect"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { keptSecret, type SecretUnusable } from "./dataFolder.ts"
import { SettingRefused, type ProcessSettings } from "./settings.ts"

/** Why a host on PostgreSQL doesn't generate a secret. */
export const secretNeeded =
  "SLIPWAY_SECRET (--secret) is needed with DATABASE_URL, the same on every host; `openssl rand -base64 32` makes one"

/**
 * The secret of a host: the one in its settings, else one generated at the first start and stored in the data folder.
 * With PostgreSQL it must be in the settings, because hosts that share a database accept each other's signatures and so
 * need the same secret.
 */
export const hostSecret = ({
  data,
  database,
  secret
}: Pick<ProcessSettings, "data" | "database" | "secret">): Effect.Effect<
  SigningSecret,
  SettingRefused | SecretUnusable
> => {
  if (secret !== undefined) return Effect.succeed(secret)
  return database === undefined ? keptSecret(data) : Effect.fail(new SettingRefused({ message: secretNeeded }))
}
