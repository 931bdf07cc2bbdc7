/**
 * Takes the pictures of the README and of `docs` from the demo: `node .config/screenshots.ts`. It needs a Chromium
 * (`CHROMIUM`, else `/usr/bin/chromium`) and the fonts of Debian's fonts-noto-core. Look at the pictures before committing them.
 */
import { marked } from "marked"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Browser, type Page } from "playwright-core"
import { signInAt } from "../hosts/viewer/testing/chromium.ts"
import { waitForState } from "../hosts/viewer/testing/app.ts"

const root = join(import.meta.dirname, "..")
const folder = join(root, "hosts/viewer/screenshots")

/**
 * Starts the demo on a new data folder. Returns the summary that it prints, by the names in its table, and a function
 * that stops it.
 */
const startDemo = async () => {
  const data = mkdtempSync(join(tmpdir(), "slipway-screenshots-"))
  const args = [join(root, "hosts/demo/main.ts"), "--port", "0", "--data", data]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (said.includes("Serving until Ctrl-C.")) break
  }
  return {
    printed: (name: string): string => new RegExp(`^ +${name} +(\\S+)`, "m").exec(said)?.[1] ?? "",
    stop: async () => {
      child.kill("SIGINT")
      await once(child, "exit")
      rmSync(data, { recursive: true, force: true })
    }
  }
}

/** Every picture is loaded, and every video shows the frame of its moment. */
const isDrawn = () =>
  Array.from(document.images, ({ complete, hidden }) => complete || hidden).every(Boolean) &&
  Array.from(document.querySelectorAll("video")).every(({ readyState, seeking }) => readyState >= 2 && !seeking)

/** Takes a picture of what is visible of a page, as WebP. */
const take = async (page: Page, name: string) => {
  await page.waitForFunction(isDrawn)
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 80 })
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"))
}

/** Waits until the app in the page's frame runs and its pictures are loaded. */
const appRuns = async (page: Page) => {
  await waitForState(page, "Running")
  await page.frameLocator("iframe").getByText("Kilvarra Harbour").first().waitFor()
  await page.frames().at(-1)?.waitForFunction(isDrawn)
}

/** A picture of an emoji. */
const mark = (fill: string, path: string, stroke: string): string =>
  `<svg width="18" height="18" style="vertical-align:-3px"><rect width="18" height="18" rx="3" fill="${fill}"/>` +
  `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="3"/></svg>`

/** The comment that `slipway-ci` writes for the pull request of the demo, as HTML. */
const commentOf = (printed: (name: string) => string): string => {
  const env = {
    ...process.env,
    SLIPWAY_URL: printed("host"),
    SLIPWAY_KEY: printed("sign in with"),
    SLIPWAY_OWNER: "slipway",
    SLIPWAY_REPO: "harbour",
    SLIPWAY_BRANCH: "feature/shore-power-first",
    SLIPWAY_COMMIT: "b0a7f001b0a7f001b0a7f001b0a7f001b0a7f001",
    SLIPWAY_SOURCE: "demo:4261/1",
    SLIPWAY_PR: "7",
    SLIPWAY_BASE: "main"
  }
  const args = [join(root, "hosts/ci/main.ts"), "comment", "--format", "markdown"]
  const markdown = execFileSync(process.execPath, args, { env, encoding: "utf8" })
  // GitHub shortens a commit. Few machines that take screenshots have a font of emojis.
  return marked
    .parse(markdown.replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/, "$1"), { async: false })
    .replaceAll("❌", mark("none", "M3 3L15 15M15 3L3 15", "#d1242f"))
    .replaceAll("✅", mark("#1a7f37", "M4 9.5L7.5 13L14 5.5", "#fff"))
}

type Scheme = "light" | "dark"

const frameColors = {
  light: "--text:#1f2328;--muted:#59636e;--line:#d1d9e0;--back:#fff;--head:#f6f8fa;--link:#0969da",
  dark: "--text:#f0f6fc;--muted:#9198a1;--line:#3d444d;--back:#0d1117;--head:#151b23;--link:#4493f8"
} as const

