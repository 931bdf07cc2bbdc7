import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { defaultBindings } from "../config/Config.ts"
import type { Credential, Exchange } from "../session/Exchange.ts"
import { curl } from "./exchangeText.ts"
import { exampleExchange } from "./testing.ts"

const { key } = defaultBindings
const a: Credential = { account: "a", key: "all" }

const line = (request: Partial<Exchange["request"]>, binding = key) =>
  curl(
    { request: { method: "GET", url: "https://service.example/api/v1/builds", as: a, headers: {}, ...request } },
    binding
  )

/** The words of a command line as a shell splits it, without the first. */
const words = (line: string, environment: Record<string, string>): ReadonlyArray<string> => {
  const script = line.replace(/^curl /, "printf '%s\\0' ")
  return execFileSync("sh", ["-c", script], { env: { ...process.env, ...environment }, encoding: "utf8" })
    .split("\0")
    .slice(0, -1)
}

describe("a line of curl", () => {
  it("sends what was sent, with the key from the variable that a config has it in", () => {
    assert.deepStrictEqual(words(curl(exampleExchange, key), { SLIPWAY_CONFORMANCE_KEY_A_ALL: "the key" }), [
      "-i",
      "-X",
      "POST",
      "https://service.example/api/v1/builds",
      "-H",
      "authorization: Bearer the key",
      "-H",
      "content-type: application/json",
      "--data-raw",
      '{"owner":"north","repo":"harbour"}'
    ])
  })

  it("names the variable of each key", () => {
    assert.include(line({ as: { account: "a", key: "previewUpload" } }), "$SLIPWAY_CONFORMANCE_KEY_A_PREVIEW_UPLOAD")
    assert.include(line({ as: { account: "b", key: "testRuns" } }), "$SLIPWAY_CONFORMANCE_KEY_B_TEST_RUNS")
  })

  it("spells a key as it is bound", () => {
    const environment = { SLIPWAY_CONFORMANCE_KEY_A_ALL: "k'1" }
    const header = (value: string) => words(line({}, { header: "x-access", value }), environment).at(-1)
    assert.strictEqual(header(`key="{key}"`), `x-access: key="k'1"`)
    assert.strictEqual(header("Token {key:base64}"), `x-access: Token ${Buffer.from("k'1").toString("base64")}`)
    assert.strictEqual(header("Basic {basic}"), `x-access: Basic ${Buffer.from("k'1:").toString("base64")}`)
    assert.strictEqual(header("it's {key}"), "x-access: it's k'1")
  })

  it("has no key where none was sent, and none of anybody's where an unknown one was", () => {
    assert.strictEqual(line({ as: "none" }), "curl -i https://service.example/api/v1/builds")
    assert.include(line({ as: "unknown" }), "'authorization: Bearer 'a-key-that-nobody-was-given")
  })

  it("says what it can't show: the bytes of an upload, and what was done to the URL", () => {
    const content = { sizeBytes: 512, sha256: "ab".repeat(32) }
    const said = line({
      method: "PUT",
      as: "none",
      headers: { "content-type": "text/javascript" },
      content,
      tamper: "signature"
    })
    assert.deepStrictEqual(words(said, {}).slice(-3), [
      "content-type: text/javascript",
      "--data-binary",
      "@content.bin"
    ])
    assert.include(said, `# content.bin: 512 bytes, SHA-256 ${content.sha256}; the signature in the URL was altered`)
  })

  it("lets nothing out of its quotes", () => {
    const json = { name: "'; touch /tmp/owned; '$(id)`id`\n\u202E" }
    const said = line({ method: "POST", url: "https://service.example/?a='$(id)'&b[]=1", json })
    const made = words(said, { SLIPWAY_CONFORMANCE_KEY_A_ALL: "k" })
    assert.include(made, "https://service.example/?a='$(id)'&b[]=1")
    assert.strictEqual(made.at(-1), JSON.stringify(json).replace("\u202E", String.raw`\u202e`))
    assert.include(made, "-g")
    assert.notInclude(said, "\u202E")
  })
})
