import { assert, describe, it } from "@effect/vitest"
import { isObjectKey } from "./HostedObject.ts"

describe("isObjectKey", () => {
  it.for(["a", "a/b/c", "!-_.*'()", "...", ".a", "a..", "AZaz09/..a", "a".repeat(512)])("%s is a key", (key) => {
    assert.isTrue(isObjectKey(key))
  })

  it.for([
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/..",
    "a/./b",
    "a/../../b",
    "a b",
    "a\\b",
    "a,b",
    "a%2fb",
    "a?b",
    "a#b",
    "a\0",
    "a\n",
    "é",
    "a".repeat(513)
  ])("%j is none", (key) => {
    assert.isFalse(isObjectKey(key))
  })
})
