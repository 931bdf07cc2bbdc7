import { once } from "node:events"
import { createServer, type Server } from "node:net"

/** Starts a server on a port of the loopback interface, by default a free one. Answers the port. */
export const listen = async (server: Server, wanted = 0): Promise<number> => {
  await once(server.listen(wanted, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  return address.port
}

/** Listens on a port and closes it again. */
const listenOn = async (wanted: number): Promise<number> => {
  const server = createServer()
  const port = await listen(server, wanted)
  server.close()
  await once(server, "close")
  return port
}

/** A port of the loopback interface that is free at the moment. */
export const freePort = (): Promise<number> => listenOn(0)

export const isFree = (port: number): Promise<boolean> =>
  listenOn(port).then(
    () => true,
    () => false
  )
