import type { Locator } from "playwright-core"
import { type App, boxOf, until } from "./App.ts"

/** Checks that a property has its effect, by the element with this `testID`. */
export type Claim = (app: App, testID: string) => Promise<void>

/** A property that does something else than on a phone, or nothing. */
interface Otherwise {
  readonly otherwise: string
}

/** Each property of one screen, and what it comes to. */
export type Table = Readonly<Record<string, Claim | Otherwise>>

/** The colours that the app of properties has, as a browser says them. */
export const red = "rgb(255, 0, 0)"
export const lime = "rgb(0, 255, 0)"

export const otherwise = (reason: string): Otherwise => ({ otherwise: reason })

const part = ({ at }: App, testID: string): Locator => at(testID).first()

export const shown: Claim = (app, testID) => part(app, testID).waitFor()

export const attached: Claim = (app, testID) => part(app, testID).waitFor({ state: "attached" })

export const hidden: Claim = (app, testID) => part(app, testID).waitFor({ state: "hidden" })

type Wanted = Readonly<Record<string, string | RegExp>>

const fits = (seen: string, wanted: string | RegExp): boolean =>
  typeof wanted === "string" ? seen === wanted : wanted.test(seen)

const differing = (seen: Readonly<Record<string, string>>, wanted: Wanted): string | undefined => {
  const wrong = Object.entries(wanted).filter(([name, one]) => !fits(seen[name] ?? "", one))
  return wrong.length === 0
    ? undefined
    : wrong.map(([name, one]) => `${name} is ${seen[name]} and not ${String(one)}`).join(", ")
}

/** Its style as the browser has computed it; of an element within it where a selector is given. */
export const draws =
  (wanted: Wanted, within?: string, pseudo?: string): Claim =>
  (app, testID) =>
    until(app, async () => {
      const seen = await part(app, testID).evaluate(
        (element, [names, selector, before]) => {
          const one = selector === null ? element : element.querySelector(selector)
          if (one === null) return {}
          const style = getComputedStyle(one, before)
          return Object.fromEntries(names.map((name) => [name, String(Reflect.get(style, name))]))
        },
        [Object.keys(wanted), within ?? null, pseudo ?? null] as const
      )
      return differing(seen, wanted)
    })

/** Its attributes. */
export const has =
  (wanted: Wanted, within?: string): Claim =>
  (app, testID) =>
    until(app, async () => {
      const seen = await part(app, testID).evaluate(
        (element, [names, selector]) => {
          const one = selector === null ? element : element.querySelector(selector)
          return Object.fromEntries(names.map((name) => [name, one?.getAttribute(name) ?? "missing"]))
        },
        [Object.keys(wanted), within ?? null] as const
      )
      return differing(seen, wanted)
    })

/** Its fields as the document has them, such as `value` or `scrollTop`. */
export const holds =
  (wanted: Readonly<Record<string, string | number | boolean>>): Claim =>
  (app, testID) =>
    until(app, async () => {
      const seen = await part(app, testID).evaluate(
        (element, names) => Object.fromEntries(names.map((name) => [name, String(Reflect.get(element, name))])),
        Object.keys(wanted)
      )
      return differing(seen, Object.fromEntries(Object.entries(wanted).map(([name, one]) => [name, String(one)])))
    })

/** Whether it has the keyboard. */
export const focused =
  (wanted = true): Claim =>
  (app, testID) =>
    until(app, async () => {
      const seen = await part(app, testID).evaluate((element) => element === document.activeElement)
      return seen === wanted ? undefined : `it ${seen ? "has" : "doesn’t have"} the keyboard`
    })

/** Its text. */
export const reads =
  (wanted: string | RegExp): Claim =>
  (app, testID) =>
    until(app, async () => {
      const seen = (await part(app, testID).textContent()) ?? ""
      return fits(seen, wanted) ? undefined : `it reads ${seen} and not ${String(wanted)}`
    })

/** As {@link draws}, of one property. */
export const side = (name: string, value: string): Claim => draws({ [name]: value })

/** How large it is, in points. */
export const measures =
  (width: number | undefined, height: number | undefined): Claim =>
  (app, testID) =>
    until(app, async () => {
      const box = await boxOf(part(app, testID))
      const isRight =
        (width === undefined || Math.abs(box.width - width) < 1) &&
        (height === undefined || Math.abs(box.height - height) < 1)
      return isRight ? undefined : `it is ${box.width}×${box.height} and not ${width}×${height}`
    })

/** Where it is in another, in points. */
export const stands =
  (around: string, x: number | undefined, y: number | undefined, width?: number, height?: number): Claim =>
  (app, testID) =>
    until(app, async () => {
      const [outer, inner] = [await boxOf(part(app, around)), await boxOf(part(app, testID))]
      const seen = [inner.x - outer.x, inner.y - outer.y, inner.width, inner.height]
      const wanted = [x, y, width, height]
      const isRight = wanted.every((one, at) => one === undefined || Math.abs(one - (seen[at] ?? 0)) < 1)
      return isRight ? undefined : `it is at ${seen.join()} and not ${wanted.join()}`
    })

