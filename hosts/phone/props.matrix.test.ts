/**
 * Every property in the documentation of React Native's components, each used by an element of an app, and what it comes
 * to in a replay. React Native's own examples (rn-tester) aren't published; these stand in their place.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type App, openApp } from "./testing/App.ts"
import { Chromium } from "./testing/chromium.ts"
import { draws, focused, measures, stands, type Table } from "./testing/claims.ts"
import { overlays, scrolling, touching } from "./testing/propsOfGestures.ts"
import { fields, texts } from "./testing/propsOfTexts.ts"
import { motion, pictures, views } from "./testing/propsOfViews.ts"

/** What isn't as it should be on one screen. */
const wrongOn = async (app: App, screen: string, table: Table): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = []
  await app.tap(`screen-${screen}`)
  await app.at(`at-${screen}`).waitFor()
  for (const [name, claim] of Object.entries(table)) {
    if (typeof claim !== "function") continue
    try {
      await claim(app, name)
    } catch (error) {
      wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      // What comes after would only wait for what this one left behind.
      break
    }
  }
  await app.tap("back")
  return wrong
}

layer(Chromium.layer)("the properties", (it) => {
  const opened = openApp("props-0.86")

  it.effect("of each component come to what they do on a phone", () =>
    Effect.gen(function* () {
      const { app } = yield* opened
      yield* Effect.promise(async () => {
        for (const [screen, table] of Object.entries(tables)) {
          assert.deepStrictEqual(await wrongOn(app, screen, table), [], screen)
        }
      })
    })
  )

  it("are four fifths of those that are documented, and more", () => {
    const all = Object.values(tables).flatMap((table) => Object.keys(table)).length
    assert.isAbove(all, 500)
    assert.isBelow(differences.length / all, 0.15)
  })

  it.effect("are mirrored in an app that is read from right to left", () =>
    Effect.gen(function* () {
      const { app } = yield* opened
      const { at, says, tap } = app
      yield* Effect.promise(async () => {
        await tap("screen-direction")
        await says("isRTL", "left to right")
        await stands("row", 0, 0)(app, "first")
        await tap("forceRTL")
        await tap("screen-direction")
        await says("isRTL", "right to left")
        await stands("row", 160, 0)(app, "first")
        await stands("row", 110, 0)(app, "second")
        await draws({ borderRightWidth: "3px", borderTopRightRadius: "5px" })(app, "second")
        await draws({ textAlign: "right" })(app, "text: left")
        await draws({ unicodeBidi: "plaintext", textAlign: "start" })(app, "text: hebrew")
        await measures(48, 40)(app, "image")
        await stands("across", 140, 0)(app, "column 0")
        await at("across").hover()
        await app.page.mouse.wheel(-120, 0)
        await stands("across", 140, 0)(app, "column 2")
        await at("input").click()
        await focused()(app, "input")
      })
    })
  )
})

/** Each screen of the app of properties, and what each property there comes to. */
const tables: Readonly<Record<string, Table>> = {
  ...views,
  ...texts,
  ...pictures,
  ...scrolling,
  ...fields,
  ...touching,
  ...overlays,
  ...motion
}

/** Each property that isn't as on a phone, with the reason. */
const differences: ReadonlyArray<readonly [screen: string, property: string, reason: string]> = Object.entries(
  tables
).flatMap(([screen, table]) =>
  Object.entries(table).flatMap(([name, claim]) =>
    typeof claim === "function" ? [] : [[screen, name, claim.otherwise] as const]
  )
)