const frameStyle = `
  body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 "Noto Sans", system-ui, sans-serif }
  .comment { border: 1px solid var(--line); border-radius: 6px; background: var(--back) }
  .comment > header { background: var(--head); border-bottom: 1px solid var(--line); padding: 8px 16px; color: var(--muted) }
  .comment > div { padding: 4px 16px 12px } h3 { margin: 10px 0 } p { margin: 10px 0 } ul { padding-left: 1.6em; margin: 10px 0 }
  a { color: var(--link) } summary { color: var(--text) } details { margin: 10px 0 } code { font-size: 13px }
  .chain { display: flex; gap: 14px; padding: 10px; align-items: flex-start } figure { margin: 0 } .arrow { font-size: 34px; align-self: center; color: var(--muted) }
  figcaption { font-weight: 600; margin: 0 0 8px; font-size: 17px } .chain img { border: 1px solid var(--line); border-radius: 6px; display: block }
  .chain .comment { width: 400px }
`

const framed = (scheme: Scheme, content: string): string =>
  `<!doctype html><html style="${frameColors[scheme]}"><style>${frameStyle}</style><body>${content}</body></html>`

const commentCard = (html: string): string =>
  `<div class="comment"><header><b>github-actions</b> bot commented</header><div>${html}</div></div>`

/** The comment, the app and the failed step beside each other, as the README shows them. */
const takeChain = async (browser: Browser, printed: (name: string) => string, comment: string, scheme: Scheme) => {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width: 1280, height: 1000 } })
  const page = await context.newPage()
  await signInAt(page, printed("preview"), printed("sign in with"))
  await appRuns(page)
  const app = await page.locator("iframe").first().screenshot()
  await page.setViewportSize({ width: 640, height: 900 })
  await page.goto(printed("maestro failed"))
  await page.locator('.step[aria-current="step"]').waitFor()
  await page.waitForFunction(isDrawn)
  const failure = await page.screenshot()
  await context.close()

  const sheet = await browser.newPage()
  const picture = (name: string, bytes: Buffer, width: number) =>
    `<figure><figcaption>${name}</figcaption><img width="${width}" src="data:image/png;base64,${bytes.toString("base64")}"></figure>`
  await sheet.setViewportSize({ width: 1180, height: 600 })
  await sheet.setContent(
    framed(
      scheme,
      `<div class="chain"><figure><figcaption>1. The comment on the pull request</figcaption>${commentCard(comment)}</figure>
      <span class="arrow">→</span>${picture("2. The app, in the browser", app, 246)}
      <span class="arrow">→</span>${picture("3. The step that failed", failure, 380)}</div>`
    )
  )
  await sheet.setViewportSize({ width: 1180, height: await sheet.evaluate(() => document.body.scrollHeight) })
  await take(sheet, `chain-${scheme}`)
  await sheet.setContent(framed(scheme, `<div style="padding:10px">${commentCard(comment)}</div>`))
  await sheet.setViewportSize({ width: 680, height: 200 })
  await sheet.setViewportSize({ width: 680, height: await sheet.evaluate(() => document.body.scrollHeight) })
  await take(sheet, `comment-${scheme}`)
  await sheet.close()
}

const demo = await startDemo()
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"]
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await signInAt(page, demo.printed("build page"), demo.printed("sign in with"))
  await appRuns(page)
  await take(page, "build")

  await page.setViewportSize({ width: 1280, height: 960 })
  await page.goto(demo.printed("maestro failed"))
  await page.locator('.step[aria-current="step"]').waitFor()
  await take(page, "trace")

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole("link", { name: "Compare with the last one that passed" }).click()
  await page.locator(".pairs [aria-current]").waitFor()
  await page.locator(".differences rect").first().waitFor()
  await take(page, "compare")

  await page.goto(demo.printed("preview"))
  await appRuns(page)
  await take(page, "native")

  const comment = commentOf(demo.printed)
  await takeChain(browser, demo.printed, comment, "light")
  await takeChain(browser, demo.printed, comment, "dark")
} finally {
  await browser.close()
  await demo.stop()
}
