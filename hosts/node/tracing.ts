import { Cause, Config, ConfigProvider, Effect, Layer, Option, Schema, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { SettingRefused } from "./settings/settings.ts"

const names = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

/** The share of traces that OTEL_TRACES_SAMPLER exports, and whether a caller's decision is followed. */
const sampling = Config.all({
  name: Config.Literals(names, "OTEL_TRACES_SAMPLER").pipe(Config.withDefault("parentbased_always_on" as const)),
  ratio: Config.schema(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    "OTEL_TRACES_SAMPLER_ARG"
  ).pipe(Config.withDefault(1))
}).pipe(
  Config.map(({ name, ratio }) => ({
    followsCaller: name.startsWith("parentbased_"),
    share: name.endsWith("ratio") ? ratio : name.endsWith("on") ? 1 : 0
  }))
)

/** The span of a request, a delivery or a background task decides for its trace; by the trace id, so that hosts agree. */
const sampled = (tracer: Tracer.Tracer, { followsCaller, share }: Config.Success<typeof sampling>) =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      if (parent?._tag === "Span" || (parent !== undefined && followsCaller)) return tracer.span(options)
      const [first] = crypto.getRandomValues(new Uint32Array(1))
      const part = parent === undefined ? (first ?? 0) : Number.parseInt(parent.traceId.slice(-8), 16)
      return tracer.span({ ...options, sampled: part < share * 2 ** 32 })
    }
  })

/** Defaults that OpenTelemetry specifies, and a name of the service where nothing names it. */
const withDefaults = Effect.gen(function* () {
  const given = yield* ConfigProvider.ConfigProvider
  const attributes = yield* Config.String("OTEL_RESOURCE_ATTRIBUTES").pipe(Config.withDefault(""))
  const isNamed = /(?:^|,)\s*service\.name=/.test(attributes)
  const defaults = { OTEL_TRACES_EXPORTER: "otlp", ...(isNamed ? {} : { OTEL_SERVICE_NAME: "slipway" }) }
  return ConfigProvider.layer(ConfigProvider.orElse(given, ConfigProvider.fromUnknown(defaults)))
})

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ")

/**
 * A tracer that exports spans by OTLP over HTTP, as the standard `OTEL_*` variables say. Without an endpoint, or with
 * `OTEL_SDK_DISABLED=true`, there is none, and no span is made.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const sampler = yield* sampling
    const exporting = OtlpTracer.layerFromConfig().pipe(
      Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]),
      Layer.provide(Layer.unwrap(withDefaults))
    )
    const decided = Layer.effect(
      Tracer.Tracer,
      Effect.map(Tracer.Tracer, (tracer) => (tracer === Tracer.nativeTracer ? tracer : sampled(tracer, sampler)))
    )
    return Layer.provideMerge(decided, exporting)
  })
).pipe(
  // The exporter reads its variables without a typed error.
  Layer.catchCause((cause) =>
    Layer.effectContext(
      Effect.fail(
        new SettingRefused({ message: `A variable of OpenTelemetry can't be used: ${messageOf(Cause.squash(cause))}` })
      )
    )
  )
)
