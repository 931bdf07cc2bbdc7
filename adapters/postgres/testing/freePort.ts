import { once } from "node:events"
import { createServer } from "node:net"

/** Listens on a port of the loopback interface and closes it again; 0 takes a free one. */
const listenOn = async (wanted: number): Promise<number> => {
  const server = createServer().listen(wanted, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  return address.port
}

/** A port of the loopback interface that is free at the moment. */
export const freePort = (): Promise<number> => listenOn(0)

export const isFree = (port: number): Promise<boolean> =>
  listenOn(port).then(
    () => true,
    () => false
  )
