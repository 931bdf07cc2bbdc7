import { assert, describe, it } from "@effect/vitest"
import { isNative, unsupportedFormat } from "./bundleFormat.ts"

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

const bytesOf = (...parts: ReadonlyArray<string | number>) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])))

const hermes = bytesOf(0xc6, 0x1f, 0xbc, 0x03, 0xc1, 0x03, 0x19, 0x1f, 96, 0, 0, 0)

describe("why a bundle can't run in a browser", () => {
  it.for([
    ["Hermes bytecode", hermes, /Hermes bytecode/],
    ["a RAM bundle", bytesOf(0xe5, 0xd1, 0x0b, 0xfb, 1, 0, 0, 0), /RAM bundle/],
    ["gzip that isn't declared", bytesOf(0x1f, 0x8b, 8, 0), /gzip, but was not declared/],
    ["an APK", bytesOf("PK", 3, 4, 20, 0), /ZIP archive/],
    ["WebAssembly", bytesOf(0, "asm", 1, 0, 0, 0), /WebAssembly/],
    ["an executable", bytesOf(0x7f, "ELF", 2, 1, 1, 0), /binary/],
    ["a picture", bytesOf(0x89, "PNG\r\n", 0x1a, "\n", 0, 0, 0, 13), /binary/],
    ["a page", bytesOf("\ufeff\n <!doctype html>"), /HTML or XML/],
    ["nothing", bytesOf(), /empty/]
  ] as const)("%s", ([, start, why]) => {
    assert.match(unsupportedFormat(start) ?? "", why)
  })

  it.for([
    ["a script", bytesOf("var __BUNDLE_START_TIME__=this.nativePerformanceNow?1:2")],
    ["a script with a mark of its encoding", bytesOf(0xef, 0xbb, 0xbf, "1")],
    ["a script in UTF-16", bytesOf(0xff, 0xfe, "v", 0, "a", 0, "r", 0)],
    ["a comment as HTML has them", bytesOf("<!-- a script -->\nrun()")],
    ["a script that is cut in the middle of a character", bytesOf('say("', 0xf0, 0x9f)],
    ["no script, but text", bytesOf("this will not parse")],
    ["a part of what Hermes begins with", hermes.subarray(0, 1)]
  ] as const)("nothing speaks against %s", ([, start]) => {
    assert.isUndefined(unsupportedFormat(start))
  })
})
