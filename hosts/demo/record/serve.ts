import { once } from "node:events"
import { createServer } from "node:http"
import type { BundledApp } from "../bundle.ts"

/** The app by itself, as a phone would have it. */
export const serve = async (app: BundledApp) => {
  const document = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>html, body, #root { height: 100%; margin: 0 } #root { display: flex }</style>
<link rel="icon" href="data:,"><div id="root"></div><script src="index.js"></script>`
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").slice(1)
    const file = app.files.find((one) => one.path === path)
    response.setHeader("content-type", path === app.entry ? app.bundleContentType : (file?.contentType ?? "text/html"))
    response.end(path === app.entry ? app.bundle : (file?.bytes ?? document))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    }
  }
}