/** Its transformation, as the six numbers of a plane. */
export const transforms =
  (...wanted: ReadonlyArray<number>): Claim =>
  (app, testID) =>
    until(app, async () => {
      const seen = await part(app, testID).evaluate((element) => {
        const { a, b, c, d, e, f } = new DOMMatrix(getComputedStyle(element).transform)
        return [a, b, c, d, e, f]
      })
      return wanted.every((one, at) => Math.abs(one - (seen[at] ?? 0)) < 0.01)
        ? undefined
        : `its transformation is ${seen.join()} and not ${wanted.join()}`
    })

/** The events that the app has reported since the screen was opened. */
const said = async ({ at }: App): Promise<ReadonlyArray<string>> =>
  ((await at("said").textContent()) ?? "").split(" | ")

/** Waits until the app has reported something. */
export const reports =
  (...texts: ReadonlyArray<string>): Claim =>
  (app) =>
    until(app, async () => {
      const all = await said(app)
      const missing = texts.filter((text) => !all.includes(text))
      return missing.length === 0 ? undefined : `it never reported “${missing.join("”, “")}”, but: ${all.join(" | ")}`
    })

/** Checks that the app hasn't reported something so far. */
export const neverReports =
  (text: string): Claim =>
  async (app) => {
    const all = await said(app)
    if (all.includes(text)) throw new Error(`it reported “${text}”`)
  }

/** One after another. */
export const both =
  (...claims: ReadonlyArray<Claim>): Claim =>
  async (app, testID) => {
    for (const claim of claims) await claim(app, testID)
  }

/** The same of another element. */
export const of =
  (testID: string, ...claims: ReadonlyArray<Claim>): Claim =>
  (app) =>
    both(...claims)(app, testID)

export const tap: Claim = (app, testID) => app.tap(testID)

export const tapped = (...texts: ReadonlyArray<string>): Claim => both(tap, reports(...texts))

/** Scrolls it to the middle of the screen, where the keyboard doesn't cover it. */
const toMiddle = (one: Locator): Promise<void> => one.evaluate((element) => element.scrollIntoView({ block: "center" }))

/** Presses the mouse at a place of it, from its upper left corner, whatever lies there. */
export const clickAt =
  (x: number, y: number): Claim =>
  async (app, testID) => {
    const one = part(app, testID)
    // A keyboard that closes may still move it.
    await until(app, async () => {
      await toMiddle(one)
      const before = await boxOf(one)
      await one.evaluate(() => new Promise(requestAnimationFrame))
      return (await boxOf(one)).y === before.y ? undefined : `${testID} moves`
    })
    const box = await boxOf(one)
    await app.page.mouse.click(box.x + x, box.y + y)
  }

export const drag =
  (x: number, y: number): Claim =>
  (app, testID) =>
    app.drag(testID, { x, y })

/** How many frames a wheel is waited for. */
const frames = 60

/**
 * Turns the wheel over it until it has moved: the browser gives a wheel that soon follows another, at the same place of
 * the screen, to what that other one moved.
 */
export const wheel =
  (x: number, y: number): Claim =>
  (app, testID) =>
    until(app, async () => {
      const one = part(app, testID)
      await toMiddle(one)
      const box = await boxOf(one)
      const before = await one.evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])
      await app.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
      await app.page.mouse.wheel(x, y)
      const isMoved = await one.evaluate(
        async (element, [[left, top], most]) => {
          for (let frame = 0; frame < most; frame += 1) {
            if (element.scrollLeft !== left || element.scrollTop !== top) return true
            await new Promise(requestAnimationFrame)
          }
          return false
        },
        [before, frames] as const
      )
      return isMoved ? undefined : "the wheel doesn’t move it"
    })

/** Holds it, does something meanwhile, and lets go. */
export const hold =
  (...meanwhile: ReadonlyArray<Claim>): Claim =>
  async (app, testID) => {
    const one = part(app, testID)
    await one.scrollIntoViewIfNeeded()
    const box = await boxOf(one)
    await app.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await app.page.mouse.down()
    await both(...meanwhile)(app, testID)
    await app.page.mouse.up()
  }

/** Moves the mouse, held or not, to a place of it. */
export const moveTo =
  (x: number, y: number): Claim =>
  async (app, testID) => {
    const box = await boxOf(part(app, testID))
    await app.page.mouse.move(box.x + x, box.y + y, { steps: 3 })
  }

/** Types into it, key by key. */
export const types =
  (...keys: ReadonlyArray<string>): Claim =>
  async (app, testID) => {
    await part(app, testID).focus()
    await focused()(app, testID)
    for (const key of keys) await app.page.keyboard.press(key)
  }
