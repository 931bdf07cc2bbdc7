/** The API reference at `/docs` in a real browser that is signed in to the viewer. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Request } from "playwright-core"
import { layer } from "../../core/testing/layer.ts"
import { embedded } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { readyBuild } from "../http/testing/uploads.ts"
import { Chromium, openSignedIn } from "./testing/chromium.ts"

layer(Layer.mergeAll(TestHost.layer(embedded()), Chromium.layer))("the reference", (it) => {
  it.effect("sends a request with a key, contacts only the host, and can't reach the viewer", function* () {
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
      await page.getByRole("heading", { name: "API reference", level: 1 }).waitFor()
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
        storage: "SecurityError",
        database: "SecurityError"
      })

      await page.getByLabel("Key", { exact: true }).fill(account.key)
      await page.getByText("Read a build by its id").click()
      const operation = page.locator('[id="builds.read"]')
      await operation.getByLabel("id (path, required)").fill(row.id)
      const answered = page.waitForResponse((response) => response.url().includes(row.id))
      await operation.getByRole("button", { name: "Send" }).click()
      const answer = await answered
      assert.strictEqual((await answer.request().allHeaders())["authorization"], `Bearer ${account.key}`)
      await operation.getByText("200 OK").waitFor()
      await operation.getByText(`"id": "${row.id}"`).waitFor()

      // The reference can't read the viewer's pages, and its requests don't carry the viewer's cookie.
      const home = page.evaluate(() => fetch("/", { credentials: "include" }).then((read) => read.text(), String))
      assert.match(await home, /Failed to fetch/)
      assert.isTrue((await Promise.all(asked)).every(({ cookie, origin }) => cookie === undefined && origin === url))
      const known = [`'${url}/'`, "ERR_FAILED"]
      const expected = (complaint: string) => known.some((part) => complaint.includes(part))
      assert.deepStrictEqual(
        complaints.filter((complaint) => !expected(complaint)),
        []
      )
    })
  })
})
