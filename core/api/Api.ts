import { HttpApi, OpenApi } from "effect/http-api"
import { BuildsGroup } from "./builds/group.ts"

/**
 * The whole HTTP interface. The server, the OpenAPI document and the typed client all derive from this definition.
 *
 * @see interface §4, §9
 */
export class Api extends HttpApi.make("slipway")
  .add(BuildsGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Slipway",
      version: "1",
      description: "Hosts JavaScript bundles that mobile teams' CI produces: reserve, PUT, finalize."
    })
  ) {}
