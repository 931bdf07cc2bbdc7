import type { Browser } from "playwright-core"

/** How a list scrolled. */
export interface Scrolled {
  readonly framesPerSecond: number
  /** The longest that a place of the list showed no row, in milliseconds. */
  readonly longestBlank: number
  readonly seconds: number
  /** The part of that time in which the page was busy, by the processor: how much there is left, whatever else runs here. */
  readonly busy: number
}

/** Scrolls through all of the 10,000 rows of an app, at so many points a second, and looks at each frame. */
export const scrollThroughRows = async (browser: Browser, url: string, speed: number): Promise<Scrolled> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  try {
    await page.goto(url)
    // The phone has the whole tour, whose list is one of its stations.
    const [station, first] = [page.getByTestId("station-list"), page.getByTestId("row-0")]
    await station.or(first).waitFor()
    if (await station.isVisible()) await station.click()
    await first.waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    const worked = async () => {
      const { metrics } = await session.send("Performance.getMetrics")
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN
    }
    const before = await worked()
    const scrolled = await page.getByTestId("list").evaluate(
      (list, speed) =>
        new Promise<Omit<Scrolled, "busy">>((resolve) => {
          const { bottom, left, top } = list.getBoundingClientRect()
          const places = Array.from({ length: 12 }, (_, index) => top + ((index + 0.5) * (bottom - top)) / 12)
          const isRow = (y: number) =>
            document.elementFromPoint(left + 40, y)?.closest("[data-testid^=row-], [data-testid=footer]") !== null
          const blankSince = places.map(() => Number.NaN)
          const began = performance.now()
          let [frames, longestBlank] = [0, 0]
          const step = (now: number) => {
            frames += 1
            for (const [index, y] of places.entries()) {
              if (isRow(y)) blankSince[index] = Number.NaN
              else if (Number.isNaN(blankSince[index])) blankSince[index] = now
              else longestBlank = Math.max(longestBlank, now - (blankSince[index] ?? now))
            }
            const end = list.scrollHeight - list.clientHeight
            if (list.scrollTop >= end - 1) {
              const seconds = (now - began) / 1000
              resolve({ framesPerSecond: frames / seconds, longestBlank, seconds })
              return
            }
            list.scrollTop = Math.min(end, ((now - began) / 1000) * speed)
            requestAnimationFrame(step)
          }
          requestAnimationFrame(step)
        }),
      speed
    )
    return { ...scrolled, busy: ((await worked()) - before) / scrolled.seconds }
  } finally {
    await page.close()
  }
}
