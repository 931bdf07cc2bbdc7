import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { it } from "../../core/testing/layer.ts"
import { digestOfChecks, suite } from "./suite.ts"

it.effect("a change of what is checked has a version of its own", () =>
  Effect.map(suite, ({ digest }) => assert.strictEqual(digest, digestOfChecks(), "run: node conformance/run/suite.ts"))
)
