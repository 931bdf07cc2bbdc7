/**
 * The worker that listens to an app for its page. It deserializes the app's messages, which can last minutes for a few
 * bytes and would otherwise block the page. It sends the page only short summaries.
 */
import { makeAllowance } from "./allowance.ts"
import { decodeAppMessage, type ListenerMessage } from "./message.ts"

/** The limits for one second: far above what the bridge posts, and low enough that the page stays responsive. */
const bounds = { read: 300, flood: 2000, milliseconds: 250 }

const allowance = makeAllowance(bounds)

/** The ports that came with the questions, from the one on which the app last answered to the newest. */
let ports: ReadonlyArray<MessagePort> = []
/** Ports before those, on which messages may still be in transit, and those that were so at the last question too. */
let earlier: ReadonlyArray<MessagePort> = []
let closable: ReadonlyArray<MessagePort> = []

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker posts to its page, which has no origin here
const pass = (heard: ListenerMessage): void => self.postMessage(heard)

const listen = (event: MessageEvent): void => {
  const answered = ports.findIndex((port) => port === event.target)
  earlier = [...earlier, ...ports.slice(0, Math.max(0, answered))]
  ports = ports.slice(Math.max(0, answered))
  const begun = performance.now()
  const allowed = allowance.next(begun)
  if (allowed === "flood") pass({ kind: "flood" })
  else if (allowed === "skip") pass({ kind: "skipped", count: 1 })
  else {
    const message = decodeAppMessage(event.data)
    if (message !== undefined) pass({ kind: "message", message })
    allowance.spent(performance.now() - begun)
  }
}

// The page sends a new port with every question. A busy app continues with the last one that it has answered on.
self.addEventListener("message", (event) => {
  const [port] = event.ports
  if (port === undefined) return
  for (const before of closable) before.close()
  closable = earlier
  earlier = []
  ports = [...ports, port]
  port.addEventListener("message", listen)
  port.start()
})
