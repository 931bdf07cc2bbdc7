import { Context, Effect, Layer, References, Tracer } from "effect"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { pathWithoutSecrets } from "./loggedPath.ts"

/** Whole URLs, with share links and signatures; a trace has the path without them. */
const leftOut = new Set(["url.full", "url.query"])

/** The span of a request, which from now on learns no secret of its URL. */
export const redactedSpan = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  span.attribute = (key, value) => {
    if (leftOut.has(key)) return
    attribute(key, key === "url.path" ? pathWithoutSecrets(String(value)) : value)
  }
  return span
}

/**
 * The tracer that the host gave, which learns no secret of the URLs that requests ask for. Without one, no span is
 * registered.
 */
export const layer = Layer.effectContext(
  Effect.map(Tracer.Tracer, (tracer) =>
    tracer === Tracer.nativeTracer
      ? Context.make(References.TracerEnabled, false)
      : Context.make(
          Tracer.Tracer,
          Tracer.make({
            ...withoutUndefined({ context: tracer.context }),
            span: (options) => (options.kind === "server" ? redactedSpan(tracer.span(options)) : tracer.span(options))
          })
        )
  )
)
