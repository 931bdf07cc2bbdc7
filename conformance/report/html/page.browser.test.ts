/** The page in a real browser: it loads nothing, fits any screen and is accessible. */
import { assert, layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Chromium } from "../../../hosts/viewer/testing/chromium.ts"
import { fairHosts } from "../../fair/hosts.ts"
import { fairTarget, runTarget } from "../../testing/target.ts"
import { renderBadge, renderJunit } from "../files.ts"
import type { Report } from "../Report.ts"
import { allFailed, hostileTarget } from "../testing.ts"
import { renderHtml } from "../html.ts"

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}

/** A run with every kind of result. */
const mixed: Report = await Effect.gen(function* () {
  const host = yield* Effect.acquireRelease(
    Effect.promise(() => fairHosts["enveloped"]!()),
    ({ stop }) => Effect.promise(stop)
  )
  const { report } = yield* runTarget(fairTarget(host))
  const outcomes = ["failed", "no-answer", "expected-failure", "skipped", "suite-fault"] as const
  const checks = report.checks.map((one, index) => {
    const outcome = outcomes[index]
    return outcome === undefined
      ? one
      : { ...one, outcome, reason: "So it is.", violation: { expected: "This", came: "That" } }
  })
  return { ...report, checks }
}).pipe(Effect.scoped, Effect.runPromise)

/** A part of a report that has everything that a page can show: axe looks at each pair of colours, for which a whole one is too much. */
const partOf = (report: Report): Report => ({
  ...report,
  checks: report.checks.slice(0, 8),
  choices: report.choices.slice(0, 8),
  ledger: report.ledger.slice(0, 8)
})

const hostile: Report = await Effect.flatMap(hostileTarget, (target) =>
  runTarget(target, { only: ["builds.files", "builds.finalize.status", "runs.list.repository-alone"] })
).pipe(
  Effect.map(({ report }) => allFailed(report)),
  Effect.scoped,
  Effect.runPromise
)

/** Opens the page of a report from a file, as somebody does who received the file. */
const opened = Effect.fnUntraced(function* (
  report: Report,
  options: { readonly width: number; readonly colorScheme: "light" | "dark" }
) {
  const browser = yield* Chromium
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "slipway-report-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true }))
  )
  const page = yield* Effect.acquireRelease(
    Effect.promise(() =>
      browser.newPage({ viewport: { width: options.width, height: 900 }, colorScheme: options.colorScheme })
    ),
    (one) => Effect.promise(() => one.close())
  )
  const requests: Array<string> = []
  const complaints: Array<string> = []
  page.on("request", (request) => requests.push(request.url()))
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(String(error)))
  const url = pathToFileURL(join(folder, "report.html")).href
  yield* Effect.promise(async () => {
    await writeFile(join(folder, "report.html"), renderHtml(report))
    await page.goto(url)
  })
  return { page, url, requests, complaints }
})

const unfoldAll = () => {
  for (const one of document.querySelectorAll("details")) one.open = true
}

