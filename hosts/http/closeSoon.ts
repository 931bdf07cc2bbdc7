import type { IncomingMessage } from "node:http"

/** How long a client may read the answer before its connection is closed, in milliseconds. */
const closeTimeout = 500

/** Ends a connection whose client may still be sending, once the client could read the answer: a reset loses the answer. */
export const closeSoon = ({ socket }: IncomingMessage): void => {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), closeTimeout).unref()
  socket.once("close", () => clearTimeout(timer))
}
