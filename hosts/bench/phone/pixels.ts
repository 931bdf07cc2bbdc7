import type { Browser, Page } from "playwright-core"

/** How much a colour may differ until it is seen: of 255, in any channel. */
const visible = 32

/** The screens of the demo's app, and what leads to each from the one before it. */
const screens: ReadonlyArray<readonly [name: string, lead: (page: Page) => Promise<void>]> = [
  ["slips", async (page) => page.getByText("Corncrake").first().waitFor()],
  [
    "a slip",
    async (page) => {
      await page.locator("[data-testid^=slip-]").first().click()
      await page.getByText("Check out").first().waitFor()
    }
  ],
  ["gate", async (page) => page.getByTestId("tab-gate").click()],
  [
    "gate, counted",
    async (page) => {
      for (let count = 0; count < 7; count += 1) await page.getByTestId("count-up").click()
    }
  ],
  ["settings", async (page) => page.getByTestId("tab-settings").click()],
  ["settings, dark", async (page) => page.getByText("Dark", { exact: true }).click()],
  ["slips, dark", async (page) => page.getByTestId("tab-slips").click()]
]

/** Pictures of each screen, as data URLs. */
const shots = async (browser: Browser, url: string): Promise<ReadonlyArray<string>> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 })
  try {
    await page.goto(url)
    const taken: Array<string> = []
    for (const [, lead] of screens) {
      await lead(page)
      await page.mouse.move(0, 0)
      await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"))
      for (let frame = 0; frame < 3; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame))
      taken.push(`data:image/png;base64,${(await page.screenshot({ animations: "disabled" })).toString("base64")}`)
    }
    return taken
  } finally {
    await page.close()
  }
}

/** How much of each screen differs visibly between two ways to run the demo's app, from 0 to 1. */
export const differences = async (browser: Browser, urls: readonly [native: string, web: string]) => {
  const [native, web] = [await shots(browser, urls[0]), await shots(browser, urls[1])]
  const page = await browser.newPage()
  try {
    return await Promise.all(
      screens.map(async ([name], index) => ({
        name,
        native: native[index] ?? "",
        web: web[index] ?? "",
        differing: await page.evaluate(
          async ({ pair, visible }) => {
            const pixels = await Promise.all(
              pair.map(async (url) => {
                const bitmap = await createImageBitmap(await (await fetch(url)).blob())
                const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
                const context = canvas.getContext("2d")
                context?.drawImage(bitmap, 0, 0)
                return context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray()
              })
            )
            const [one = new Uint8ClampedArray(), other = new Uint8ClampedArray()] = pixels
            let count = 0
            for (let at = 0; at < one.length; at += 4) {
              const isSeen = [0, 1, 2].some((channel) => {
                const [a = 0, b = 0] = [one[at + channel], other[at + channel]]
                return Math.abs(a - b) > visible
              })
              if (isSeen) count += 1
            }
            return (count * 4) / one.length
          },
          { pair: [native[index] ?? "", web[index] ?? ""], visible }
        )
      }))
    )
  } finally {
    await page.close()
  }
}
