import { HttpApi, OpenApi } from "effect/http-api"
import { BuildsGroup } from "./builds/group.ts"
import { PreviewsGroup } from "./previews/group.ts"
import { TestRunsGroup } from "./testRuns/group.ts"
import { TestsGroup } from "./tests/group.ts"
import { UsageGroup } from "./usage/group.ts"
import { TokensGroup } from "./tokens/group.ts"
import { withPropertyDocs } from "./parts/propertyDocs.ts"
import { withRefusalHeaders } from "./parts/refusalHeaders.ts"

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
  .add(TokensGroup)
  .add(UsageGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Slipway",
      version: "1",
      description:
        "Hosts what mobile teams' CI produces. Builds and previews are uploaded by reserve, PUT and finalize; Maestro and Detox runs are registered against a preview.",
      transform: ({ components, paths, ...spec }) =>
        withPropertyDocs({
          ...spec,
          paths: withRefusalHeaders(paths),
          // By its registered name, as tools look for it.
          components: {
            ...components,
            securitySchemes: { key: { ...components.securitySchemes.key, scheme: "bearer" } }
          }
        })
    })
  ) {}
