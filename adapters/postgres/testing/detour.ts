import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** A proxy in front of a server, which disturbs connections on request. */
interface Detour {
  /** The URL of the same database through the proxy. */
  readonly url: string
  /**
   * Cuts the connection that sends a message with this text after the server has answered it, so that the answer is
   * lost.
   */
  readonly loseResponseTo: (text: string) => void
  /** Drops all further answers on the current connections, without closing them. */
  readonly fallSilent: () => void
  /** Refuses sessions that begin with a setting of this name, as poolers do with unknown settings. */
  readonly refuse: (setting: string) => void
}

/** PgBouncer's answer to an unknown setting, as an `ErrorResponse` of the wire protocol. */
const refusal = (() => {
  const fields = Buffer.from("SFATAL\0C08P01\0Munsupported startup parameter\0\0")
  const head = Buffer.from("E0000")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()

/** Starts a proxy to the server of a URL. It ends with the scope. */
export const makeDetour = (to: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const target = new URL(to)
      const clients = new Set<Socket>()
      const databases = new Set<Socket>()
      let lost: string | undefined
      let refused: string | undefined
      const server = createServer((client) => {
        const database = connect(Number(target.port), target.hostname)
        let isLost = false
        client.once("data", (beginning) => {
          if (refused !== undefined && beginning.includes(refused)) client.end(refusal)
        })
        client.on("data", (bytes) => {
          if (lost !== undefined && bytes.includes(lost)) {
            isLost = true
            lost = undefined
          }
          database.write(bytes)
        })
        database.on("data", (bytes) => {
          if (isLost) client.destroy()
          else client.write(bytes)
        })
        clients.add(client)
        databases.add(database)
        for (const socket of [client, database]) socket.on("error", () => undefined)
        client.on("close", () => database.destroy())
        database.on("close", () => client.destroy())
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
      const url = new URL(to)
      url.host = `127.0.0.1:${address.port}`
      const detour: Detour = {
        url: url.href,
        loseResponseTo: (text) => void (lost = text),
        fallSilent: () => databases.forEach((socket) => socket.pause()),
        refuse: (setting) => void (refused = setting)
      }
      return { detour, server, clients }
    }),
    ({ clients, server }) =>
      Effect.sync(() => {
        server.close()
        for (const client of clients) client.destroy()
      })
  ).pipe(Effect.map(({ detour }) => detour))
