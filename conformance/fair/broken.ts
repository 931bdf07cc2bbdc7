import { once } from "node:events"
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { createServer, type Server, type Socket } from "node:net"
import { selfSigned } from "./selfSigned.ts"

/** A target that is no host of the interface. */
export interface Broken {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Makes the server listen on a free port. `stop` closes all its connections, also idle ones. */
const listening = async (server: Server, scheme: "http" | "https"): Promise<Broken> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const stop = async () => {
    const closed = once(server, "close")
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: `${scheme}://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, stop }
}

/** Listens for connections that speak something else than HTTP. */
const speaking = (handle: (socket: Socket) => unknown): Promise<Broken> =>
  listening(
    createServer((socket) => void handle(socket)),
    "http"
  )

const saying =
  (status: number, body: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  }

/** The targets, by name. */
export const brokenTargets = {
  /** Answers 200 and an empty object to everything. */
  emptyObjects: () => listening(createHttpServer(saying(200, "{}")), "http"),
  /** Answers 404 to everything. */
  nothingThere: () => listening(createHttpServer(saying(404, '{"code":"not_found"}')), "http"),
  /** Accepts connections and reads, and never answers. */
  hanging: () => speaking((socket) => socket.resume()),
  /** Accepts connections and closes them at once. */
  closing: () => speaking((socket) => socket.destroy()),
  /** Greets every client as a service of another protocol, not HTTP. */
  garbage: () => speaking((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.9\r\n\0\x14\xff\x0b not http\r\n\r\n")),
  /** Answers over HTTPS with a self-signed certificate. */
  untrusted: () => listening(createHttpsServer(selfSigned("127.0.0.1"), saying(200, "{}")), "https")
}
