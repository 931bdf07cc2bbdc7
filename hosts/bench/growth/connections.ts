/** Connections that hold a server busy without asking it for anything. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface Connections {
  readonly close: () => void
}

const opened = async (url: string, count: number, use: (socket: Socket) => void): Promise<ReadonlyArray<Socket>> => {
  const { hostname, port } = new URL(url)
  const sockets = new Array<Socket>()
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => connect(Number(port), hostname))
    await Promise.all(some.map((socket) => once(socket, "connect")))
    for (const socket of some) {
      // The server may end it: that is the server's affair.
      socket.on("error", () => socket.destroy())
      use(socket)
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

/** Connections that send the body of a request a byte at a time, ten a second. */
export const slow = async (url: string, count: number): Promise<Connections> => {
  const head =
    "POST /api/v1/builds HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
  const sockets = await opened(url, count, (socket) => socket.resume().write(head))
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(" ")
  }, 100)
  return {
    close: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    }
  }
}
