import { Context, Duration, Layer } from "effect"
import type { Quotas, RetentionPeriod, RetentionRules } from "../model/Account.ts"
import { defaultGrace } from "../rules/sweeps.ts"
import { imageType, isOrigin, isSiteName, logoRule, originsRule, siteNameRule } from "../rules/site.ts"
import { defaultLimits, defaultQuotas, defaultRates, type Limits, type Rates } from "../rules/limits.ts"

/** When and how fast a host deletes expired records and garbage. */
export interface SweepSettings {
  /** The interval of sweeps; `undefined` disables them. */
  readonly every: Duration.Duration | undefined
  /** How long an ended record is kept. */
  readonly grace: Duration.Duration
  /** How many records with objects are deleted at once; of records without objects, ten times as many. */
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
  /** The base URL of uploaded content in browsers; `viewerUrl` unless set. */
  readonly contentUrl: string
  /**
   * The origins whose pages may frame the app of a build or preview (`…/embed`), such as `https://dashboard.example`; none by default.
   * Another value is refused with a `TypeError`.
   */
  readonly frameAncestors: ReadonlyArray<string>
  /** The name of the site in the header and the titles of pages, of 1 to 60 characters; `Slipway` by default. */
  readonly siteName: string
  /** The logo beside the name: a PNG, JPEG or WebP image of at most 100 kB; that of Slipway unless set. */
  readonly siteLogo: Uint8Array | undefined
  /** The life of a reservation and of its PUT URLs. */
  readonly reservationTtl: Duration.Duration
  readonly limits: Limits
  /** How many requests per minute are accepted; by default only wrong secrets are limited. */
  readonly rates: Rates
  /** How many requests of one account, or of one address without a valid key, a host processes at once; others wait. */
  readonly maxConcurrentRequests: number
  /** How many of its requests may wait on a host; further ones are refused. */
  readonly maxWaitingRequests: number
  /** The quotas of accounts without own ones; an absent quota is unlimited. By default an account can store 50 GiB. */
  readonly quotas: Quotas
  /** How many open reservations an account may have, for builds and previews together; 1 or more. */
  readonly openReservations: number
  /**
   * How many bytes the gzip content of one reservation may decompress to, in total, to compute digests. Failed attempts to
   * finalize count too (`isDecompressionBudgetSpent`).
   */
  readonly decompressedBytes: number
  /** How many finalizes of one account compute digests at once on one host; others wait. */
  readonly maxConcurrentDigests: number
  /** The retention rules of accounts without own ones. */
  readonly retention: RetentionRules
  /** How long the entries of the audit log are kept. */
  readonly keepAudit: RetentionPeriod
  readonly sweep: SweepSettings
  /** How many objects of one reservation are promoted or read concurrently. */
  readonly concurrency: number
  /** Whether the reference of the API is served at `/docs`. */
  readonly docs: boolean
}

/** The default of each setting. Only `url` has no default; `viewerUrl` and `contentUrl` follow it. */
export const defaultSettings = {
  frameAncestors: [],
  siteName: "Slipway",
  siteLogo: undefined,
  reservationTtl: Duration.hours(1),
  limits: defaultLimits,
  rates: defaultRates,
  maxConcurrentRequests: 5,
  maxWaitingRequests: 512,
  quotas: defaultQuotas,
  openReservations: 1000,
  decompressedBytes: 2 * 1024 ** 3,
  maxConcurrentDigests: 2,
  retention: { histories: Duration.days(400) },
  keepAudit: "forever",
  sweep: { every: Duration.minutes(10), grace: defaultGrace, batch: 10, pause: Duration.millis(100) },
  concurrency: 16,
  docs: true
} satisfies Partial<SettingsShape>

/** The settings of the service, which its operator chooses. */
export class Settings extends Context.Service<Settings, SettingsShape>()("slipway/core/service/Settings") {
  /** Settings with everything but `url` at its default. */
  static readonly make = (options: Partial<SettingsShape> & { readonly url: string }): SettingsShape => {
    const url = options.url.replace(/\/+$/, "")
    const viewerUrl = (options.viewerUrl ?? url).replace(/\/+$/, "")
    const { frameAncestors = [], siteLogo, siteName = defaultSettings.siteName } = options
    if (!frameAncestors.every(isOrigin)) throw new TypeError(`frameAncestors ${originsRule}`)
    if (!isSiteName(siteName)) throw new TypeError(`siteName ${siteNameRule}`)
    if (siteLogo !== undefined && imageType(siteLogo) === undefined) throw new TypeError(`siteLogo ${logoRule}`)
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
