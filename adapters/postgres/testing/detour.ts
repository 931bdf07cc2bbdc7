import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { Socket } from "node:net"

/** A way to a server on which things go wrong when they are told to. */
export interface Detour {
  /** The same database, by this way. */
  readonly url: string
  /** Cuts the connection on which a message with this text is sent, when the server has answered it; the answer is lost. */
  readonly loseAnswerTo: (text: string) => void
  /** Nothing comes back any more on the connections of now, and nobody is told why. */
  readonly fallSilent: () => void
  /** Refuses sessions that begin with a setting of this name, as poolers do with settings that they don't know. */
  readonly refuse: (setting: string) => void
}

/** What PgBouncer says to a setting that it doesn't know, as an `ErrorResponse` of the wire protocol. */
const refusal = (() => {
  const fields = Buffer.from("SFATAL\0C08P01\0Munsupported startup parameter\0\0")
  const head = Buffer.from("E0000")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()

/** A detour to the server of a URL, which ends with the scope. */
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
        loseAnswerTo: (text) => void (lost = text),
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
