import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Duration, Effect } from "effect"
import { it } from "../../http/testing/layer.ts"
import { loadSettings } from "./settings.ts"

/** Reads the given settings, named as in the environment, and no others. */
const load = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(loadSettings({ flags: {} }), ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

describe("the settings of retention", () => {
  it.effect(
    "expire histories after 400 days and nothing else unless they are set, and sweep every ten minutes",
    function* () {
      const { keepAudit, retention, sweep } = yield* load({})
      assert.deepStrictEqual(retention, { histories: Duration.days(400) })
      assert.strictEqual(keepAudit, "forever")
      assert.deepStrictEqual(
        [sweep.every, sweep.grace].map((time) => time && Duration.toMillis(time)),
        [600_000, 86_400_000]
      )
      assert.strictEqual((1000 * sweep.batch) / Duration.toMillis(sweep.pause), 100)
    }
  )

  it.effect("are read as people write them", function* () {
    const { keepAudit, retention, sweep } = yield* load({
      SLIPWAY_KEEP_AUDIT: "365d",
      SLIPWAY_KEEP_PREVIEWS: "90d",
      SLIPWAY_KEEP_RUNS: "30d",
      SLIPWAY_KEEP_HISTORIES: "500d",
      SLIPWAY_KEEP_BUILDS: "forever",
      SLIPWAY_KEEP_BUILDS_PER_BRANCH: "20",
      SLIPWAY_SWEEP_INTERVAL: "off",
      SLIPWAY_SWEEP_RATE: "10"
    })
    const [previews, runs] = [Duration.days(90), Duration.days(30)]
    const histories = Duration.days(500)
    assert.deepStrictEqual(retention, { previews, runs, histories, builds: "forever", buildsPerBranch: 20 })
    assert.deepStrictEqual(keepAudit, Duration.days(365))
    assert.isUndefined(sweep.every)
    assert.strictEqual((1000 * sweep.batch) / Duration.toMillis(sweep.pause), 10)
  })

  for (const [env, said] of [
    [
      { SLIPWAY_KEEP_PREVIEWS: "soon" },
      "SLIPWAY_KEEP_PREVIEWS (--keep-previews) must be a duration such as 90d, or forever"
    ],
    [{ SLIPWAY_KEEP_PREVIEWS: "10m" }, "SLIPWAY_KEEP_PREVIEWS (--keep-previews) must be 1h or longer"],
    [
      { SLIPWAY_KEEP_BUILDS_PER_BRANCH: "0" },
      "SLIPWAY_KEEP_BUILDS_PER_BRANCH (--keep-builds-per-branch) must be a whole number"
    ],
    [
      { SLIPWAY_KEEP_BUILDS_PER_BRANCH: "few" },
      "SLIPWAY_KEEP_BUILDS_PER_BRANCH (--keep-builds-per-branch) must be a whole number"
    ],
    [
      { SLIPWAY_KEEP_PREVIEWS: "30d", SLIPWAY_KEEP_RUNS: "31d" },
      "SLIPWAY_KEEP_RUNS (--keep-runs) must not be longer than previews"
    ],
    [{ SLIPWAY_KEEP_BILLED: "30d" }, "SLIPWAY_KEEP_BILLED (--keep-billed) must be 62d or longer"],
    [{ SLIPWAY_KEEP_AUDIT: "30" }, "SLIPWAY_KEEP_AUDIT (--keep-audit) must be a duration of 1d or longer"],
    [{ SLIPWAY_KEEP_AUDIT: "1h" }, "SLIPWAY_KEEP_AUDIT (--keep-audit) must be a duration of 1d or longer"],
    [{ SLIPWAY_SWEEP_INTERVAL: "2d" }, "SLIPWAY_SWEEP_INTERVAL (--sweep-interval) must be a duration from 1s to 1d"],
    [{ SLIPWAY_SWEEP_RATE: "0" }, "SLIPWAY_SWEEP_RATE (--sweep-rate) must be a whole number"]
  ] as const) {
    it.effect(`are refused by name: ${JSON.stringify(env)}`, function* () {
      const refused = yield* Effect.flip(load(env))
      assert.isTrue(refused.message.startsWith(said), refused.message)
    })
  }
})
