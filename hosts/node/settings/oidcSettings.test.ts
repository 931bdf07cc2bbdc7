import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { it } from "../../../core/testing/layer.ts"
import { loadSettings } from "./settings.ts"

const load = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(loadSettings({ flags: {} }), ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

const whole = {
  SLIPWAY_OIDC_ISSUER: "https://id.example/realms/team",
  SLIPWAY_OIDC_CLIENT_ID: "slipway",
  SLIPWAY_OIDC_CLIENT_SECRET: "a client secret",
  SLIPWAY_OIDC_ACCOUNTS: "Mobile team=acme, qa=acme:test_runs+preview_upload"
}

describe("the settings of OpenID Connect", () => {
  it.effect("are absent by default, and otherwise have these defaults", function* () {
    assert.isUndefined((yield* load({})).oidc)
    const settings = yield* load(whole)
    const { clientSecret, sessionLife, ...oidc } = settings.oidc ?? assert.fail("there are none")
    assert.deepStrictEqual(oidc, {
      issuer: "https://id.example/realms/team",
      clientId: "slipway",
      groupsClaim: "groups",
      scope: "openid email",
      grants: [
        { group: "Mobile team", account: "acme", scopes: ["builds", "preview_upload", "test_runs", "quarantine"] },
        { group: "qa", account: "acme", scopes: ["test_runs", "preview_upload"] }
      ]
    })
    assert.strictEqual(Redacted.value(clientSecret), "a client secret")
    assert.strictEqual(Duration.toHours(sessionLife), 8)
    assert.notInclude(inspect(settings, { depth: 9 }) + JSON.stringify(settings), "a client secret")
  })

  it.effect("are refused by name when one is missing, or has no issuer", function* () {
    for (const env of ["SLIPWAY_OIDC_CLIENT_ID", "SLIPWAY_OIDC_CLIENT_SECRET", "SLIPWAY_OIDC_ACCOUNTS"]) {
      const others = Object.entries(whole).filter(([name]) => name !== env)
      const { message } = yield* Effect.flip(load(Object.fromEntries(others)))
      assert.include(message, `SLIPWAY_OIDC_ISSUER (--oidc-issuer) needs ${env}`)
    }
    const { message } = yield* Effect.flip(load({ SLIPWAY_OIDC_CLIENT_ID: "slipway" }))
    assert.include(message, "SLIPWAY_OIDC_CLIENT_ID (--oidc-client-id) needs SLIPWAY_OIDC_ISSUER")
  })

  for (const [env, values] of Object.entries({
    SLIPWAY_OIDC_ISSUER: [
      "http://id.example",
      "id.example",
      "https://id.example/?a=b",
      "https://u:p@id.example",
      "http://localhost.evil"
    ],
    SLIPWAY_OIDC_ACCOUNTS: [
      "mobile",
      "=acme",
      "mobile=",
      "mobile=acme:",
      "mobile=acme:admin",
      "a=b,,c=d",
      "a=b:builds+no"
    ],
    SLIPWAY_OIDC_SCOPE: ["email", "openidx", 'openid "x"'],
    SLIPWAY_OIDC_SESSION: ["8", "30s", "8d", "soon"]
  })) {
    it.effect(`are refused when ${env} does not fit`, function* () {
      for (const value of values) {
        const { message } = yield* Effect.flip(load({ ...whole, [env]: value }))
        assert.match(message, new RegExp(`^${env} \\(--oidc-[a-z]+\\) must be `), value)
      }
    })
  }
})
