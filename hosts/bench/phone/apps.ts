/**
 * `npm run bench:apps [-- --platform android] [--shots FOLDER] [--dark] [--width WIDTH] [NAME...]`: opens each open-source app whose bundle is
 * there in a Chromium, uses it, and writes the platform's table of `hosts/phone/README.md`. `hosts/phone/fixtures/makeOpenApps.ts --all`
 * makes the bundles, with the same `--platform`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Browser, chromium, type Page } from "playwright-core"
import { fixtureOf, type OpenApp, openApps } from "../../phone/fixtures/openApps.ts"
import { readFixture } from "../../phone/fixtures/readFixture.ts"
import type { Note } from "../../phone/runtime/notes.ts"
import { appAt, serve } from "../../phone/testing/pages.ts"
import { viewerFrame } from "./frame.ts"

// Uses an app as somebody does who has never seen it: presses what can be pressed, and counts the screens that it finds.

/** What was found out about an app. */
interface Crawled {
  /** Why it did not start. */
  readonly obstacle?: string
  /** From the end of the download of the bundle to the first drawn frame, where there was one. */
  readonly firstFrameMillis?: number
  readonly screens: number
  readonly presses: number
  readonly errors: ReadonlyArray<string>
  /** The components that are drawn as labelled boxes. */
  readonly boxes: ReadonlyArray<string>
  /** Modules, methods and commands that are missing. */
  readonly missing: ReadonlyArray<string>
}

interface CrawlLimits {
  readonly presses: number
  readonly reloads: number
  readonly startMillis: number
}

interface Pressable {
  readonly label: string
  readonly x: number
  readonly y: number
}

/** Runs in the page: the texts on the screen, and what can be pressed there. */
const look = (): { readonly texts: ReadonlyArray<string>; readonly pressables: ReadonlyArray<Pressable> } => {
  const isOn = ({ height, width, x, y }: DOMRect) =>
    width > 0 && height > 0 && x + width / 2 > 0 && x + width / 2 < innerWidth && y + height / 2 < innerHeight && y >= 0
  const texts = new Set<string>()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.textContent ?? "").trim()
    const around = node.parentElement
    if (text === "" || around === null || around.matches("script,style")) continue
    const box = around.getBoundingClientRect()
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    if (isOn(box) && top !== null && (around.contains(top) || top.contains(around))) texts.add(text)
  }
  const pressables: Array<Pressable> = []
  const candidates = "[data-accessible=true],[role=button],[role=tab],[role=link],[role=menuitem],button"
  for (const element of document.querySelectorAll(candidates)) {
    const box = element.getBoundingClientRect()
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    const top = document.elementFromPoint(x, y)
    if (!isOn(box) || top === null || !element.contains(top) || element.matches("[aria-disabled=true]")) continue
    const name = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? ""
    const label = name === "" ? `at ${Math.round(x)},${Math.round(y)}` : name
    if (!pressables.some((one) => one.label === label)) pressables.push({ label, x, y })
  }
  return { texts: [...texts], pressables }
}

/** Whether most of what two screens show is the same. */
const areAlike = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.intersection(other).size * 2 > one.union(other).size || (one.size === 0 && other.size === 0)

/** Waits until two frames in a row show the same, for a few seconds at most: some screens never stand still. */
const settle = (page: Page) =>
  page.evaluate(async () => {
    const end = performance.now() + 3000
    const frames = (count: number) =>
      new Promise<void>((resolve) => {
        const next = (left: number) => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)))
        next(count)
      })
    for (let before = "", same = 0; same < 3 && performance.now() < end;) {
      await frames(6)
      const now = document.body.innerText + document.querySelectorAll("*").length
      same = now === before ? same + 1 : 0
      before = now
    }
  })

const open = async (page: Page, url: string, startMillis: number): Promise<boolean> => {
  await page.goto(url)
  return page
    .waitForFunction(() => (document.querySelector("#root")?.textContent ?? "").trim() !== "", undefined, {
      timeout: startMillis
    })
    .then(
      () => true,
      () => false
    )
}

