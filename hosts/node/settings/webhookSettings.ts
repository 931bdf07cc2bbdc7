/** The settings of the webhook that receives a host's events. */
import { Config, Effect, Redacted, Schema } from "effect"
import { WebhookUrl, webhookUrlRule } from "../../../core/rules/events.ts"
import type { Target } from "../../../core/service/webhooks.ts"
import { SettingAlone } from "./engineSettings.ts"
import { networks, optional, refine } from "./settingValues.ts"

/** As Standard Webhooks has it: 24 to 64 bytes in base64. */
const isSecret = (value: string): boolean => {
  const [, text = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(text, "base64")
  return bytes.toString("base64") === text && bytes.length >= 24 && bytes.length <= 64
}

/** Names networks that webhooks may reach although they are not public. */
export const allowedNetworksSetting = "SLIPWAY_WEBHOOK_ALLOWED_NETWORKS"

/** The networks that webhooks may reach although they are not public. */
export const webhookNetworks = networks(allowedNetworksSetting)

const [url, secret] = ["SLIPWAY_WEBHOOK_URL", "SLIPWAY_WEBHOOK_SECRET"] as const

const config = Config.all({
  url: optional(Config.schema(refine(WebhookUrl, webhookUrlRule), url)),
  secret: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.makeFilter(isSecret)),
        "must be whsec_ and 24 to 64 random bytes in base64, such as openssl rand -base64 32 makes"
      ),
      secret
    )
  )
})

/** Reads the settings of the webhook; none unless both are given. */
export const webhookSettings: Effect.Effect<Target | undefined, Config.ConfigError | SettingAlone> = Effect.gen(
  function* () {
    const given = yield* config
    if (given.url === undefined && given.secret === undefined) return undefined
    if (given.url === undefined) return yield* new SettingAlone({ env: secret, needs: url })
    if (given.secret === undefined) return yield* new SettingAlone({ env: url, needs: secret })
    return { url: given.url, secret: Redacted.make(given.secret) }
  }
)
