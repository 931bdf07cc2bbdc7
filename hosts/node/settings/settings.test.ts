import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { it } from "../../../core/testing/layer.ts"
import { loadSettings } from "./settings.ts"

const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`
const load = (flags: Record<string, string>) =>
  loadSettings({ flags }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
    Effect.map(({ webhook }) => webhook && { url: webhook.url, secret: Redacted.value(webhook.secret) })
  )

describe("the webhook", () => {
  it.effect("is none unless its settings are given", function* () {
    assert.isUndefined(yield* load({}))
  })

  it.effect.each([
    "https://example.com/hook?token=x",
    "http://127.0.0.1:9000/",
    "http://localhost/",
    "http://[::1]:1/"
  ])("may be at %s", function* (url) {
    const given = { SLIPWAY_WEBHOOK_URL: url, SLIPWAY_WEBHOOK_SECRET: secret }
    assert.deepStrictEqual(yield* load(given), { url, secret })
  })

  it.effect.each([
    "http://example.com/",
    "http://127.0.0.1.example.com/",
    "http://192.168.0.1/",
    "https://user:password@example.com/",
    "https://example.com/#there",
    "ftp://example.com/",
    "example.com"
  ])("may not be at %s", function* (url) {
    const given = { SLIPWAY_WEBHOOK_URL: url, SLIPWAY_WEBHOOK_SECRET: secret }
    const { message } = yield* Effect.flip(load(given))
    assert.match(message, /^SLIPWAY_WEBHOOK_URL \(--webhook-url\) must be an https URL/)
  })

  it.effect.each(["secret", "whsec_c2hvcnQ=", `${secret}!`, `whsec_${"A".repeat(200)}`])(
    "has no secret such as %s, which is not repeated",
    function* (secret) {
      const given = { SLIPWAY_WEBHOOK_URL: "https://example.com/", SLIPWAY_WEBHOOK_SECRET: secret }
      const { message } = yield* Effect.flip(load(given))
      assert.match(message, /^SLIPWAY_WEBHOOK_SECRET \(--webhook-secret\) must be whsec_ and/)
      if (secret !== "secret") assert.notInclude(message, secret)
    }
  )

  it.effect("needs both settings", function* () {
    const withoutSecret = yield* Effect.flip(load({ SLIPWAY_WEBHOOK_URL: "https://example.com/" }))
    assert.include(withoutSecret.message, "SLIPWAY_WEBHOOK_SECRET")
    const withoutUrl = yield* Effect.flip(load({ SLIPWAY_WEBHOOK_SECRET: secret }))
    assert.include(withoutUrl.message, "SLIPWAY_WEBHOOK_URL")
  })
})

describe("the networks that webhooks may reach although they are not public", () => {
  const networks = (flags: Record<string, string>) =>
    loadSettings({ flags }).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
      Effect.map(({ webhookNetworks }) => webhookNetworks.map(IpNetwork.format))
    )

  it.effect("are none unless the setting names them", function* () {
    assert.deepStrictEqual(yield* networks({}), [])
    const given = { SLIPWAY_WEBHOOK_ALLOWED_NETWORKS: "10.0.0.0/8, ::1" }
    assert.deepStrictEqual(yield* networks(given), ["10.0.0.0/8", "::1/128"])
    const { message } = yield* Effect.flip(networks({ SLIPWAY_WEBHOOK_ALLOWED_NETWORKS: "ci.internal" }))
    assert.match(
      message,
      /^SLIPWAY_WEBHOOK_ALLOWED_NETWORKS \(--webhook-allowed-networks\) must be IP addresses or networks/
    )
  })
})

describe("a key of a config file that is no setting", () => {
  for (const [key, hint] of [
    ["databaseURL", "; did you mean databaseUrl?"],
    ["s3bukket", "; did you mean s3Bucket?"],
    ["DATABASE_URL", "; in a file it is called databaseUrl"],
    ["colour", ""]
  ] as const) {
    it.effect(`${key}: the message${hint === "" ? " guesses nothing" : hint}`, function* () {
      const folder = mkdtempSync(join(tmpdir(), "slipway-settings-"))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const configFile = join(folder, "target.json")
      writeFileSync(configFile, JSON.stringify({ [key]: "x" }))
      const { message } = yield* Effect.flip(loadSettings({ flags: {}, configFile }))
      assert.strictEqual(message, `${configFile} has the key ${key}, which is not a setting${hint}`)
    })
  }
})

describe("the site", () => {
  it.effect.each([
    ["SLIPWAY_FRAME_ANCESTORS", "https://a.example, https://b.example/path"],
    ["SLIPWAY_FRAME_ANCESTORS", "*"],
    ["SLIPWAY_FRAME_ANCESTORS", "https://*.example"],
    ["SLIPWAY_FRAME_ANCESTORS", "https://a.example; script-src *"],
    ["SLIPWAY_FRAME_ANCESTORS", "https://a;b"],
    ["SLIPWAY_FRAME_ANCESTORS", "javascript:alert(1)"],
    ["SLIPWAY_SITE_NAME", " "],
    ["SLIPWAY_SITE_NAME", "a\u202Eb"],
    ["SLIPWAY_SITE_NAME", "a".repeat(61)],
    ["SLIPWAY_SITE_LOGO", "/does/not/exist.png"],
    ["SLIPWAY_SITE_LOGO", join(import.meta.dirname, "settings.test.ts")]
  ] as const)("refuses %s=%s by its name", function* ([env, value]) {
    const { message } = yield* Effect.flip(loadSettings({ flags: { [env]: value } }))
    assert.match(message, new RegExp(`^${env} \\(--[a-z-]+\\) must `))
  })

  it.effect("has several origins, a name and a logo", function* () {
    const logo = join(import.meta.dirname, "..", "..", "demo", "app", "assets", "sail.png")
    const flags = {
      SLIPWAY_FRAME_ANCESTORS: "https://a.example, http://localhost:3000",
      SLIPWAY_SITE_NAME: "Acme",
      SLIPWAY_SITE_LOGO: logo
    }
    const { frameAncestors, siteLogo, siteName } = yield* loadSettings({ flags })
    assert.deepStrictEqual([frameAncestors, siteName], [["https://a.example", "http://localhost:3000"], "Acme"])
    assert.strictEqual(siteLogo?.byteLength, statSync(logo).size)
  })
})
