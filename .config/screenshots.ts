/**
 * Takes the pictures of the README and of docs/pages.md from the demo: `node .config/screenshots.ts`. It needs a Chromium
 * (`CHROMIUM`, else `/usr/bin/chromium`) and the fonts of Debian's fonts-noto-core. Look at the pictures before committing them.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
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
} finally {
  await browser.close()
  await demo.stop()
}
