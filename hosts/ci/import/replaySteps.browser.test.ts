/** From a failed run that was imported to its steps on the build of its commit, in whichever order CI sends both. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { createClient } from "../../client/index.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { waitForState } from "../../viewer/testing/app.ts"
import { Chromium, openSignedIn } from "../../viewer/testing/chromium.ts"
import { temporaryFolder, write } from "../testing/folders.ts"
import { runCi } from "../testing/runCi.ts"
import { out } from "./testing/hosted.ts"

layer(Layer.merge(TestHost.layer(inMemory), Chromium.layer))("an imported run that failed", (it) => {
  it.effect.each([
    ["build", "import"],
    ["import", "build"]
  ] as const)("plays its steps on the build of its commit: %s, then %s", function* (order) {
    const { url } = yield* TestHost
    const { key, owner, repo } = yield* newAccount(["builds", "preview_upload", "test_runs"])
    const env = {
      SLIPWAY_URL: url,
      SLIPWAY_KEY: key,
      SLIPWAY_OWNER: owner,
      SLIPWAY_REPO: repo,
      SLIPWAY_BRANCH: "main",
      SLIPWAY_COMMIT: "c0ffee00".repeat(5),
      SLIPWAY_SOURCE: "github:4711"
    }
    const app = temporaryFolder()
    write(app, "main.jsbundle", 'document.body.innerHTML = "<button>Basket</button><p>Empty</p>"')
    const commands = {
      import: ["import", "maestro", out],
      build: ["upload", "build", app, "--platform", "android"]
    }
    const client = createClient({ url, key })
    const opened = yield* openSignedIn({ key }, `${url}/usage`)
    yield* Effect.promise(async () => {
      const { page } = opened
      const ways = page.getByRole("link", { name: /^(?:Replay these steps|Open the)/ })
      const failedRun = async () => {
        const { testRuns } = await client.testRuns.list({ org: owner, repo, status: "failed" })
        return testRuns.find(({ name }) => name === "Pay")?.traceUrl ?? ""
      }
      for (const [at, name] of order.entries()) {
        const { code, err } = await runCi(commands[name], { env })
        assert.strictEqual(code, 0, err)
        if (at > 0 || name === "build") continue
        await page.goto(await failedRun())
        assert.deepStrictEqual(await ways.allTextContents(), [])
      }
      await page.goto(await failedRun())
      assert.sameMembers(
        (await ways.allTextContents()).map((text) => text.trim()),
        ["Open the build", "Replay these steps on the build"]
      )
      await page.getByRole("link", { name: "Replay these steps on the build" }).click()
      await waitForState(page, "Running")
      assert.match(page.url(), /\/builds\/[^/]+\?steps=[^#]+#flow$/)
      assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^Android build of main/)
      await page.locator(".recorded-run video").waitFor()
      const flow = page.locator(".panel.flow")
      assert.include(await flow.getByLabel("Maestro flow").inputValue(), "- tapOn:\n    text: Basket\n")
      await flow.locator(".wait input").fill("1")
      await flow.getByRole("button", { name: "Play", exact: true }).click()
      await flow.locator(".verdict[data-status=failed]").waitFor()
      const steps = await flow.locator(".ran li").allTextContents()
      assert.include(steps.join("\n"), "PassedtapOn “Basket”")
      assert.match(steps.at(-1) ?? "", /^FailedassertVisible “Paid”/)
    })
  })
})
