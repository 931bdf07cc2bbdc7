/** The document at `/openapi.json` is valid OpenAPI 3.1, and the host's answers conform to it. */
import { assert } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect } from "effect"
import { loadDocument } from "./testing/declaredResponses.ts"
import { inMemory } from "./testing/engines.ts"
import { TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"

const extensions = [
  "GET /api/v1/previews",
  "GET /api/v1/test-runs/{id}",
  "GET /api/v1/tests",
  "GET /api/v1/tests/{id}",
  "GET /api/v1/sources/{source}",
  "POST /api/v1/sources/{source}/imports",
  "GET /api/v1/quarantines",
  "POST /api/v1/quarantines",
  "DELETE /api/v1/quarantines/{id}"
]

layer(TestHost.layer(inMemory))("/openapi.json", (it) => {
  it.effect("is valid OpenAPI 3.1", function* () {
    const { json } = yield* loadDocument
    const validator = new Validator()
    const { errors, valid } = yield* Effect.promise(() => validator.validate({ ...json }))
    assert.isTrue(valid, JSON.stringify(errors, null, 2))
    assert.strictEqual(validator.version, "3.1")
  })

  it.effect("describes each property and parameter, with an example that its schema accepts", function* () {
    const { call } = yield* TestHost
    const document: unknown = (yield* call("GET", "/openapi.json")).json
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(Object(document), "openapi")
    const [lacking, unfit]: [Array<string>, Array<string>] = [[], []]
    let properties = 0
    const check = (at: string, schemaAt: string, description: unknown, example: unknown) => {
      properties += 1
      if (typeof description !== "string" || description === "" || example === undefined) lacking.push(at)
      else if (!ajv.validate({ $ref: `openapi#${schemaAt}` }, example)) unfit.push(`${at}: ${ajv.errorsText()}`)
    }
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== "object" || value === null) return
      for (const [key, below] of Object.entries(value)) {
        const next = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
        walk(below, next)
        const { description, example, in: where, schema } = Object(below)
        if (typeof where === "string") check(next, `${next}/schema`, description, schema && example)
        if (key !== "properties") continue
        for (const [name, property] of Object.entries(Object(below))) {
          const { description, examples, not } = Object(property)
          if (not === undefined) check(`${next}/${name}`, `${next}/${name}`, description, examples?.[0])
        }
      }
    }
    walk(document, "")
    assert.isAbove(properties, 400)
    assert.deepStrictEqual(
      { lacking, unfit },
      { lacking: [], unfit: [] },
      "give each of these a description and an example in core/api/openApi.ts"
    )
  })

  it.effect("describes how to send a key, and what each operation does", function* () {
    const { document } = yield* loadDocument
    assert.deepStrictEqual(document.components.securitySchemes, { key: { type: "http", scheme: "bearer" } })
    const said = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ summary }) => summary))
    assert.strictEqual(new Set(said).size, said.length)
  })

  it.effect("lists every operation", function* () {
    const { document } = yield* loadDocument
    assert.sameMembers(
      Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
      ),
      [
        "POST /api/v1/builds",
        "GET /api/v1/builds",
        "GET /api/v1/builds/{id}",
        ...["builds", "previews", "test-runs"].map((kind) => `DELETE /api/v1/${kind}/{id}`),
        "POST /api/v1/previews",
        "POST /api/v1/previews/finalize",
        "GET /api/v1/previews/{id}",
        "POST /api/v1/test-runs",
        "GET /api/v1/test-runs",
        "POST /api/v1/token-exchange",
        "GET /api/v1/usage",
        ...extensions,
        ...["builds", "previews", "test-runs"].flatMap((kind) => [
          `POST /api/v1/${kind}/{id}/shares`,
          `GET /api/v1/${kind}/{id}/shares`,
          `DELETE /api/v1/${kind}/{id}/shares/{link}`
        ])
      ]
    )
  })

  it.effect("marks the extensions of the interface", function* () {
    const { document } = yield* loadDocument
    const marked = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation["x-slipway-extension"] === true)
        .map(([method]) => `${method.toUpperCase()} ${path}`)
    )
    assert.sameMembers(marked, extensions)
  })
})
