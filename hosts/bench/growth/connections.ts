/** Connections that hold a server busy without asking it for anything. */
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"

export interface Connections {
  readonly close: () => void
}

const opened = async (
  url: string,
  count: number,
  use: (socket: Socket, index: number) => void
): Promise<ReadonlyArray<Socket>> => {
  const { hostname, port } = new URL(url)
  const sockets = new Array<Socket>()
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => connect(Number(port), hostname))
    await Promise.all(some.map((socket) => once(socket, "connect")))
    for (const [index, socket] of some.entries()) {
      // The server may end it: that is the server's affair.
      socket.on("error", () => socket.destroy())
      use(socket, sockets.length + index)
    }
    sockets.push(...some)
  }
  return sockets
}

/** Connections that have asked once and are kept open. */
export const idle = async (url: string, count: number): Promise<Connections> => {
  const sockets = await opened(url, count, (socket) =>
    socket.resume().write("GET /livez HTTP/1.1\r\nhost: bench\r\n\r\n")
  )
  return { close: () => sockets.forEach((socket) => socket.destroy()) }
}

/** A connection for each of these heads of a request, which sends `piece` of the body ten times a second. */
const dribbling = async (url: string, heads: ReadonlyArray<string>, piece: string): Promise<Connections> => {
  const sockets = await opened(url, heads.length, (socket, index) => socket.resume().write(heads[index] ?? ""))
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(piece)
  }, 100)
  return {
    close: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Connections that send the body of a request a byte at a time, ten a second. */
export const slow = (url: string, count: number): Promise<Connections> => {
  const head =
    "POST /api/v1/builds HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
  return dribbling(
    url,
    Array.from({ length: count }, () => head),
    " "
  )
}

/** How many bytes each of {@link slowUploads} announces. */
export const slowUploadBytes = 1_000_000

/** Connections that PUT to these URLs, 80 bytes a second: more than the least that a host takes, a kibibyte in half a minute. */
export const slowUploads = (urls: ReadonlyArray<string>): Promise<Connections> => {
  const heads = urls.map((url) => {
    const { host, pathname, search } = new URL(url)
    return `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: text/plain\r\ncontent-length: ${slowUploadBytes}\r\n\r\n`
  })
  return dribbling(urls[0] ?? "", heads, "dribble ")
}

/** A server that takes connections and whatever they send, and never answers; `taken` is how many it has. */
export const hanging = async (): Promise<Connections & { readonly url: string; readonly taken: () => number }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.resume())
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    taken: () => sockets.size,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Asks so many times a second, whether or not the earlier answers are there. */
export const asking = (perSecond: number, ask: () => Promise<unknown>): Connections => {
  const timer = setInterval(() => void ask().catch(() => undefined), 1000 / perSecond)
  return { close: () => clearInterval(timer) }
}
