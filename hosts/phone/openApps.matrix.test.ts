/** Open-source apps from npm, as `fixtures/makeOpenApps.ts` bundles them: each whose bundle is there comes up and is used. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { openApps } from "./fixtures/openApps.ts"
import { fixtureFolder } from "./fixtures/readFixture.ts"
import type { App } from "./testing/App.ts"
import { openApp } from "./testing/openApp.ts"

const isThere = (name: string): boolean => existsSync(join(fixtureFolder(`open-${name}`), "main.jsbundle.gz"))

/** What somebody does first in an app, beyond looking at it. */
const walks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  // expo-router: tabs and a stack, by files.
  tabs: async ({ frame }) => {
    await frame.getByRole("heading", { name: "Tab One" }).waitFor()
    await frame.getByText("Tab Two", { exact: true }).last().click()
    await frame.getByText("app/(tabs)/two.tsx").waitFor()
  },
  // The phone's own tabs, and what is shown once a motion of Reanimated's is over.
  default: async ({ frame }) => {
    const explore = frame.getByRole("tab", { name: "Explore" })
    await explore.click()
    await frame.getByText("File-based routing").click()
    assert.strictEqual(await explore.getAttribute("aria-selected"), "true")
    await frame.getByText("Try editing").waitFor({ state: "hidden" })
    await frame.getByRole("tab", { name: "Home" }).click()
    await frame.getByText("Try editing").waitFor()
  },
  // What it keeps lies in MMKV, which it asks Nitro for.
  boilerplate: async ({ at, frame }) => {
    await frame.getByText("Bienvenue sur").waitFor()
    // A screen that still slides in takes no tap: the one before it, with a picture of its own, goes once it is there.
    await frame.waitForFunction(() => document.querySelectorAll("[data-testid=variant-image]").length === 1)
    await at("change-language-button").click()
    await frame.getByText("Welcome on").waitFor()
  },
  // A drawer that Reanimated moves.
  drawer: async ({ frame }) => {
    await frame.getByText("app/(drawer)/index.tsx").waitFor()
    await frame.getByRole("button", { name: "Show navigation menu" }).click()
    await frame.getByText("Tabs", { exact: true }).click()
    await frame.getByText("app/(drawer)/(tabs)/index.tsx").waitFor()
  },
  navigation: async ({ frame }) => {
    await frame.getByText("screens/one.tsx").waitFor()
    await frame.getByText("Tab Two", { exact: true }).last().click()
    await frame.getByText("screens/two.tsx").waitFor()
  },
  news: async ({ frame }) => {
    await frame.getByText("Sign Up").click()
    await frame.getByText("Create Account").first().waitFor()
  },
  starter: async ({ frame }) => {
    await frame.getByText("Next").click()
    const second = await frame.getByText("Ready for Scale").elementHandle()
    await frame.waitForFunction((text) => text !== null && text.getBoundingClientRect().right <= innerWidth, second)
  },
  ignite: async ({ frame }) => {
    await frame.getByText("Tap to log in!").click()
    await frame.getByText("Your app, almost ready for launch!").waitFor()
  }
}

layer(Chromium.layer)("an open-source app", (it) => {
  it("is there, of those that are kept", () => {
    for (const { isKept, name } of openApps) if (isKept === true) assert.isTrue(isThere(name), name)
  })

  it.effect.each(openApps.filter(({ name }) => isThere(name)).map((one) => [one.name, one.shows] as const))(
    "%s comes up and is used",
    ([name, shows]) =>
      Effect.gen(function* () {
        const { app } = yield* openApp(`open-${name}`)
        yield* Effect.promise(async () => {
          await app.frame.getByText(shows).first().waitFor()
          await walks[name]?.(app)
        })
      })
  )
})
