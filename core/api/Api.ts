import { HttpApi, OpenApi } from "effect/http-api"
import { BuildsGroup } from "./builds.ts"
import { PreviewsGroup } from "./previews.ts"
import { QuarantinesGroup } from "./quarantines.ts"
import { TestRunsGroup } from "./testRuns.ts"
import { TestsGroup } from "./tests.ts"
import { UsageGroup } from "./usage.ts"
import { TokensGroup } from "./tokens.ts"
import { withPropertyDocs, withRefusalHeaders, withAcceptedRequests } from "./openApi.ts"

/**
 * The whole HTTP interface. The server, the OpenAPI document and the typed client all derive from this definition.
 *
 * @see docs/interface.md#4, #9
 */
export class Api extends HttpApi.make("slipway")
  .add(BuildsGroup)
  .add(PreviewsGroup)
  .add(TestRunsGroup)
  .add(TestsGroup)
  .add(QuarantinesGroup)
  .add(TokensGroup)
  .add(UsageGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Slipway",
      version: "1",
      description:
        "Hosts what mobile teams' CI produces. Builds and previews are uploaded by reserve, PUT and finalize; Maestro and Detox runs are registered against a preview. A method that a path doesn't have is answered 405 with `Allow`.",
      // In an API of an application (`addHttpApi`), it is also called with the tag of each group.
      transform: (spec) =>
        spec["paths"] === undefined
          ? spec
          : withPropertyDocs(
              withAcceptedRequests({
                ...spec,
                paths: withRefusalHeaders(spec["paths"]),
                // By its registered name, as tools look for it.
                components: {
                  ...spec["components"],
                  securitySchemes: { key: { ...spec["components"].securitySchemes.key, scheme: "bearer" } }
                }
              })
            )
    })
  ) {}
