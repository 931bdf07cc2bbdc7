import { Effect } from "effect"
import { openApp } from "./openApp.ts"
import { tourWalks } from "./tourWalks.ts"

/** Uses each component and API of React Native by `testID`, in a release bundle of this version. */
export const useTour = Effect.fnUntraced(function* (version: string) {
  const { app, page, turn } = yield* openApp(`tour-${version}`)
  yield* Effect.promise(async () => {
    await app.tap("station-device")
    await app.says("window", "window 390×844 turns 0")
    await turn()
    await app.says("window", "window 844×390 turns 1")
    await turn()
    await app.says("window", "window 390×844 turns 2")
    await app.says("scheme", "scheme light changes 0")
    await page.emulateMedia({ colorScheme: "dark" })
    await app.says("scheme", "scheme dark changes 1")
    await page.emulateMedia({ colorScheme: "light" })
    await app.says("scheme", "scheme light changes 2")
    await app.tap("back")
    for (const [station, walk] of Object.entries(tourWalks)) {
      await app.tap(`station-${station}`)
      await app.at(`at-${station}`).waitFor()
      await walk(app)
      await app.tap("back")
      // A keyboard doesn't outlive its screen.
      await app.frame.getByRole("button", { name: "Close the keyboard" }).waitFor({ state: "detached" })
    }
  })
})
