import { assert, describe, it } from "@effect/vitest"
import { isNative } from "./bundleKind.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("which bundle is which", () => {
  it.for([
    ["a phone's own", `var __BUNDLE_START_TIME__=1;!(function(g){})(this);__d(function(){nativeLoggingHook&&1})`, true],
    [
      "one for the web, by Metro",
      `var __BUNDLE_START_TIME__=1;!(function(g){})(this);__d(function(){document.body})`,
      false
    ],
    ["one for the web, by another bundler", `(()=>{document.getElementById("root")})()`, false],
    ["nothing", "", false]
  ] as const)("%s", ([, start, expected]) => {
    assert.strictEqual(isNative(bytes(start)), expected)
  })
})
