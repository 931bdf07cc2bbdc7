/** A connection between two programs that can be cut, or held up. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Link {
  /** The port that leads to the server. */
  readonly port: number
  /** Cuts every connection that is open. */
  readonly cut: () => void
  /** Passes nothing on until `release`, and cuts nothing. */
  readonly hold: () => void
  readonly release: () => void
  readonly close: () => Promise<void>
}

/** A link to a port of this machine. */
export const startLink = async (to: number): Promise<Link> => {
  const open = new Set<Socket>()
  let isHeld = false
  const pass = (from: Socket, into: Socket) => {
    open.add(from)
    from.on("error", () => undefined)
    from.on("close", () => {
      open.delete(from)
      into.destroy()
    })
    from.on("data", (bytes) => void into.write(bytes))
    from.on("end", () => into.end())
    if (isHeld) from.pause()
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: to, host: "127.0.0.1", allowHalfOpen: true })
    for (const socket of [client, target]) socket.setNoDelay(true)
    pass(client, target)
    pass(target, client)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  const cut = () => open.forEach((socket) => socket.destroy())
  return {
    port: address.port,
    cut,
    hold: () => {
      isHeld = true
      open.forEach((socket) => socket.pause())
    },
    release: () => {
      isHeld = false
      open.forEach((socket) => socket.resume())
    },
    close: async () => {
      server.close()
      cut()
      await once(server, "close")
    }
  }
}
