import { Config } from "effect"
import { optional, whole } from "./settingValues.ts"

/** The address of the listener for metrics. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

const [port, host] = ["SLIPWAY_METRICS_PORT", "SLIPWAY_METRICS_HOST"] as const

/** The settings of the listener for metrics, with their descriptions. */
export const metricsSettingNames = [
  [port, "Port for GET /metrics; 0 chooses a free one (no metrics)"],
  [host, "Address to listen on for metrics (127.0.0.1)"]
] as const

/** Where metrics are served; nowhere without a port. */
export const metricsSetting: Config.Config<MetricsAddress | undefined> = Config.all({
  host: Config.String(host).pipe(Config.withDefault("127.0.0.1")),
  port: optional(Config.schema(whole(0, 65535, "must be a port, 0 to 65535"), port))
}).pipe(Config.map(({ host, port }) => (port === undefined ? undefined : { host, port })))
