/**
 * The types of the client, from the OpenAPI document: `npm run api` writes them to `hosts/client/schemas.ts`. (openapi-typescript
 * needs the compiler of TypeScript 5 in JavaScript, which TypeScript 7 doesn't have.)
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { OpenApi } from "effect/http-api"
import { Api } from "../core/api/Api.ts"

const client = join(import.meta.dirname, "..", "hosts", "client")
const file = join(client, "schemas.ts")

interface Json {
  readonly [name: string]: unknown
}
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

const fieldsOf = ({ properties, required }: Json, indent: string): string =>
  Object.entries(isObject(properties) ? properties : {})
    .flatMap(([name, property]) => {
      if (!isObject(property) || "not" in property) return []
      const { description } = property
      const doc = typeof description === "string" ? `${indent}/** ${description} */\n` : ""
      const mark = listOf(required).includes(name) ? "" : "?"
      return [`${doc}${indent}readonly ${name}${mark}: ${typeOf(property, indent)}\n`]
    })
    .join("")

const typeOf = (schema: unknown, indent: string): string => {
  if (!isObject(schema)) return "unknown"
  const { $ref, anyOf, enum: values, items, prefixItems, type } = schema
  if (typeof $ref === "string") return nameOf($ref)
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one, indent)).join(" | ")
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
  if (type === "object") return `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`
  if (type === "array") {
    const each = typeOf(items, indent)
    const first = listOf(prefixItems).map((one) => typeOf(one, indent))
    return first.length === 0 ? `ReadonlyArray<${each}>` : `readonly [${first.join(", ")}, ...Array<${each}>]`
  }
  if (type === "integer" || type === "number") return "number"
  return typeof type === "string" ? type : "unknown"
}

/** The names of the schemas that a text refers to, and those that these refer to. */
const referredIn = (text: string, pattern: RegExp, schemas: Json, seen = new Set<string>()): ReadonlySet<string> => {
  for (const [, name = ""] of text.matchAll(pattern)) {
    if (seen.has(name)) continue
    seen.add(name)
    referredIn(JSON.stringify(schemas[name]), /"#\/components\/schemas\/(\w+)"/g, schemas, seen)
  }
  return seen
}

/** The file as it is to be: the schemas that `requests.ts` and `answers.ts` name. */
export const clientTypes = (): string => {
  const schemas: Json = { ...OpenApi.fromApi(Api).components.schemas }
  const names = ["requests.ts", "responses.ts"].map((name) => readFileSync(join(client, name), "utf8")).join("\n")
  const types = [...referredIn(names, /\bschemas\.([A-Z]\w*)/g, schemas)].toSorted().map((name) => {
    const schema = schemas[name]
    if (!isObject(schema)) throw new Error(`The OpenAPI document has no schema ${name}.`)
    return `/** The schema \`${name}\` of the OpenAPI document. */\nexport interface ${name} {\n${fieldsOf(schema, "  ")}}\n`
  })
  return `/** The bodies of requests and responses: written by \`npm run api\` from the OpenAPI document. */\n\n${types.join("\n")}`
}

/** The committed file. */
export const committedClientTypes = (): string => readFileSync(file, "utf8")

if (import.meta.main) writeFileSync(file, clientTypes())
