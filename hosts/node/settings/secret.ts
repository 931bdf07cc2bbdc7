import { Effect } from "effect"
import { existsSync } from "node:fs"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { dataFolder, storedSecret, type SecretUnusable } from "./dataFolder.ts"
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
  return database === undefined ? storedSecret(data) : Effect.fail(new SettingRefused({ message: secretNeeded }))
}

/** The secret that a host of these settings has already; `undefined` if its first start has yet to make one, or it has none. */
export const knownSecret = (
  settings: Pick<ProcessSettings, "data" | "database" | "secret">
): Effect.Effect<SigningSecret | undefined, SettingRefused | SecretUnusable> =>
  settings.secret !== undefined || (settings.database === undefined && existsSync(dataFolder(settings.data).secret))
    ? hostSecret(settings)
    : Effect.undefined
