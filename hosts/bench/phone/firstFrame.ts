import type { Browser } from "playwright-core"

/**
 * How long it is from when the bundle has come to when something of the app is on the screen, in milliseconds: what the
 * browser itself says of both.
 */
export const firstFrame = async (browser: Browser, url: string): Promise<number> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  try {
    await page.goto(url)
    await page.getByText("Kilvarra Harbour").waitFor()
    return await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const tell = () => {
            const painted = performance.getEntriesByName("first-contentful-paint")[0]
            const bundle = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/index.js"))
            if (painted === undefined || !(bundle instanceof PerformanceResourceTiming)) requestAnimationFrame(tell)
            else resolve(painted.startTime - bundle.responseEnd)
          }
          tell()
        })
    )
  } finally {
    await page.close()
  }
}
