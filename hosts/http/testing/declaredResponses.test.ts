/** Answers that a small document allows, and the faults that are found. */
import { assert, describe, it } from "@effect/vitest"
import { declaredResponses } from "./declaredResponses.ts"

const resource = {
  type: "object",
  properties: { id: { type: "string" }, size: { type: "integer" }, state: { enum: ["open", "ready"] } },
  required: ["id", "size"],
  additionalProperties: false
}

const declared = declaredResponses({
  openapi: "3.1.0",
  components: { securitySchemes: {}, schemas: { Item: resource } },
  paths: {
    "/api/items/{id}": {
      get: {
        summary: "Read an item",
        responses: {
          "200": {
            headers: { location: { schema: { type: "string", pattern: "^/" }, required: true } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } }
          }
        }
      },
      delete: { summary: "Delete an item", responses: { "204": {} } }
    },
    "/api/items/all": { get: { summary: "Read all items", responses: {} } }
  }
})

const mismatchesOf = (
  answer: { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> },
  method = "get"
) => {
  const { body = { id: "a", size: 1 }, headers = {}, status = 200 } = answer
  const all: Record<string, string> = { "content-type": "application/json", location: "/items/a", ...headers }
  return declared
    .mismatches(
      { method, template: "/api/items/{id}" },
      { status, header: (name) => all[name], text: typeof body === "string" ? body : JSON.stringify(body) }
    )
    .join("; ")
}

describe("answers that are held to an OpenAPI document", () => {
  it("are right when they are what it declares", () => {
    assert.strictEqual(mismatchesOf({}), "")
    assert.strictEqual(mismatchesOf({ body: { id: "a", size: 1, state: "ready" } }), "")
    assert.strictEqual(mismatchesOf({ status: 204, body: "" }, "delete"), "")
  })

  it.each([
    ["a property that is not declared", { body: { id: "a", size: 1, more: 1 } }, "must NOT have additional properties"],
    ["a property that is missing", { body: { id: "a" } }, "body must have required property 'size'"],
    ["a property of the wrong type", { body: { id: "a", size: "1" } }, "body/size must be integer"],
    [
      "a value that is not among those declared",
      { body: { id: "a", size: 1, state: "x" } },
      "body/state must be equal"
    ],
    ["a body of another kind", { body: [] }, "body must be object"],
    ["a body that is not JSON", { body: "{" }, "the body is not JSON"],
    ["another status", { status: 201 }, "status 201 is not declared"],
    ["another media type", { headers: { "content-type": "text/html" } }, "media type text/html is not declared"],
    ["a header that does not fit", { headers: { location: "items" } }, "header location must match pattern"]
  ])("are wrong with %s", (_, answer, message) => assert.include(mismatchesOf(answer), message))

  it("are wrong without a header that is required, and with a body where none is declared", () => {
    const bare = { status: 200, header: () => undefined, text: "{}" }
    const mismatches = declared.mismatches({ method: "get", template: "/api/items/{id}" }, bare)
    assert.include(mismatches, "header location is missing")
    assert.strictEqual(mismatchesOf({ status: 204 }, "delete"), "no body is declared")
  })

  it("are those of the operation to which the router brings the request", () => {
    const template = "/api/items/{id}"
    assert.deepStrictEqual(declared.operationOf("GET", "/api/items/a?b=c"), { method: "get", template })
    assert.deepStrictEqual(declared.operationOf("DELETE", "//API/%69tems/a/"), { method: "delete", template })
    assert.isUndefined(declared.operationOf("DELETE", "/api/items/all"), "a path without a parameter comes first")
    assert.isUndefined(declared.operationOf("PUT", "/api/items/a"))
    assert.isUndefined(declared.operationOf("GET", "/api/items"))
  })
})
