/** The native libraries that most apps use, in bundles of their published packages. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type App, boxOf, openApp, textOf, until } from "./testing/App.ts"
import { Chromium } from "./testing/chromium.ts"
import { draws } from "./testing/claims.ts"

/** What a library without a view answers, and what a person chooses meanwhile. */
type Answers = ReadonlyArray<readonly [library: string, answer: string, chosen?: string]>

const useModules = async ({ frame, says, tap }: App, answers: Answers): Promise<void> => {
  for (const [library, answer, chosen] of answers) {
    await tap(library)
    if (chosen !== undefined) await frame.getByRole("button", { name: chosen, exact: true }).click()
    await says("said", `${library}: ${answer}`)
  }
}

const modules: Answers = [
  ["localize", "en string boolean"],
  ["device-info", "3 replay true false"],
  ["netinfo", "wifi true"],
  ["permissions", "denied granted", "Allow"],
  ["permissions", "granted granted"],
  ["clipboard", "halyard false"],
  ["keychain", "ada secret false null"],
  ["fs", "calm sea today.txt 8 true false ENOENT"],
  ["image-picker", "Sunset.jpg 800×600", "Sunset"],
  ["image-picker", "cancelled", "Cancel"],
  ["firebase", "[DEFAULT] -1 [messaging/unknown] NativeRNFBTurboMessaging.getToken is not available in replay."],
  ["share", "true"],
  ["notifee", "Tide 3 -1 0"],
  ["sqlite", "opened"],
  ["op-sqlite", "opened 1"],
  [
    "purchases",
    "false; RNPurchases.logIn is not available in replay.; RNPurchases.getOfferings is not available in replay."
  ],
  ["sentry", "32 true false"],
  ["config", "undefined"],
  ["haptics", "felt"],
  ["bootsplash", "false"],
  ["random values", "true"],
  ["vision-camera", "granted 0"],
  ["absent", "undefined null"],
  ["unknown", "undefined 1 undefined loose Anchor.drop is not available in replay."]
]

/** The rows of a list at an edge of it; each row is where the one before it ends. */
const rowsAt = async ({ at, frame }: App, list: string) => {
  const { height, y } = await boxOf(at(list))
  const rows = await frame.locator("[data-testid^='row ']").evaluateAll((all) =>
    all.map((row) => {
      const place = row.getBoundingClientRect()
      return { row: Number(row.getAttribute("data-testid")?.slice(4)), top: place.top, bottom: place.bottom }
    })
  )
  const { y: page } = await boxOf(frame.locator(":root"))
  const seen = rows
    .filter(({ bottom, top }) => bottom > y - page + 1 && top < y - page + height - 1)
    .toSorted((one, other) => one.top - other.top)
  return { first: seen[0], last: seen.at(-1), seen, top: y - page, bottom: y - page + height }
}

/** Fails unless rows fill a list without a gap. */
const filled = (app: App, list: string): Promise<void> =>
  until(app, async () => {
    const { bottom, first, last, seen, top } = await rowsAt(app, list)
    if (first === undefined || last === undefined) return "no row is seen"
    const gap = seen.find(({ top: from }, n) => n > 0 && Math.abs(from - (seen[n - 1]?.bottom ?? 0)) > 1)
    if (gap !== undefined) return `there is a gap above row ${gap.row}`
    return first.top > top + 1 || last.bottom < bottom - 1
      ? `rows ${first.row} to ${last.row} don't fill it`
      : undefined
  })

