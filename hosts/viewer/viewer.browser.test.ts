/** The viewer in a real browser: a build runs there, and what runs reaches nothing of who looks at it. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { layer } from "../../core/testing/layer.ts"
import { embedded } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import type { Page } from "playwright-core"
import { Chromium, openPage, openSignedIn, signInAt } from "./testing/chromium.ts"
import { uploadDemo } from "./testing/demo.ts"

/** What the code of a build can see and reach from its frame. */
const reachFrom = (page: Page, paths: ReadonlyArray<string>) =>
  page
    .frames()
    .find((frame) => frame.url().includes("/replay/"))
    ?.evaluate(async (asked) => {
      const look = (read: () => unknown): string => {
        try {
          return `saw ${String(read())}`
        } catch (error) {
          return error instanceof Error ? error.name : "thrown"
        }
      }
      const ask = (path: string, init: RequestInit): Promise<string> =>
        fetch(path, init).then(
          async (response) => `${response.type} ${await response.text()}`,
          (error: unknown) => (error instanceof Error ? error.name : "thrown")
        )
      const popUp = look(() => window.open("/") !== null)
      const asking = asked.flatMap((path) => [
        ask(path, { credentials: "include" }),
        ask(path, { credentials: "include", mode: "no-cors" }),
        ask(path, { method: "POST", mode: "no-cors", credentials: "include" })
      ])
      return {
        origin: self.origin,
        cookie: look(() => document.cookie),
        localStorage: look(() => localStorage.length),
        parent: look(() => parent.document.body.innerHTML),
        top: look(() => ((top ?? self).location.href = "/sign-in")),
        popUp,
        answers: await Promise.all(asking)
      }
    }, paths)

/** Another site, whose pages frame whatever their query names. */
const framingSite = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => {
      const framed = decodeURIComponent(request.url?.split("?")[1] ?? "")
      response.setHeader("content-type", "text/html")
      response.end(`<iframe src="${framed}"></iframe>`)
    })
    return { server, url: `http://127.0.0.1:${await listen(server)}/` }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })
).pipe(Effect.map(({ url }) => url))

const uploaded = Effect.gen(function* () {
  const account = yield* newAccount()
  return { account, row: yield* uploadDemo(account) }
})

/** A build of the demo app, made once for all tests. */
class Demo extends Context.Service<Demo, Effect.Success<typeof uploaded>>()("slipway/hosts/viewer/test/Demo") {
  static readonly layer = Layer.effect(Demo, Effect.orDie(uploaded))
}

layer(Layer.provideMerge(Demo.layer, Layer.merge(TestHost.layer(embedded()), Chromium.layer)))(
  "the viewer in Chromium",
  (it) => {
    it.effect("a build of the demo app runs on its page", function* () {
      const { account, row } = yield* Demo
      const { complaints, page } = yield* openPage
      yield* Effect.promise(async () => {
        await page.goto(row.url)
        assert.strictEqual(await page.title(), "Sign in · Slipway")
        complaints.length = 0 // Chromium complains about the 401 that the sign-in page is here.
        await page.getByLabel("API key").fill(account.key)
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: `build of ${row.branch}` }).waitFor()
        assert.strictEqual(page.url(), row.url)

        const app = page.frameLocator("iframe")
        const slips = app.getByTestId("slips")
        await slips.getByRole("button", { name: /slip/i }).first().waitFor()
        assert.isAbove(await slips.getByRole("button", { name: /, slip / }).count(), 3)
        await app.locator("img").first().waitFor({ state: "attached" })
        const images = await app.locator("img").evaluateAll((all) =>
          Promise.all(
            all.map(async (image) => {
              if (!(image instanceof HTMLImageElement)) return 0
              await image.decode()
              return image.naturalWidth
            })
          )
        )
        assert.isNotEmpty(images)
        assert.isAbove(Math.min(...images), 0)

        // Playwright misses what it clicks in a frame that is scaled.
        await page.locator(".setup summary").click()
        await page.getByLabel("Actual size").check()
        await app.getByRole("tab", { name: "Gate" }).click()
        for (let clicks = 0; clicks < 3; clicks++) await app.getByRole("button", { name: "Count up" }).click()
        assert.strictEqual(await app.getByTestId("count").textContent(), "3")
      })
      assert.deepStrictEqual(complaints, [])
    })

    it.effect("a build runs at another name of the host too", function* () {
      const { account, row } = yield* Demo
      const { complaints, page } = yield* openSignedIn(account, row.url.replace("127.0.0.1", "localhost"))
      yield* Effect.promise(async () => {
        await page.frameLocator("iframe").getByTestId("slips").waitFor()
      })
      assert.deepStrictEqual(complaints, [])
    })

    it.effect("what a build runs reaches nothing of who looks at it", function* () {
      const host = yield* TestHost
      const { account, row } = yield* Demo
      const { context, page } = yield* openSignedIn(account, row.url)
      yield* Effect.promise(async () => {
        await page.frameLocator("iframe").getByTestId("slips").waitFor()
        assert.lengthOf(await context.cookies(), 1)
        const reach = await reachFrom(page, [
          `${host.url}/api/v1/builds/${row.id}`,
          `${host.url}/builds/${row.id}`,
          `${host.url}/`,
          `${host.url}/sign-out`
        ])
        assert.deepStrictEqual(reach, {
          origin: "null",
          cookie: "SecurityError",
          localStorage: "saw 0",
          parent: "SecurityError",
          top: "SecurityError",
          popUp: "saw false",
          answers: Array.from({ length: 12 }, () => "TypeError")
        })
        assert.strictEqual(page.url(), row.url)
        await page.reload()
        await page.getByText(account.name).first().waitFor()
      })
    })

    it.effect("a replay is no page of its own", function* () {
      const { account, row } = yield* Demo
      const { page } = yield* openSignedIn(account, row.url)
      yield* Effect.promise(async () => {
        const frame = new URL((await page.locator("iframe").getAttribute("src")) ?? "", row.url).href
        for (const url of [frame, `${frame}index.js`]) {
          const answer = await page.goto(url)
          assert.strictEqual(answer?.status(), 403)
          assert.match((await answer?.headerValue("content-security-policy")) ?? "", /^sandbox/)
          await page.getByText("Uploaded apps run on a page of the viewer").waitFor()
        }
      })
    })

    it.effect("a page that opens one of the viewer's learns nothing of it", function* () {
      const { account, row } = yield* Demo
      const { context, page } = yield* openPage
      const elsewhere = yield* framingSite
      yield* Effect.promise(async () => {
        await signInAt(page, row.url, account.key)
        const other = await context.newPage()
        await other.goto(elsewhere)
        const opening = context.waitForEvent("page")
        const opened = await other.evaluateHandle((url) => window.open(url), row.url)
        await (await opening).locator("iframe").waitFor()
        // The browser tells the opener a moment after the page is there.
        await other.waitForFunction((one) => one?.closed === true, opened)
        assert.strictEqual(await opened.evaluate((one) => one?.length), 0)
      })
    })

    it.effect("only the viewer's own pages may frame a replay, and nobody the viewer's pages", function* () {
      const { account, row } = yield* Demo
      const { page } = yield* openPage
      const framing = yield* framingSite
      yield* Effect.promise(async () => {
        await signInAt(page, row.url, account.key)
        const frame = new URL((await page.locator("iframe").getAttribute("src")) ?? "", row.url).href
        for (const url of [frame, row.url]) {
          const complaint = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"))
          await page.goto(`${framing}?${encodeURIComponent(url)}`)
          assert.include((await complaint).text(), new URL(url).origin)
        }
      })
    })
  }
)
