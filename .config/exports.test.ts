import { assert, it } from "vitest"
import { committedListing, exportsListing } from "./exports.ts"

it(".config/exports.txt lists what each entry point exports", () => {
  assert.strictEqual(committedListing(), exportsListing(), "if this change is intended, run: npm run api")
})
