/**
 * Open-source apps and the templates of each release from npm, as `fixtures/makeOpenApps.ts` bundles them: each whose
 * bundle is there comes up and is used.
 */
import { existsSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { fixtureOf, openApps, templates } from "./fixtures/openApps.ts"
import type { Platform } from "./settings/settings.ts"
import { type App, openApp } from "./testing/App.ts"
const all = [...openApps, ...templates]

const isThere = (name: string, platform: Platform): boolean => existsSync(fixtureOf(name, platform))

type Walk = (app: App) => Promise<void>

/** The screen of a tab, by the label of the tab and a text. */
const tab =
  (label: string, text: string): Walk =>
  async ({ frame }) => {
    await frame.getByText(label, { exact: true }).last().click()
    await frame.getByText(text).first().waitFor()
  }

/** The introduction of create-rnstarterkit, to its second page. */
const introduction =
  (title: string): Walk =>
  async ({ frame }) => {
    await frame.getByText("Next").click()
    const second = await frame.getByText(title).elementHandle()
    await frame.waitForFunction((text) => text !== null && text.getBoundingClientRect().right <= innerWidth, second)
  }

const registration: Walk = async ({ frame }) => {
  await frame.getByText("Sign Up").click()
  await frame.getByText("Create Account").first().waitFor()
}

const ignite: Walk = async ({ frame }) => {
  await frame.getByText("Tap to log in!").click()
  await frame.getByText("Your app, almost ready for launch!").waitFor()
}

/** The phone's own tabs, and what is shown once a motion of Reanimated's is over. */
const nativeTabs =
  (home: string): Walk =>
  async ({ frame }) => {
    const explore = frame.getByRole("tab", { name: "Explore" })
    await explore.click()
    await frame.getByText("File-based routing").click()
    assert.strictEqual(await explore.getAttribute("aria-selected"), "true")
    await frame.getByText(home).waitFor({ state: "hidden" })
    await frame.getByRole("tab", { name: "Home" }).click()
    await frame.getByText(home).waitFor()
  }

/** Tabs of which each has such an icon. */
const withIcons =
  (icon: string, home: string): Walk =>
  async (app) => {
    const tabs = app.frame.getByRole("tab")
    await tabs
      .filter({ has: app.frame.locator(icon) })
      .nth((await tabs.count()) - 1)
      .waitFor()
    await nativeTabs(home)(app)
  }

/** What somebody does first in an app, beyond looking at it; `openApps` has it in words. */
const walks: Readonly<Record<string, Walk>> = {
  // expo-router: tabs and a stack, by files.
  tabs: async ({ frame }) => {
    await frame.getByRole("heading", { name: "Tab One" }).waitFor()
    await frame.getByText("Tab Two", { exact: true }).last().click()
    await frame.getByText("app/(tabs)/two.tsx").waitFor()
  },
  default: withIcons("[style*='mask'][style*='url']", "Try editing"),
  router56: nativeTabs("Try editing"),
  ...Object.fromEntries([55, 56, 57, 58].map((sdk) => [`default-${sdk}`, nativeTabs("Try editing")])),
  // Tabs of JavaScript, with haptics and a header that Reanimated moves.
  router54: tab("Explore", "File-based routing"),
  ...Object.fromEntries([52, 53, 54].map((sdk) => [`default-${sdk}`, tab("Explore", "File-based routing")])),
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
  navigation: tab("Tab Two", "screens/two.tsx"),
  stacked: async ({ frame }) => {
    await frame.getByText("Show Details").click()
    await frame.getByText("Showing details for user Dan").waitFor()
    await frame.getByText("Back", { exact: true }).click()
    await frame.getByText("Showing details for user Dan").waitFor({ state: "detached" })
  },
  unistyles: tab("Tab Two", "app/(tabs)/two.tsx"),
  news: registration,
  agent: registration,
  starter: introduction("Ready for Scale"),
  expobase: introduction("Built for Real Projects"),
  social: introduction("Structure That Scales"),
  ignite,
  ignite10: ignite,
  bank: async ({ frame }) => {
    await frame.getByText("Apply", { exact: true }).last().click()
    await frame.getByText("Apply for Banking Products").waitFor()
    await frame.getByText("Logout").first().click()
    await frame.getByText("Sign in to your account").waitFor()
  },
  components: async ({ frame }) => {
    await frame.getByText("Auth", { exact: true }).click()
    await frame.getByText("Normal Login").click()
    await frame.getByText("Authenticated", { exact: true }).waitFor()
  },
  // Its sheets are modals that Reanimated moves.
  gallery: async ({ frame }) => {
    await frame.getByText("Sign in", { exact: true }).click()
    await frame.getByText("Browse the component library").click()
    await frame.getByText("Pick one").click()
    await frame.getByText("Option two").click()
    await frame.getByText("Choose an option").waitFor({ state: "detached" })
    await frame.getByText("Option two").waitFor()
  },
  // Its icons are a font of Expo's, in a bundle of React Native's own command.
  modular: async ({ frame }) => {
    await frame.getByText("Settings").last().click()
    await frame.waitForFunction(() => [...document.fonts].some(({ status }) => status === "loaded"))
    await frame.getByText("About This App").click()
    await frame.getByText("on-device AI models").waitFor()
    await frame.getByText("Close").click()
    await frame.getByText("on-device AI models").waitFor({ state: "detached" })
  },
  // Drizzle on expo-sqlite: migrations, and a query that is run again with each change.
  habits: async ({ frame, page }) => {
    await frame.locator("[data-accessible=true]:has(svg)").first().click()
    await frame.getByPlaceholder("Habit name").click()
    await page.keyboard.type("Read a book")
    await frame.getByPlaceholder("Habit for ...").click()
    await page.keyboard.type("Every day")
    await frame.getByText("Duration", { exact: true }).click()
    await frame.getByText("Submit").click()
    await frame.getByText("Every day").last().waitFor()
  },
  // The tabs of react-native-bottom-tabs.
  bottomtabs: async (app) => {
    await withIcons("[title*='SF Symbol']", "Step 1: Try it")(app)
    const notes: ReadonlyArray<{ readonly what?: string; readonly name?: string }> = await app.frame.evaluate(() =>
      Reflect.get(globalThis, "notes")
    )
    const symbols = notes.flatMap(({ name, what }) => (what === "SF Symbol" ? [name] : []))
    assert.deepStrictEqual(symbols, [
      "house.fill, drawn as home of Ionicons",
      "paperplane.fill, drawn as paper-plane of Ionicons",
      "chevron.left.forwardslash.chevron.right, drawn as code-slash of Ionicons",
      "chevron.right, drawn as chevron-forward of Ionicons"
    ])
  },
  teams: async ({ frame }) => {
    await frame.getByText("Login", { exact: true }).click()
    await frame.getByText("Events", { exact: true }).last().click()
    await frame.getByText("Events Screen").waitFor()
    await frame.getByText("Dashboard", { exact: true }).last().click()
    await frame.getByText("Logout", { exact: true }).click()
    await frame.getByText("Login Screen").waitFor()
  },
  redux: async ({ frame }) => {
    await frame.getByText("Explore").click()
    await frame.getByText("home", { exact: true }).first().waitFor()
  }
}

layer(Chromium.layer)("an open-source app", (it) => {
  it("is there, of those that are kept", () => {
    for (const { isKept, name } of openApps) if (isKept === true) assert.isTrue(isThere(name, "ios"), name)
  })

  it("has a task, where the list has one", () => {
    const named = all.flatMap(({ name, task }) => (task === undefined ? [] : [name]))
    assert.sameMembers(Object.keys(walks), named)
  })

  it.effect.each(
    all.flatMap(({ fails, name, shows }) =>
      (["ios", "android"] as const)
        .filter((platform) => fails === undefined && isThere(name, platform))
        .map((platform) => [name, platform, shows] as const)
    )
  )("%s for %s comes up and is used", ([name, platform, shows]) =>
    Effect.gen(function* () {
      const { app } = yield* openApp(`open-${name}${platform === "android" ? "-android" : ""}`)
      yield* Effect.promise(async () => {
        await app.frame.getByText(shows).first().waitFor()
        await walks[name]?.(app)
      })
    })
  )
})
