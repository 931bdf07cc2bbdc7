import { assert, it } from "@effect/vitest"
import { Context, Option } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { protect, RequiredScopes } from "./middleware.ts"

const group = HttpApiGroup.make("items").add(HttpApiEndpoint.get("read", "/"))

it("a group demands the scopes that it is protected by, and at least one", () => {
  const { annotations } = protect(["builds"], group)
  assert.deepStrictEqual(Option.getOrUndefined(Context.getOption(annotations, RequiredScopes)), ["builds"])
  // @ts-expect-error Without a scope it does not compile.
  assert.isFunction(() => protect([], group))
})
