/** A recording in a real browser. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { layer } from "../../../core/testing/layer.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { type App, appIn, boxOf, until } from "../../phone/testing/App.ts"
import { uploadHarbour } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { registerRun, uploadPreview } from "../testing/previews.ts"

/** A second of silence. A browser detects its real type, whatever the declared one. */
const waveHeader = "52494646641f000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000"
const silence = new Uint8Array(Buffer.concat([Buffer.from(waveHeader, "hex"), Buffer.alloc(8000, 128)]))

const engines = embedded()

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("previews in Chromium", (it) => {
  it.effect("a video plays on its preview's page and by itself", function* () {
    const account = yield* newAccount(["preview_upload"])
    const preview = yield* uploadPreview(
      account,
      { recordings: [{ name: "film.mp4", kind: "video", contentType: "video/mp4", sizeBytes: silence.byteLength }] },
      { recordings: [silence] }
    )
    const { complaints, page } = yield* openSignedIn(account, preview.url)
    yield* Effect.promise(async () => {
      await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
      // The document is requested first, then its player requests the video.
      const played = page.waitForResponse((response) => response.request().resourceType() === "media")
      // A click directly after a scroll can land in the app's frame, which was at this position.
      await page.getByRole("link", { name: "As uploaded film.mp4" }).press("Enter")
      assert.strictEqual((await played).status(), 206)
    })
    assert.deepStrictEqual(complaints, [])
  })
})

// Pages that show what changed by themselves, in a real browser.

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("live pages", (it) => {
  it.effect(
    "home, repository and CI run show a run that is registered while they are open, and keep the focus",
    function* () {
      const { url } = yield* TestHost
      const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
      const { owner, repo } = account
      const { shareId } = yield* uploadPreview(account, { owner, repo })
      const run = (name: string) =>
        registerRun(account, { previewShareId: shareId, name, status: "failed", branch: "main", source: "github:1" })
      yield* run("Log in")
      const repository = String(new URLSearchParams({ owner, repo }))
      const paths = ["/", `/repositories?${repository}&tab=runs`, `/sources?${repository}&source=github:1`]
      const opened = yield* Effect.forEach(paths, (path) => openSignedIn(account, url + path))
      const [home] = opened
      const link = `a[href="/repositories?${repository}"]`
      yield* Effect.promise(async () => home?.page.locator(`main ${link}`).first().focus())
      yield* run("Pay by card")
      yield* Effect.forEach(opened, ({ page }) =>
        Effect.promise(() => page.getByText("Pay by card").first().waitFor({ state: "attached" }))
      )
      const focused = yield* Effect.promise(async () =>
        home?.page.evaluate(() => document.activeElement?.getAttribute("href"))
      )
      assert.strictEqual(focused, `/repositories?${repository}`)
      for (const { complaints } of opened) assert.deepStrictEqual(complaints, [])
    }
  )
})

// Two builds side by side: what is done in one is done in the other, and what differs is lit.

const account = newAccount(["preview_upload"])

const appAt = async (page: Page, side: "left" | "right") => {
  const figure = page.locator(`figure[data-side=${side}]`)
  await figure.locator(".state", { hasText: "Running" }).waitFor()
  await figure.and(page.locator("[data-mirrored]")).waitFor()
  const frame = await (await figure.locator("iframe").elementHandle())?.contentFrame()
  if (frame === null || frame === undefined) throw new Error(`${side} has no frame`)
  return appIn(page, frame)
}

/** How many pixels of a part of the page are lit. */
const litIn = async (page: Page, clip: { x: number; y: number; width: number; height: number }): Promise<number> => {
  const shot = (await page.screenshot({ clip })).toString("base64")
  const blank = await page.context().newPage()
  const lit = await blank.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes]))
    const drawing = new OffscreenCanvas(picture.width, picture.height).getContext("2d")
    drawing?.drawImage(picture, 0, 0)
    const { data } = drawing?.getImageData(0, 0, picture.width, picture.height) ?? { data: [] }
    return [...data].filter((value, index) => index % 4 === 0 && value > 60).length
  }, shot)
  await blank.close()
  return lit
}

/** Waits until the field of each app has this text. */
const bothSay = async (apps: ReadonlyArray<App>, text: string): Promise<void> => {
  for (const app of apps)
    await until(app, async () => {
      const typed = await app.at("officer").inputValue()
      return typed === text ? undefined : `an app has “${typed}”`
    })
}

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("two previews side by side", (it) => {
  it.effect("mirror what is done, list what the other can’t do, and light what differs", function* () {
    const owner = yield* account
    const git = { owner: owner.owner, repo: owner.repo }
    const before = yield* uploadHarbour(owner, undefined, { ...git, branch: "main" })
    const after = yield* uploadHarbour(
      owner,
      (bundle) => bundle.replaceAll("Gate count", "Gate total").replaceAll('testID:"feet"', 'testID:"metres"'),
      { ...git, branch: "rename" }
    )
    const { page } = yield* openSignedIn(owner, after.url)
    yield* Effect.promise(async () => {
      await page.setViewportSize({ width: 1280, height: 1300 })
      // The newest of the default branch is the usual one.
      await page.getByRole("link", { name: "Compare with…" }).click()
      await page.waitForURL(`${after.url}/compare?with=${before.shareId}`)
      const [left, right] = [await appAt(page, "left"), await appAt(page, "right")]
      await left.tap("tab-settings")
      await left.tap("officer")
      await page.keyboard.type("Noor")
      await bothSay([left, right], "Mara QuillNoor")
      // The keyboard stays in the app that is used.
      await page.keyboard.type("s")
      await bothSay([left, right], "Mara QuillNoors")
      await left.tap("metres")
      await page.locator(".ran .failed", { hasText: "Element not found: id metres" }).waitFor()

      await right.tap("tab-slips")
      await left.at("slips").waitFor()
      await right.at("slips").hover()
      await page.mouse.wheel(0, 240)
      await until(left, async () => {
        const top = await left.at("slips").evaluate((list) => list.scrollTop)
        return top === 240 ? undefined : `the left app is scrolled to ${top}`
      })

      await left.tap("tab-gate")
      await right.tap("count-up")
      await left.says("count", "1")
      await left.tap("count-up")
      await right.says("count", "2")
      await page.getByRole("button", { name: "Differences" }).press("Enter")
      const title = await boxOf(left.frame.getByText("Gate total"))
      const count = await boxOf(left.at("count"))
      assert.isAbove(await litIn(page, title), 50)
      assert.strictEqual(await litIn(page, count), 0)
    })
  })

  it.effect("with that of another account, or none, are not found", function* () {
    const owner = yield* account
    const other = yield* newAccount(["preview_upload"])
    const [mine, foreign] = [yield* uploadHarbour(owner), yield* uploadHarbour(other)]
    const { page } = yield* openSignedIn(owner, `${mine.url}/compare`)
    yield* Effect.promise(async () => {
      assert.include(await page.locator("main").textContent(), "There is nothing to compare it with")
      const answers = []
      for (const id of [foreign.shareId, "nothing", "x".repeat(22)]) {
        const answer = await page.goto(`${mine.url}/compare?with=${id}`)
        answers.push([answer?.status(), await page.locator("main").textContent()])
      }
      assert.deepStrictEqual(answers, [answers[1], answers[1], answers[1]])
      assert.strictEqual(answers[1]?.[0], 404)
    })
  })
})
