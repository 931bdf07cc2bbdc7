import { Context, Duration, Layer } from "effect"
import type { Quotas } from "../model/Quota.ts"
import type { RetentionPeriod, RetentionRules } from "../model/Retention.ts"
import { defaultGrace } from "../rules/sweeps.ts"
import { defaultLimits, type Limits } from "../rules/limits.ts"
import { defaultQuotas } from "../rules/quotas.ts"
import { defaultRates, type Rates } from "../rules/rates.ts"

/** When and how fast a host takes what nobody needs any more. */
export interface SweepSettings {
  /** How often it looks for it; never, when it is undefined. */
  readonly every: Duration.Duration | undefined
  /** How long after its end something is still there. */
  readonly grace: Duration.Duration
  /** How many things with bytes are taken at once, and ten times as many without. */
  readonly batch: number
  /** The pause between two batches. */
  readonly pause: Duration.Duration
}

/** The settings of the service. */
export interface SettingsShape {
  /** The public base URL of the API, without a slash at its end. */
  readonly url: string
  /** The base URL of the pages behind `url`, `previewUrl` and `traceUrl`; `url` unless set. */
  readonly viewerUrl: string
  /** The base URL of what was uploaded, where people's browsers load it; `viewerUrl` unless set. */
  readonly contentUrl: string
  /** The life of a reservation and of its PUT URLs. */
  readonly reservationTtl: Duration.Duration
  readonly limits: Limits
  /** How many requests a minute are let through; wrong secrets alone are limited unless set. */
  readonly rates: Rates
  /** How much an account may have, where it has no quota of its own; any amount of what is absent. By default it keeps 50 GiB. */
  readonly quotas: Quotas
  /** How many open reservations an account may have, for builds and previews together; 1 or more. */
  readonly openReservations: number
  /**
   * How many bytes the gzip content of one reservation may decompress to, all together, when digests are taken; attempts
   * to finalize that came to nothing count too (`isDecompressedEnough`).
   */
  readonly decompressedBytes: number
  /** How many finalizes of one account take digests at once on one host; its others wait. */
  readonly digestsAtOnce: number
  /** How long is kept what was finalized, registered and billed, unless an account has rules of its own. */
  readonly retention: RetentionRules
  /** How long the entries of the audit log are kept. */
  readonly keepAudit: RetentionPeriod
  readonly sweep: SweepSettings
  /** How many objects of one reservation are promoted or read side by side. */
  readonly concurrency: number
  /** Whether the reference of the API is served at `/docs`. */
  readonly docs: boolean
}

/** What each setting is unless set. Only `url` has no default; `viewerUrl` and `contentUrl` follow it. */
export const defaultSettings = {
  reservationTtl: Duration.hours(1),
  limits: defaultLimits,
  rates: defaultRates,
  quotas: defaultQuotas,
  openReservations: 1000,
  decompressedBytes: 2 * 1024 ** 3,
  digestsAtOnce: 2,
  retention: {},
  keepAudit: "forever",
  sweep: { every: Duration.minutes(10), grace: defaultGrace, batch: 10, pause: Duration.millis(100) },
  concurrency: 16,
  docs: true
} satisfies Partial<SettingsShape>

/** The settings of the service, which whoever runs it chooses. */
export class Settings extends Context.Service<Settings, SettingsShape>()("slipway/core/service/Settings") {
  /** Settings with everything but `url` at its default. */
  static readonly make = (options: Partial<SettingsShape> & { readonly url: string }): SettingsShape => {
    const url = options.url.replace(/\/+$/, "")
    const viewerUrl = (options.viewerUrl ?? url).replace(/\/+$/, "")
    return {
      ...defaultSettings,
      ...options,
      url,
      viewerUrl,
      contentUrl: (options.contentUrl ?? viewerUrl).replace(/\/+$/, "")
    }
  }

  static readonly layer = (options: Partial<SettingsShape> & { readonly url: string }) =>
    Layer.succeed(Settings, Settings.make(options))
}
