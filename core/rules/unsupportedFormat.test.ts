import { assert, describe, it } from "@effect/vitest"
import { unsupportedFormat } from "./unsupportedFormat.ts"

const bytes = (...parts: ReadonlyArray<string | number>) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])))

const hermes = bytes(0xc6, 0x1f, 0xbc, 0x03, 0xc1, 0x03, 0x19, 0x1f, 96, 0, 0, 0)

describe("why a bundle can't run in a browser", () => {
  it.for([
    ["Hermes bytecode", hermes, /Hermes bytecode/],
    ["a RAM bundle", bytes(0xe5, 0xd1, 0x0b, 0xfb, 1, 0, 0, 0), /RAM bundle/],
    ["gzip that isn't declared", bytes(0x1f, 0x8b, 8, 0), /gzip, but was not declared/],
    ["an APK", bytes("PK", 3, 4, 20, 0), /ZIP archive/],
    ["WebAssembly", bytes(0, "asm", 1, 0, 0, 0), /WebAssembly/],
    ["an executable", bytes(0x7f, "ELF", 2, 1, 1, 0), /binary/],
    ["a picture", bytes(0x89, "PNG\r\n", 0x1a, "\n", 0, 0, 0, 13), /binary/],
    ["a page", bytes("\ufeff\n <!doctype html>"), /HTML or XML/],
    ["nothing", bytes(), /empty/]
  ] as const)("%s", ([, start, why]) => {
    assert.match(unsupportedFormat(start) ?? "", why)
  })

  it.for([
    ["a script", bytes("var __BUNDLE_START_TIME__=this.nativePerformanceNow?1:2")],
    ["a script with a mark of its encoding", bytes(0xef, 0xbb, 0xbf, "1")],
    ["a script in UTF-16", bytes(0xff, 0xfe, "v", 0, "a", 0, "r", 0)],
    ["a comment as HTML has them", bytes("<!-- a script -->\nrun()")],
    ["a script that is cut in the middle of a character", bytes('say("', 0xf0, 0x9f)],
    ["no script, but text", bytes("this will not parse")],
    ["a part of what Hermes begins with", hermes.subarray(0, 1)]
  ] as const)("nothing speaks against %s", ([, start]) => {
    assert.isUndefined(unsupportedFormat(start))
  })
})