/** Opens an app and presses each element once on each screen, as far as the limits allow. */
export const crawl = async (
  browser: Browser,
  url: string,
  { presses: maxPresses, reloads, startMillis }: CrawlLimits,
  picture?: (page: Page, index: number) => Promise<unknown>
): Promise<Crawled> => {
  const page = await browser.newPage(screen)
  const errors = new Set<string>()
  page.on("pageerror", (error) => errors.add(String(error.message).split("\n")[0] ?? ""))
  const notes: Array<Note> = []
  await page.exposeFunction("crawlNote", (note: Note) => notes.push(note))
  await page.addInitScript(() => {
    document.addEventListener("phone-note", (event) => {
      if (event instanceof CustomEvent) void Reflect.get(globalThis, "crawlNote")(event.detail)
    })
  })
  const screens: Array<ReadonlySet<string>> = []
  const tried = new Set<string>()
  let presses = 0
  try {
    const isDrawn = await open(page, url, startMillis)
    if (isDrawn) await settle(page)
    const firstFrameMillis = await page.evaluate(() => {
      const painted = performance.getEntriesByName("first-contentful-paint")[0]?.startTime
      const bundle = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/index.js"))
      return painted !== undefined && bundle instanceof PerformanceResourceTiming
        ? Math.round(painted - bundle.responseEnd)
        : undefined
    })
    const broken = notes.find(({ kind }) => kind === "obstacle" || kind === "crashed")
    const reason = broken !== undefined && "text" in broken ? broken.text.split("\n")[0] : undefined
    const obstacle = reason ?? (isDrawn ? undefined : ([...errors][0] ?? "draws no text"))
    for (let left = obstacle === undefined ? reloads : -1; left >= 0 && presses < maxPresses;) {
      const { pressables, texts } = await page.evaluate(look)
      const seen = new Set(texts)
      const known = screens.findIndex((one) => areAlike(one, seen))
      const screen = known === -1 ? screens.push(seen) - 1 : known
      if (known === -1) await picture?.(page, screen)
      const next = pressables.find(({ label }) => !tried.has(`${screen} ${label}`))
      if (next === undefined) {
        // Nothing is left here: somewhere that was reached before there may be.
        if (left === 0 || (screen === 0 && left < reloads && presses === 0)) break
        left -= 1
        if (!(await open(page, url, startMillis))) break
      } else {
        tried.add(`${screen} ${next.label}`)
        presses += 1
        await page.mouse.click(next.x, next.y)
      }
      await settle(page)
    }
    const named = (isBox: boolean) =>
      notes.flatMap((note) => (note.kind === "missing" && (note.what === "component") === isBox ? [note.name] : []))
    const crashes = notes.flatMap((note) => (note.kind === "crashed" ? [note.text.split("\n")[0] ?? ""] : []))
    return {
      ...(obstacle === undefined ? {} : { obstacle }),
      ...(firstFrameMillis === undefined ? {} : { firstFrameMillis }),
      screens: screens.length,
      presses,
      errors: [...new Set([...errors, ...crashes])],
      boxes: [...new Set(named(true))],
      missing: [...new Set(named(false))]
    }
  } finally {
    await page.close()
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    shots: { type: "string" },
    platform: { type: "string", default: "ios" },
    dark: { type: "boolean", default: false },
    width: { type: "string", default: "390" }
  }
})
const platform = values.platform === "android" ? "android" : "ios"
const screen = {
  viewport: { width: Number(values.width), height: 844 },
  colorScheme: values.dark ? "dark" : "light"
} as const
const limits = { presses: 12, reloads: 2, startMillis: 60_000 }

const frame = await viewerFrame()
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const { shots } = values
if (shots !== undefined) mkdirSync(shots, { recursive: true })

const results = new Map<string, Crawled>()
try {
  for (const { name } of openApps) {
    const file = fixtureOf(name, platform)
    const isWanted = positionals.length === 0 || positionals.includes(name)
    if (!isWanted || !existsSync(file)) continue
    const { stop, url } = await serve(new Map(appAt("/app", readFixture(file), frame)))
    const picture =
      shots === undefined
        ? undefined
        : (page: Page, screen: number) => page.screenshot({ path: join(shots, `${name}-${screen}.png`) })
    try {
      const result = await crawl(browser, `${url}/app/`, limits, picture)
      results.set(name, result)
      console.log(name, JSON.stringify(result))
    } finally {
      stop()
    }
  }
} finally {
  await browser.close()
}

/** A list of at most three names, without the prefix that Expo puts before them. */
const few = (names: ReadonlyArray<string>): string => {
  const short = names.map((name) => name.replace(/^ViewManagerAdapter_/, ""))
  return short.length === 0
    ? "none"
    : short.slice(0, 3).join(", ") + (short.length > 3 ? ` and ${short.length - 3} more` : "")
}

const rowOf = ({ name, package: published, task, version }: OpenApp): ReadonlyArray<string> => {
  const result = results.get(name)
  if (result === undefined) return []
  const cells = [`${name}: ${published} ${version}`]
  if (result.obstacle !== undefined)
    cells.push(`no: ${result.obstacle}`, "", few(result.errors), few(result.boxes), "", "")
  else {
    cells.push("yes", `${result.screens}`, few(result.errors), few(result.boxes), `${result.firstFrameMillis ?? ""} ms`)
    cells.push(task ?? "")
  }
  return [`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`]
}

const started = openApps.filter(({ name }) => results.has(name) && results.get(name)?.obstacle === undefined)
const table = [
  `Of ${openApps.length} apps, ${results.size} were tested on ${new Date().toISOString().slice(0, 10)}: ${started.length} start, and the tests do a task in ${started.filter(({ task }) => task !== undefined).length} of them. The others don't start, or are templates with nothing to do.`,
  "",
  "| app | starts | screens | errors | labelled boxes | first frame | task |",
  "| --- | --- | --- | --- | --- | --- | --- |",
  ...openApps.flatMap(rowOf)
].join("\n")

// A part of the list has no table.
if (positionals.length > 0) console.log(table)
else {
  const page = new URL("../../phone/README.md", import.meta.url)
  const [before = "", after = ""] = readFileSync(page, "utf8").split(
    platform === "android"
      ? /(?<=<!-- open-apps-android -->\n)[^]*(?=<!-- \/open-apps-android -->)/
      : /(?<=<!-- open-apps -->\n)[^]*(?=<!-- \/open-apps -->)/
  )
  writeFileSync(page, `${before}${table}\n${after}`)
}
