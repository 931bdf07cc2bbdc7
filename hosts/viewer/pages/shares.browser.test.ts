/** Sharing in a real browser: the owner creates a link, somebody else opens it, then the owner revokes it. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { decodeQR } from "qr/decode.js"
import { layer } from "../../../core/testing/layer.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { Chromium, openPage, openSignedIn } from "../testing/chromium.ts"
import { uploadDemoPreview } from "../testing/demo.ts"
import { registerRun } from "../testing/previews.ts"
import { runAccount } from "../testing/runs.ts"

/** The text that a camera reads from the QR code of a page. */
const scanned = async (page: Page): Promise<string> => {
  const shot = await page.getByRole("img", { name: "The link as a QR code" }).screenshot()
  const blank = await page.context().newPage()
  const { data, height, width } = await blank.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight)
      const drawing = canvas.getContext("2d")
      drawing?.drawImage(image, 0, 0)
      const pixels = drawing?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      return { width: canvas.width, height: canvas.height, data: Array.from(pixels) }
    },
    `data:image/png;base64,${shot.toString("base64")}`
  )
  await blank.close()
  return decodeQR({ width, height, data: Uint8ClampedArray.from(data) })
}

/** Opens the share page, creates a link and returns it. */
const makeLink = async (page: Page): Promise<string> => {
  await page.getByRole("link", { name: "Share", exact: true }).click()
  await page.getByLabel("Expires after").selectOption("1 day")
  await page.getByRole("button", { name: "Make a link" }).click()
  return page.getByLabel("Link", { exact: true }).inputValue()
}

const revoke = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: /^Revoke the link made / }).click()
  await page.getByText("revoked").waitFor()
}

/** All URLs of uploaded content on a page: its frame, media and links. */
const uploadedIn = (page: Page): Promise<ReadonlyArray<string>> =>
  page
    .locator("[src], [href]")
    .evaluateAll((all) =>
      all
        .map(
          (element) => new URL(element.getAttribute("src") ?? element.getAttribute("href") ?? "", location.href).href
        )
        .filter((url) => /\/(?:replay|preview-objects)\//.test(url))
    )

/** Checks that a page is read-only: it has no form, and links only to itself, its files and the home page. */
const assertReadOnly = async (page: Page): Promise<void> => {
  assert.strictEqual(await page.locator("form[action]").count(), 0)
  const own = new URL(page.url()).pathname
  const elsewhere = await page
    .locator("a[href]")
    .evaluateAll((all) => all.map((link) => new URL(link.getAttribute("href") ?? "", location.href).pathname))
  for (const path of elsewhere) {
    assert.isTrue(path === "/" || path.startsWith(own) || path.startsWith("/preview-objects/"), path)
  }
}

/** Loads a page whose link has ended, and the content it linked to. */
const assertEnded = async (page: Page, uploaded: ReadonlyArray<string>): Promise<void> => {
  const answer = await page.reload()
  assert.strictEqual(answer?.status(), 410)
  await page.getByRole("heading", { name: "This link has ended" }).waitFor()
  assert.isAtLeast(uploaded.length, 2)
  for (const url of uploaded) assert.strictEqual((await page.request.get(url)).status(), 403, url)
}

const engines = embedded()

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("sharing in Chromium", (it) => {
  it.effect("a guest without a key uses a shared preview's app until the link is revoked", function* () {
    const account = yield* runAccount
    const preview = yield* uploadDemoPreview(account)
    const owner = yield* openSignedIn(account, preview.url)
    const guest = yield* openPage
    yield* Effect.promise(async () => {
      const link = await makeLink(owner.page)
      assert.match(new URL(link).pathname, /^\/shared\/[0-9A-Za-z]{32}$/)
      for (const colorScheme of ["light", "dark"] as const) {
        await owner.page.emulateMedia({ colorScheme })
        assert.strictEqual(await scanned(owner.page), link)
      }

      const referrers = new Set<string>()
      guest.page.on("request", (request) => referrers.add(request.headers()["referer"] ?? ""))
      await guest.page.goto(link)
      await guest.page.getByRole("heading", { level: 1, name: "Preview of main" }).waitFor()
      await assertReadOnly(guest.page)
      assert.notInclude(await guest.page.content(), account.name)
      const app = guest.page.frameLocator("iframe")
      // Playwright misses what it clicks in a frame that is scaled.
      await guest.page.locator(".setup summary").click()
      await guest.page.getByLabel("Actual size").check()
      await app.getByRole("tab", { name: "Gate" }).click()
      for (let clicks = 0; clicks < 2; clicks++) await app.getByRole("button", { name: "Count up" }).click()
      assert.strictEqual(await app.getByTestId("count").textContent(), "2")
      assert.deepStrictEqual(await guest.context.cookies(), [])
      assert.deepStrictEqual([...referrers], [""])
      assert.deepStrictEqual(guest.complaints, [])

      const uploaded = await uploadedIn(guest.page)
      for (const url of uploaded) assert.strictEqual((await guest.page.request.get(url)).status(), 200, url)
      await revoke(owner.page)
      await assertEnded(guest.page, uploaded)
    })
  })

  it.effect("a run is shared with its trace, and nothing beside it", function* () {
    const account = yield* runAccount
    const preview = yield* uploadDemoPreview(account)
    const run = yield* registerRun(account, {
      previewShareId: preview.shareId,
      name: "Settings",
      status: "failed",
      failureMessage: "feet not found"
    })
    const owner = yield* openSignedIn(account, run.traceUrl)
    const guest = yield* openPage
    yield* Effect.promise(async () => {
      const link = await makeLink(owner.page)
      await guest.page.goto(link)
      await guest.page.getByText("feet not found").first().waitFor()
      await assertReadOnly(guest.page)
      const media = guest.page.waitForResponse(/\/preview-objects\//)
      await guest.page.reload()
      const [url, status] = await media.then((answer) => [answer.url(), answer.status()] as const)
      assert.strictEqual(status, 200)
      assert.strictEqual((await guest.page.goto(preview.url))?.status(), 401)
      assert.strictEqual((await guest.page.goto(run.traceUrl))?.status(), 401)
      await guest.page.goto(link)
      await revoke(owner.page)
      await assertEnded(guest.page, [url, ...(await uploadedIn(guest.page))])
    })
  })
})