layer(Chromium.layer, { excludeTestServices: true })("the page in Chromium", (it) => {
  for (const [width, colorScheme] of [
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"]
  ] as const) {
    it.effect(`asks for nothing and fits at ${width}, ${colorScheme}`, () =>
      Effect.gen(function* () {
        const { complaints, page, requests, url } = yield* opened(mixed, { width, colorScheme })
        yield* Effect.promise(async () => {
          await page.evaluate(unfoldAll)
          const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
          assert.deepStrictEqual(widths, [width, width])
        })
        assert.deepStrictEqual(requests, [url])
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.scoped)
    )

    it.effect(`can be read by everybody at ${width}, ${colorScheme}`, () =>
      Effect.gen(function* () {
        const { page } = yield* opened(partOf(mixed), { width, colorScheme })
        yield* Effect.promise(async () => {
          await page.evaluate(unfoldAll)
          await page.evaluate(axe.source)
          const problems = await page.evaluate(async () => {
            const { violations } = await window.axe.run()
            return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
          })
          assert.deepStrictEqual(problems, [])
        })
      }).pipe(Effect.scoped)
    )
  }

  it.effect("has its headings in order and one of each landmark", () =>
    Effect.gen(function* () {
      const { page } = yield* opened(mixed, { width: 1280, colorScheme: "light" })
      yield* Effect.promise(async () => {
        await page.evaluate(unfoldAll)
        const levels = await page
          .locator("h1, h2, h3, h4, h5, h6")
          .evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])))
        assert.strictEqual(levels.filter((level) => level === 1).length, 1)
        const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)
        assert.deepStrictEqual(skipped, [])
        for (const role of ["banner", "navigation", "main", "contentinfo"] as const) {
          assert.strictEqual(await page.getByRole(role).count(), 1, role)
        }
        const anchors = await page
          .locator('a[href^="#"]')
          .evaluateAll(
            (links) =>
              links.filter((link) => document.getElementById(link.getAttribute("href")?.slice(1) ?? "") === null).length
          )
        assert.strictEqual(anchors, 0, "links that lead nowhere")
      })
    }).pipe(Effect.scoped)
  )

  it.effect("shows the checks of an outcome by keyboard and without a script", () =>
    Effect.gen(function* () {
      const { page } = yield* opened(mixed, { width: 390, colorScheme: "light" })
      yield* Effect.promise(async () => {
        // Playwright's own ":visible" takes minutes on a page whose style sheet hides elements by `:has()`.
        const shown = () =>
          page.locator(".check").evaluateAll((checks) => checks.filter((check) => check.checkVisibility()).length)
        const mustShow = async (seen: number, outcome: string) => {
          assert.strictEqual(await shown(), seen, outcome)
          // No check of another outcome is mentioned.
          assert.strictEqual(await page.locator(".folded > summary:visible").count(), 0, outcome)
        }
        await page.getByRole("radio", { name: /^All/ }).focus()
        await page.keyboard.press("ArrowRight")
        assert.isTrue(await page.getByRole("radio", { name: /^Failed/ }).isChecked())
        await mustShow(1, "failed")
        await page.locator("label", { hasText: "Skipped" }).click()
        await mustShow(mixed.checks.filter(({ outcome }) => outcome === "skipped").length, "skipped")
        assert.strictEqual(await page.locator(".profile:visible").count(), 2)
      })
    }).pipe(Effect.scoped)
  )

  it.effect("shows what a hostile target says, and does nothing of it", () =>
    Effect.gen(function* () {
      const { complaints, page, requests, url } = yield* opened(hostile, { width: 390, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        await page.evaluate(unfoldAll)
        assert.notInclude(await page.title(), "hacked")
        assert.include(await page.locator("main").innerText(), `<script>document.title = `)
        assert.deepStrictEqual(
          await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.scripts.length,
            document.images.length
          ]),
          [390, 0, 0]
        )
        const away = await page
          .locator("a")
          .evaluateAll((links) => links.filter((link) => link.getAttribute("href")?.[0] !== "#").length)
        assert.strictEqual(away, 0)
        const parsed = await page.evaluate(
          (texts) =>
            texts.map((text) => {
              const parsed = new DOMParser().parseFromString(text, "application/xml")
              return [parsed.documentElement.tagName, parsed.querySelector("parsererror")?.textContent ?? ""]
            }),
          [renderJunit(hostile), renderBadge(hostile)]
        )
        assert.deepStrictEqual(parsed, [
          ["testsuites", ""],
          ["svg", ""]
        ])
      })
      assert.deepStrictEqual(requests, [url])
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("unfolds on paper what somebody has to read", () =>
    Effect.gen(function* () {
      const { page } = yield* opened(mixed, { width: 800, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        await page.emulateMedia({ media: "print" })
        const isSeen = (selector: string) => page.locator(selector).first().isVisible()
        assert.isTrue(await isSeen(".check.passed .sentences"))
        assert.isFalse(await isSeen(".check.passed .exchanges"))
        assert.isTrue(await isSeen(".check.failed .exchange[open] pre"))
        assert.isTrue(await isSeen(".choices"))
        assert.isFalse(await isSeen(".filter"))
        assert.strictEqual(
          await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
          "rgb(255, 255, 255)"
        )
      })
    }).pipe(Effect.scoped)
  )
})
