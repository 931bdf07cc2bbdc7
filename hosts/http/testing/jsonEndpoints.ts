import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../core/api/Api.ts"
import { boundsOf, type BodyBounds } from "../../../core/api/bodyBounds.ts"
import { defaultLimits } from "../../../core/rules/limits.ts"

/** An endpoint of the API that takes a JSON body. Its path names resources that don't exist. */
interface JsonEndpoint {
  readonly name: string
  readonly path: string
  readonly schema: Schema.Top
  readonly bounds: BodyBounds
}

const declared = (): ReadonlyArray<JsonEndpoint> => {
  const found: Array<JsonEndpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const schemas = Array.from(endpoint.payload.values()).flatMap(({ schemas }) => schemas)
      if (schemas.length === 0) return
      const path = endpoint.path.replaceAll(/:\w+/g, "x").replace(/\/$/, "")
      const schema = Schema.Union(schemas)
      const name = `${group.identifier}.${endpoint.identifier}`
      found.push({ name, path, schema, bounds: boundsOf(schema, defaultLimits) })
    }
  })
  return found
}

/** Every endpoint of the API that takes a JSON body. */
export const jsonEndpoints = declared()

/** A place in a body that a schema knows: the names of fields, and 0 for an item of a list. */
type JsonLocation = ReadonlyArray<string | 0>

/** Every place in the bodies within these bounds, and the bounds of what is there. */
export const locationsOf = (
  bounds: BodyBounds,
  path: JsonLocation = []
): ReadonlyArray<readonly [JsonLocation, BodyBounds]> => [
  [path, bounds],
  ...Array.from(bounds.fields).flatMap(([name, below]) => locationsOf(below, [...path, name])),
  ...(bounds.items === undefined ? [] : locationsOf(bounds.items.bounds, [...path, 0]))
]

/** The JSON of a body that has only this JSON, in this place. */
export const jsonAt = (place: JsonLocation, json: string): string =>
  place.reduceRight<string>((inner, part) => (part === 0 ? `[${inner}]` : `{${JSON.stringify(part)}:${inner}}`), json)
