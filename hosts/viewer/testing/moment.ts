import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"

/** Every part of a page that shows the current moment. */
export interface Moment {
  readonly time: string
  readonly step: string
  readonly event: string
  readonly log: string
  readonly shot: string
  readonly video: number
}

/** The state of a page, read at once so that it is consistent. */
export const momentOf = (page: Page): Promise<Moment> =>
  page.evaluate(() => {
    const text = (selector: string): string => document.querySelector(selector)?.textContent?.trim() ?? ""
    return {
      time: text(".time").split(" / ")[0] ?? "",
      step: text('.step[aria-current="step"] .what'),
      event: text('.events [role="option"][aria-current]'),
      log: text('.log [role="option"][aria-current]'),
      shot: document.querySelector(".shot img:not([hidden])")?.getAttribute("alt") ?? "",
      video: document.querySelector("video")?.currentTime ?? -1
    }
  })

/** Waits until a page shows a moment as it should be, at most for 1,800 of its frames; answers it. */
export const settled = async (page: Page, isThere: (moment: Moment) => boolean): Promise<Moment> => {
  let moment = await momentOf(page)
  for (let frames = 0; frames < 1800 && !isThere(moment); frames += 1) {
    await page.evaluate(() => new Promise(requestAnimationFrame))
    moment = await momentOf(page)
  }
  assert.isTrue(isThere(moment), JSON.stringify(moment))
  return moment
}

/** Whether two times of a video are the same, as far as its frames go. */
export const about = (one: number, other: number): boolean => Math.abs(one - other) < 0.05

/** Whether the video has reached the time of the clock. */
export const isTogether = ({ time, video }: Moment): boolean => about(video, Number(time.split(":")[1]))
