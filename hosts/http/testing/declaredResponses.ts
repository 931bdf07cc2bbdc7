/** What a host's OpenAPI document declares for an answer, and what of an answer is not that. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect, Schema } from "effect"
import { FindMyWay } from "effect/http"
import { assert } from "@effect/vitest"
import { TestHost } from "./TestHost.ts"

/** The parts of the document that tests read. */
const Document = Schema.Struct({
  openapi: Schema.String,
  components: Schema.Struct({ securitySchemes: Schema.Unknown }),
  paths: Schema.Record(
    Schema.String,
    Schema.Record(
      Schema.String,
      Schema.Struct({
        summary: Schema.String,
        "x-slipway-extension": Schema.optionalKey(Schema.Boolean),
        responses: Schema.Record(
          Schema.String,
          Schema.Struct({
            headers: Schema.optionalKey(
              Schema.Record(Schema.String, Schema.Struct({ required: Schema.optionalKey(Schema.Boolean) }))
            ),
            content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ schema: Schema.Unknown })))
          })
        )
      })
    )
  )
})

/** An operation: its method in small letters, and its path as the document has it. */
interface Operation {
  readonly method: string
  readonly template: string
}

interface Answered {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly text: string
}

const asJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const pointer = (...segments: ReadonlyArray<string>): string =>
  segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** Holds answers to the document that a host has at `/openapi.json`. */
export const declaredResponses = (whole: unknown) => {
  const json = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))(whole)
  const document = Schema.decodeUnknownSync(Document)(json)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(json, "openapi")

  const compiled = new Map<string, ValidateFunction>()
  const misfitsAt = (place: string, what: string, value: unknown): ReadonlyArray<string> => {
    const fits = compiled.get(place) ?? ajv.compile({ $ref: `openapi#${place}/schema` })
    compiled.set(place, fits)
    return fits(value) ? [] : [ajv.errorsText(fits.errors, { dataVar: what })]
  }

  // By the rules of the host's own router, which takes `//API/v1/%62uilds/` for `/api/v1/builds`.
  const router = FindMyWay.make<string>()
  for (const template of Object.keys(document.paths)) {
    router.on("GET", `/${template.slice(1).replaceAll(/\{([a-z]+)\}/g, ":$1")}`, template)
  }

  return {
    json,
    document,

    /** The operation that a request names; `undefined` if the document has none. */
    operationOf: (method: string, target: string): Operation | undefined => {
      const template = router.find("GET", target)?.handler
      const named = method.toLowerCase()
      return template === undefined || document.paths[template]?.[named] === undefined
        ? undefined
        : { method: named, template }
    },

    /** What of an answer of an operation is not declared: its status, a header, its media type, or what is wrong with its body. */
    mismatches: ({ method, template }: Operation, { header, status, text }: Answered): ReadonlyArray<string> => {
      const response = document.paths[template]?.[method]?.responses[String(status)]
      if (response === undefined) return [`status ${status} is not declared`]
      const at = pointer("paths", template, method, "responses", String(status))
      const wrongHeaders = Object.entries(response.headers ?? {}).flatMap(([name, { required = false }]) => {
        const value = header(name)
        if (value === undefined) return required ? [`header ${name} is missing`] : []
        return misfitsAt(at + pointer("headers", name), `header ${name}`, value)
      })
      if (response.content === undefined) return [...wrongHeaders, ...(text === "" ? [] : ["no body is declared"])]
      const type = header("content-type") ?? ""
      if (response.content[type] === undefined) return [...wrongHeaders, `media type ${type} is not declared`]
      if (!/[/+]json$/.test(type)) return [...wrongHeaders, ...misfitsAt(at + pointer("content", type), "body", text)]
      const body = asJson(text)
      if (body._tag === "Failure") return [...wrongHeaders, "the body is not JSON"]
      return [...wrongHeaders, ...misfitsAt(at + pointer("content", type), "body", body.success)]
    }
  }
}

/** The document of the host, with what checks answers against it. */
export const loadDocument = Effect.gen(function* () {
  const host = yield* TestHost
  const answer = yield* host.call("GET", "/openapi.json")
  assert.strictEqual(answer.status, 200)
  return declaredResponses(answer.json)
})
