import { assert, it } from "vitest"
import { clientTypes, committedClientTypes } from "./clientTypes.ts"
import { committedListing, entrySources, exportsListing } from "./exports.ts"

it(".config/exports.txt lists what each entry point exports", () => {
  assert.strictEqual(committedListing(), exportsListing(), "if this change is intended, run: npm run api")
})

it("the message of every exported error can be replaced, as frameworks do", async () => {
  const errors: Array<string> = []
  for (const [entry, source] of entrySources()) {
    for (const [name, exported] of Object.entries<unknown>(await import(source))) {
      if (typeof exported !== "function" || !(exported.prototype instanceof Error)) continue
      errors.push(name)
      assert.doesNotThrow(() => void (Object.create(exported.prototype).message = "other"), undefined, entry + name)
    }
  }
  assert.include(errors, "DatabaseInUse")
})

it("the types of the client are those of the OpenAPI document", () => {
  assert.strictEqual(committedClientTypes(), clientTypes(), "if this change is intended, run: npm run api")
})
