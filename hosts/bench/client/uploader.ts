/** Uploads one file in one way, in its own process, and prints the peak memory and the processor time. */
import { createReadStream, statSync } from "node:fs"
import { request } from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { createClient } from "../../client/index.ts"

const contentType = "application/octet-stream"

/** Each way to upload the file at a path to a server, by its name. */
export const ways: Readonly<Record<string, (url: string, path: string) => Promise<unknown>>> = {
  "slipway/client": (url, path) =>
    createClient({ url, key: "key" }).previews.upload({ bundle: { body: { path }, contentType } }),
  "bare node:http": (url, path) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": contentType, "content-length": statSync(path).size }
      const sent = request(`${url}/put`, { method: "PUT", headers }, (response) => {
        text(response).then(resolve, reject)
      })
      pipeline(createReadStream(path), sent).catch(reject)
    }),
  "bare fetch, of a stream": async (url, path) => {
    const headers = { "content-type": contentType, "content-length": String(statSync(path).size) }
    const streamed: object = { body: Readable.toWeb(createReadStream(path)), duplex: "half" }
    const init: RequestInit = { method: "PUT", headers, ...streamed }
    return (await fetch(`${url}/put`, init)).text()
  }
}

if (import.meta.main) {
  const [way = "", url = "", path = ""] = process.argv.slice(2)
  await ways[way]?.(url, path)
  const { system, user } = process.cpuUsage()
  console.log(JSON.stringify({ seconds: (system + user) / 1e6, megabytes: process.resourceUsage().maxRSS / 1000 }))
}
