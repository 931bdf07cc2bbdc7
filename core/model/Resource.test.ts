import { assert, it } from "@effect/vitest"
import { BuildId } from "./Build.ts"
import { ShareId } from "./Preview.ts"
import { nameOfResource, subjectOf } from "./Resource.ts"
import { TestRunId } from "./TestRun.ts"

it("resources of different kinds with the same id have different subjects and names", () => {
  const resources = [{ build: BuildId.make("x") }, { preview: ShareId.make("x") }, { run: TestRunId.make("x") }]
  assert.deepStrictEqual(resources.map(subjectOf), ["build:x", "preview:x", "run:x"])
  assert.strictEqual(subjectOf({ badge: { owner: "a", repo: "b", branch: "c/d" } }), "badge:a/b/c/d")
  assert.deepStrictEqual(resources.map(nameOfResource), ["build x", "preview x", "test run x"])
})
