import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { loadSettings } from "./settings.ts"

const load = (flags: Record<string, string>) =>
  loadSettings({ flags }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})),
    Effect.map(({ quotas }) => quotas)
  )

describe("quotas", () => {
  it.effect("are 50 GiB of stored bytes unless set, and none where off", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* load({}), { bytesStored: 50 * 1024 ** 3 })
      for (const off of ["off", "unlimited"]) {
        assert.deepStrictEqual(yield* load({ SLIPWAY_QUOTA_BYTES_STORED: off }), {})
      }
    })
  )

  it.effect("are sizes and whole numbers, also none at all", () =>
    Effect.gen(function* () {
      const given = {
        SLIPWAY_QUOTA_BYTES_STORED: "100GiB",
        SLIPWAY_QUOTA_BYTES_PER_MONTH: "1000000",
        SLIPWAY_QUOTA_PREVIEWS_PER_MONTH: "0",
        SLIPWAY_QUOTA_RUNS_PER_MONTH: "500"
      }
      const quotas = { bytesStored: 100 * 1024 ** 3, bytesPerMonth: 1_000_000, previewsPerMonth: 0, runsPerMonth: 500 }
      assert.deepStrictEqual(yield* load(given), quotas)
    })
  )

  it.effect.each([
    ["SLIPWAY_QUOTA_BYTES_STORED", "must be a size such as 100GiB or 1000000, or off"],
    ["SLIPWAY_QUOTA_BYTES_PER_MONTH", "must be a size such as 100GiB or 1000000, or off"],
    ["SLIPWAY_QUOTA_PREVIEWS_PER_MONTH", "must be a whole number, 0 or more, or off"],
    ["SLIPWAY_QUOTA_RUNS_PER_MONTH", "must be a whole number, 0 or more, or off"]
  ] as const)("%s that is no amount is refused by its name", ([env, rule]) =>
    Effect.gen(function* () {
      for (const value of ["-1", "1.5", "many", "NaN", "on", "9000TiB"]) {
        const { message } = yield* Effect.flip(load({ [env]: value }))
        const flag = env.replace("SLIPWAY_", "").toLowerCase().replaceAll("_", "-")
        assert.strictEqual(message, `${env} (--${flag}) ${rule}`, value)
      }
    })
  )
})
