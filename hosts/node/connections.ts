import { Option } from "effect"
import type { Socket } from "node:net"
import { canonicalAddress, clientOf } from "../http/RequestOrigin.ts"

const text = "This address has too many open connections.\n"

const refusal = [
  "HTTP/1.1 503 Service Unavailable",
  "content-type: text/plain",
  `content-length: ${text.length}`,
  "retry-after: 1",
  "connection: close",
  "",
  text
].join("\r\n")

/** How long a refused client may take to read the answer, in milliseconds. */
const closeTimeoutMs = 1000

/**
 * Counts the open connections of each client address, and returns whether a new one is allowed. One above the bound is
 * answered 503 before it is read, and closed.
 */
export const limitConnections = (most: number): ((socket: Socket) => boolean) => {
  const open = new Map<string, number>()
  return (socket) => {
    const client = clientOf(canonicalAddress(Option.fromUndefinedOr(socket.remoteAddress)))
    if (client === undefined || most === Infinity) return true
    const before = open.get(client) ?? 0
    if (before >= most) {
      socket.on("error", () => undefined)
      // What the client sends is read and dropped, since closing before that would take the answer back.
      socket.resume().once("end", () => socket.destroy())
      socket.setTimeout(closeTimeoutMs, () => socket.destroy())
      socket.end(refusal)
      return false
    }
    open.set(client, before + 1)
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
    return true
  }
}
