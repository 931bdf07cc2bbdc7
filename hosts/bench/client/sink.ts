/** A server that takes uploads and keeps nothing, so that only the client is measured. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"

interface Reserve {
  readonly token?: string
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
}

const reserved = ({ bundleContentType, bundleSizeBytes }: Reserve, url: string) => ({
  shareId: "measured",
  token: "token",
  slots: {
    bundle: { putUrl: `${url}/put`, contentType: bundleContentType, sizeBytes: bundleSizeBytes },
    files: [],
    recordings: []
  }
})

/** Starts it. `turn` may answer a request, and says whether it did. */
export const startSink = async (
  turn: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
) => {
  let url = ""
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (turn(request, response)) return void request.resume()
    if (request.method === "POST") {
      const body = await json(request)
      const order: Reserve = Object.assign({ bundleSizeBytes: 0, bundleContentType: "" }, body)
      return void response.end(JSON.stringify(order.token === undefined ? reserved(order, url) : { status: "ready" }))
    }
    request.resume()
    await once(request, "end")
    response.end("{}")
  }
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  url = `http://127.0.0.1:${address.port}`
  return {
    url,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