const walks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  "fast-image": ({ says }) => says("said", "loaded 40"),
  "linear-gradient": (app) =>
    draws({ backgroundImage: "linear-gradient(90deg, rgb(255, 0, 0) 0px, rgb(0, 0, 255) 390px)" })(app, "gradient"),
  "pager-view": async ({ comesTo, says, tap }) => {
    await says("said", "page 1")
    await tap("third")
    await says("said", "page 2")
    await comesTo("page three", "x", 0, 10)
  },
  "top tabs": async ({ comesTo, frame }) => {
    await comesTo("page deck", "x", 0, 10)
    await frame.getByRole("tab", { name: "Hold" }).click()
    await comesTo("page hold", "x", 0, 10)
  },
  slider: async ({ at, says }) => {
    await at("slider").locator("input").fill("7")
    await says("said", "slid to 7")
  },
  picker: async ({ says, tap }) => {
    await tap("item ketch")
    await says("said", "picked ketch")
  },
  "segmented-control": async ({ frame, says }) => {
    await frame.getByRole("radio", { name: "Starboard" }).click()
    await says("said", "segment Starboard")
  },
  datetimepicker: async ({ at, says }) => {
    await at("date").locator("input").fill("2026-03-17")
    await says("said", "date 2026-03-17")
  },
  "masked-view": async (app) => {
    const mask = () => app.at("beneath").evaluate((drawn) => getComputedStyle(drawn.parentElement ?? drawn).maskImage)
    await until(app, async () => ((await mask()).startsWith("url(") ? undefined : "there is no mask"))
  },
  blur: (app) => draws({ backdropFilter: "blur(4px)" })(app, "blur"),
  webview: async ({ at, frame, says }) => {
    const page = at("page of html").locator("iframe").contentFrame()
    await page.getByText("Ahoy there").waitFor()
    await page.getByRole("button", { name: "Knock" }).click()
    await says("said", "message knock")
    await frame.getByText("Web page: https://example.com/").waitFor()
  },
  lottie: async (app) => {
    const { at, says, tap } = app
    const square = at("animation").locator("svg path[fill='rgb(255,0,0)']")
    const middle = async () => {
      const [inside, around] = [await boxOf(square), await boxOf(at("animation"))]
      return Math.round(inside.x + inside.width / 2 - around.x)
    }
    await until(app, async () => ((await middle()) === 90 ? undefined : `the square is at ${await middle()}`))
    await says("said", "animation finished")
    await at("no animation").getByText("Lottie animation: it has no layers").waitFor()
    await tap("to the left")
    await until(app, async () => ((await middle()) === 10 ? undefined : `the square is at ${await middle()}`))
  },
  video: ({ says }) => says("said", "video failed"),
  maps: async ({ at, says }) => {
    await says("said", "map ready")
    await at("marker").locator("div").click()
    await says("said", "marker pressed")
  },
  unistyles: async (app) => {
    const { at, says, tap } = app
    await says("theme", "day #0a6ebd phone")
    assert.strictEqual((await boxOf(at("boat"))).width, 120)
    await draws({ backgroundColor: "rgb(10, 110, 189)", height: "40px", borderTopWidth: "4px" })(app, "sea")
    await tap("to night")
    await says("theme", "night #04263f phone")
    await draws({ backgroundColor: "rgb(4, 38, 63)", height: "40px" })(app, "sea")
  },
  skia: async (app) => {
    const { at } = app
    const circle = at("canvas").locator("canvas")
    await circle.waitFor()
    await until(app, async () => {
      const color = await circle.evaluate((canvas) => {
        if (!(canvas instanceof HTMLCanvasElement)) return ""
        const middle = canvas.getContext("2d")?.getImageData(0.3 * canvas.width, 0.5 * canvas.height, 1, 1).data
        return String(middle)
      })
      return color === "0,128,128,255" ? undefined : `the circle has the color ${color}`
    })
  },
  "unknown component": async ({ at }) => {
    await at("in capstan").waitFor()
    assert.isAbove((await boxOf(at("in capstan"))).height, 0)
  },
  flashlist: async (app) => {
    await filled(app, "list")
    await until(app, async () => {
      const { first } = await rowsAt(app, "list")
      return first?.row === 300 ? undefined : `row ${first?.row} is the first`
    })
    await app.at("list").hover()
    await app.page.mouse.wheel(0, 6000)
    await until(app, async () =>
      ((await rowsAt(app, "list")).first?.row ?? 0) > 350 ? undefined : "it isn't scrolled"
    )
    await filled(app, "list")
  },
  touchable: async ({ says, tap }) => {
    await tap("touchable")
    await says("said", "touched")
  },
  swipeable: async ({ drag, says, tap }) => {
    await drag("swiped", { x: -150, y: 0 })
    await says("said", "open left")
    await tap("sink")
    await says("said", "sunk")
  },
  stack: async ({ at, comesTo, frame, tap }) => {
    const font = await frame
      .getByRole("heading", { name: "The quay" })
      .evaluate((title) => getComputedStyle(title).fontFamily)
    assert.match(font, /system-ui/)
    await tap("open sheet")
    const sheet = (await boxOf(frame.locator(":root"))).height * 0.6
    await comesTo("in sheet", "y", sheet, 20)
    await at("open sheet").waitFor()
  }
}

layer(Chromium.layer)("native libraries", (it) => {
  it.effect("without a view answer truthfully", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("natives-2026-11")
      yield* Effect.promise(() => useModules(app, modules))
    })
  )

  it.effect("receive push notifications", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("natives-2026-11")
      yield* Effect.promise(async () => {
        const order = (detail: object) =>
          app.frame.evaluate(
            (order) => document.dispatchEvent(new CustomEvent("phone-order", { detail: order })),
            detail
          )
        await order({ kind: "settings", settings: { permissions: "granted" } })
        await app.tap("push")
        await app.says("said", "push runs")
        await order({ kind: "push", json: `{ "notification": { "title": "Tide" }, "data": { "berth": "7" } }` })
        await app.frame.getByRole("button", { name: "Tide" }).click()
        await app.says("said", "push: message Tide, DELIVERED 7, opened 7, PRESS 7")
      })
    })
  )

  it.effect("with a view are drawn and used", () =>
    Effect.gen(function* () {
      const { app, complaints } = yield* openApp("natives-2026-11")
      yield* Effect.promise(async () => {
        for (const [name, walk] of Object.entries(walks)) {
          await app.tap(`show ${name}`)
          await walk(app)
          // A sheet is dismissed by a tap beside it.
          if (name === "stack") await app.page.mouse.click(200, 300)
          await app.tap("back")
        }
      })
      assert.deepStrictEqual(
        complaints.filter((text) => !/example\.com|net::ERR/.test(text)),
        []
      )
    })
  )

  it.effect("of Expo answer truthfully", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("expoNatives-57-11")
      yield* Effect.promise(async () => {
        await useModules(app, [
          ["file-system", "calm sea true today.txt false"],
          ["file-system/legacy", "Skua true 4 false"],
          ["secure-store", "1234 false"],
          ["image-picker", "Forest.jpg 800×600", "Forest"],
          ["camera", "undetermined denied false", "Don’t Allow"],
          ["sqlite", "opened"]
        ])
        assert.include(await textOf(app, "camera view"), "ExpoCamera")
        await draws({ backdropFilter: "blur(10px)" }, ".view")(app, "blur")
      })
    })
  )
})
