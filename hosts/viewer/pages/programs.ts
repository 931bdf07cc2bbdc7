import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { type ProgramFile, Programs } from "../access/site.ts"
import { Assets } from "../ui/document.ts"
import { card } from "../ui/lists.ts"
import { code, factList } from "../ui/facts.ts"
import { html, type Html } from "../ui/html.ts"
import { page, pageContext, problemPage } from "../ui/layout.ts"

const uses = [
  {
    name: "slipway-ci",
    title: "On a CI machine",
    does: "uploads builds and previews, imports test results, and comments on pull requests",
    example: "import maestro out"
  },
  {
    name: "slipway-conformance",
    title: "Validate another implementation",
    does: "tests whether a host conforms to the interface, over HTTP",
    example: "--url https://staging.example --report-html report.html"
  }
]

const commands = (url: string, files: ReadonlyArray<ProgramFile>): ReadonlyArray<Html> =>
  uses.map(({ does, example, name, title }) =>
    card(
      name,
      title,
      html`<p>${code(name)} ${does}. It needs Node 20 or later.</p>
        <pre>npx --yes ${url}/cli/${name}.tgz ${example}</pre>
        <p>As one file, for machines without npm, or with a kept cache of npx:</p>
        <pre>
curl --fail --silent --show-error --remote-name ${url}/cli/${name}.mjs
node ${name}.mjs ${example}</pre>
        ${factList(
          files
            .filter((file) => file.name.startsWith(`${name}.`))
            .map((file) => [file.name, html`<a href="${url}/cli/${file.name}">Download</a> ${code(file.integrity)}`])
        )}`
    )
  )

/** What runs a phone's own bundle: `slipway-ci` opens an app with it before that is uploaded. */
const sendScript = Effect.fnUntraced(function* (name: "phone" | "sqlite" | "lottie" | "skia") {
  const text = yield* (yield* Assets).textOf(name)
  return HttpServerResponse.text(`(() => {"use strict";${text}\n})()`, {
    contentType: "text/javascript; charset=utf-8",
    headers: { "cache-control": "public, no-cache" }
  })
})

const serve = Effect.gen(function* () {
  const programs = yield* Programs
  const { name } = yield* HttpRouter.params
  if (name === "phone.js") return yield* sendScript("phone")
  if (name === "sqlite.js") return yield* sendScript("sqlite")
  if (name === "lottie.js") return yield* sendScript("lottie")
  if (name === "skia.js") return yield* sendScript("skia")
  const file = programs && (yield* programs).find((one) => one.name === name)
  if (file === undefined) return yield* NotFound.default
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const etag = `"${file.integrity}"`
  const own = { "cache-control": "public, no-cache", etag }
  return headers["if-none-match"]?.includes(etag) === true
    ? HttpServerResponse.empty({ status: 304, headers: own })
    : HttpServerResponse.uint8Array(file.content, { contentType: file.contentType, headers: own })
})

const show = Effect.gen(function* () {
  const context = yield* pageContext
  const programs = yield* Programs
  if (programs === undefined) return yield* problemPage(context, NotFound.default)
  return page(context, {
    title: "Command-line programs",
    main: html`<h1>Command-line programs</h1>
      <div class="stack">
        <p>
          This host provides its command-line programs, of its own version. Where npm's cache is kept between jobs, npx
          runs the file that it downloaded first, also after an upgrade of the host.
        </p>
        ${commands(context.site.url.replace(/\/+$/, ""), yield* programs)}
      </div>`
  })
})

/** The programs that the host provides, and how to run them. */
export const routes = [HttpRouter.route("GET", "/cli", show), HttpRouter.route("GET", "/cli/:name", serve)]
