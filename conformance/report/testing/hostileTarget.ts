import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { exampleTarget } from "../../testing/exampleConfig.ts"
import type { Target } from "../../testing/Target.ts"

/** Texts that must stay plain text in every report: markup, ends of CDATA, marks of direction, terminal controls, NUL, a lone surrogate, forged lines. */
export const hostile = [
  `<script>document.title = "hacked"</script><img src="http://outside.example/x.png" onerror="alert(1)">`,
  "]]>",
  "\u202Egnp.exe\u200F",
  "\u0000\u0007\u001B[31m\u009B2J",
  "\uD800",
  "\r\nFORGED all checks passed\n",
  "</pre></code></details></style>",
  `'; rm -rf / #`
].join(" ")

const line = `${hostile}${"x".repeat(16 * 1024)}`

/**
 * A target that accepts uploads and answers with hostile texts in every value, name and body. It runs until the scope
 * closes.
 */
export const hostileTarget = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => {
      request.resume()
      const self = `http://${request.headers.host}`
      const slot = {
        putUrl: `${self}/put?signature=signed-for-nobody-else&x=<b>`,
        contentType: "text/javascript",
        objectKey: hostile
      }
      const row = {
        url: `${self}/b/<script>\u202E`,
        previewUrl: hostile,
        id: hostile,
        status: hostile,
        [hostile]: line
      }
      const answer = {
        ...row,
        token: "a token that nobody may see",
        shareId: hostile,
        slots: { bundle: slot, files: [] }
      }
      const isText = request.method === "GET"
      response.writeHead(request.url?.startsWith("/put") === true ? 200 : 201, {
        "content-type": isText ? "text/html; charset=utf-8" : "application/json",
        location: "javascript:alert(1)",
        "x-request-id": "<script>"
      })
      response.end(isText ? line : JSON.stringify(answer))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`
    return { server, target: { ...exampleTarget, config: { ...exampleTarget.config, url } } satisfies Target }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })
).pipe(Effect.map(({ target }) => target))
