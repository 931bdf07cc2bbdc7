/** The API reference at `/docs` in a real browser that is signed in to the viewer. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page, Request, Response } from "playwright-core"
import { embedded } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { readyBuild } from "../http/testing/uploads.ts"
import { Chromium, openSignedIn } from "./testing/chromium.ts"

/** Elements of the reference that would lead people away from the host. */
const away = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>("a[href], button"))
      .filter((one) => one.checkVisibility())
      .filter((one) =>
        one instanceof HTMLAnchorElement
          ? /^https?:/.test(one.href) &&
            !one.href.startsWith(`${location.origin}/`) &&
            getComputedStyle(one).pointerEvents !== "none"
          : /\b(?:share|sdks?|deploy|configure|api client|open in|ask ai|mcp|scalar)\b/i.test(one.innerText) &&
            !one.innerText.includes("/api/")
      )
      .map((one) => one.outerHTML.slice(0, 300))
  )

layer(Layer.mergeAll(TestHost.layer(embedded()), Chromium.layer))("the reference", (it) => {
  it.effect("sends a request with a key, contacts only the host, and can't reach the viewer", () =>
    Effect.gen(function* () {
      const { url } = yield* TestHost
      const account = yield* newAccount()
      const { row } = yield* readyBuild(account)
      const { complaints, context, page } = yield* openSignedIn(account, `${url}/`)
      yield* Effect.promise(async () => {
        await page.evaluate(() => localStorage.setItem("viewer", "its own"))
        assert.isNotEmpty(await context.cookies(url))
        const asked: Array<Promise<{ readonly origin: string; readonly cookie: string | undefined }>> = []
        const look = async (request: Request) => {
          const { cookie } = await request.allHeaders()
          return { origin: new URL(request.url()).origin, cookie: request.isNavigationRequest() ? undefined : cookie }
        }
        context.on("request", (request) => {
          if (/^https?:/.test(request.url())) asked.push(look(request))
        })

        await page.goto(`${url}/docs`)
        await page.getByRole("heading", { name: "Slipway", level: 1 }).waitFor()
        const reach = await page.evaluate(() => {
          const tried = (reach: () => unknown) => {
            try {
              return String(reach())
            } catch (error) {
              return error instanceof Error ? error.name : "thrown"
            }
          }
          return {
            origin: window.origin,
            cookie: tried(() => document.cookie),
            storage: tried(() => localStorage.getItem("viewer")),
            database: tried(() => indexedDB.open("viewer").readyState)
          }
        })
        assert.deepStrictEqual(reach, {
          origin: "null",
          cookie: "SecurityError",
          storage: "null",
          database: "SecurityError"
        })
        assert.deepStrictEqual(await away(page), [])

        await page.getByRole("button", { name: "Read a build by its id" }).first().click()
        const client = page.getByRole("dialog")
        const send = client.getByRole("button", { name: /^Send get request/ })
        // The page renders elements while they scroll into view, and a click on a moving element is lost.
        while (!(await send.isVisible())) {
          await page.getByRole("button", { name: /Test Request.*get \/api\/v1\/builds\/\{id\}/i }).click()
          await send.waitFor({ timeout: 3000 }).catch(() => undefined)
        }
        await client.locator(".cm-content").nth(1).fill(row.id) // the value of `id`
        await client.getByPlaceholder("Token").fill(account.key)
        await client.getByPlaceholder("Token").press("Tab")
        // The form processes the input a moment later, so the request is repeated until it contains the id.
        let answer: Response | undefined
        while (answer === undefined) {
          const answered = page
            .waitForResponse((response) => response.url().includes(row.id) && response.ok(), { timeout: 5000 })
            .catch(() => undefined)
          await send.click()
          answer = await answered
        }
        assert.strictEqual((await answer?.request().allHeaders())?.["authorization"], `Bearer ${account.key}`)
        await client.getByText("200 OK").first().waitFor()
        await client.getByText(row.id).last().waitFor()
        assert.deepStrictEqual(await away(page), [])

        // The reference can't read the viewer's pages, and its requests don't carry the viewer's cookie.
        const home = page.evaluate(() => fetch("/", { credentials: "include" }).then((read) => read.text(), String))
        assert.match(await home, /Failed to fetch/)
        assert.isTrue((await Promise.all(asked)).every(({ cookie, origin }) => cookie === undefined && origin === url))
        // A request sent before the form had processed the id is answered 404.
        const known = [`'${url}/'`, "ERR_FAILED", "status of 404"]
        const expected = (complaint: string) => known.some((part) => complaint.includes(part))
        assert.deepStrictEqual(
          complaints.filter((complaint) => !expected(complaint)),
          []
        )
      })
    })
  )
})
