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

const saying =
  (status: number, body: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  }

/** Answers 200 and an empty object to everything. */
export const emptyObjects = (): Promise<Broken> => listening(createHttpServer(saying(200, "{}")), "http")

/** Answers 404 to everything. */
export const nothingThere = (): Promise<Broken> =>
  listening(createHttpServer(saying(404, '{"code":"not_found"}')), "http")

/** Accepts connections and reads, and never answers. */
export const hanging = (): Promise<Broken> =>
  listening(
    createServer((socket) => socket.resume()),
    "http"
  )

/** Accepts connections and closes them at once. */
export const closing = (): Promise<Broken> =>
  listening(
    createServer((socket) => socket.destroy()),
    "http"
  )

/** Greets every client as a service of another protocol, not HTTP. */
export const garbage = (): Promise<Broken> =>
  listening(
    createServer((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.9\r\n\0\x14\xff\x0b not http\r\n\r\n")),
    "http"
  )

/** Answers over HTTPS with a self-signed certificate. */
export const untrusted = (): Promise<Broken> =>
  listening(createHttpsServer(selfSigned("127.0.0.1"), saying(200, "{}")), "https")

/** The targets, by name. */
export const brokenTargets: Readonly<Record<string, () => Promise<Broken>>> = {
  emptyObjects,
  nothingThere,
  hanging,
  closing,
  garbage,
  untrusted
}
