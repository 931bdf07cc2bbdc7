import { assert, it } from "vitest"
import { clientTypes, committedClientTypes } from "./clientTypes.ts"
import { committedListing, exportsListing } from "./exports.ts"

it(".config/exports.txt lists what each entry point exports", () => {
  assert.strictEqual(committedListing(), exportsListing(), "if this change is intended, run: npm run api")
})

it("the types of the client are those of the OpenAPI document", () => {
  assert.strictEqual(committedClientTypes(), clientTypes(), "if this change is intended, run: npm run api")
})
