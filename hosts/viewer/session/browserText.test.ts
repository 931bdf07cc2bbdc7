import { assert, it } from "@effect/vitest"
import { browserText } from "./browserText.ts"

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"
const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const iPad = "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const android = "Mozilla/5.0 (Linux; Android 10; K)"
const linux = "Mozilla/5.0 (X11; Linux x86_64)"

it("recognises browsers and systems by their User-Agent", () => {
  const texts = {
    [`${windows} ${webKit} Chrome/141.0.0.0 Safari/537.36`]: "Chrome on Windows",
    [`${windows} ${webKit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`]: "Edge on Windows",
    [`${mac} ${webKit} Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0`]: "Opera on macOS",
    [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`]: "Safari on macOS",
    [`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`]: "Safari on iPhone",
    [`${iPhone} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`]: "Chrome on iPhone",
    [`${iPad} FxiOS/144.0 Mobile/15E148 Safari/605.1.15`]: "Firefox on iPad",
    [`${iPhone} EdgiOS/141.0.0.0 Version/18.0 Mobile/15E148 Safari/604.1`]: "Edge on iPhone",
    [`${android} ${webKit} Chrome/141.0.0.0 Mobile Safari/537.36`]: "Chrome on Android",
    [`${android} ${webKit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`]: "Samsung Internet on Android",
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/141.0.0.0 Safari/537.36`]: "Chrome on ChromeOS",
    [`${linux} ${webKit} HeadlessChrome/141.0.0.0 Safari/537.36`]: "Chrome on Linux",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0": "Firefox on Linux",
    "Mozilla/5.0 (Haiku; rv:144.0) Gecko/20100101 Firefox/144.0": "Firefox"
  }
  for (const [userAgent, words] of Object.entries(texts)) assert.strictEqual(browserText(userAgent), words, userAgent)
})

it("shows an unknown User-Agent, cut to one line", () => {
  assert.strictEqual(browserText("curl/8.16.0"), "curl/8.16.0")
  assert.strictEqual(browserText("x".repeat(512)), `${"x".repeat(59)}…`)
  assert.strictEqual(browserText(undefined), "Unknown browser")
})
