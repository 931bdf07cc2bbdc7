/**
 * The worker that listens to an app for its page. It deserializes the app's messages, which can take minutes for a few
 * bytes and would otherwise block the page. It sends the page only short summaries.
 */
import { makeAllowance } from "./allowance.ts"
import { toldIn } from "./message.ts"
import type { Heard } from "./message.ts"

/** The limits for one second: far above what the bridge posts, and low enough that the page stays responsive. */
const bounds = { read: 300, flood: 2000, milliseconds: 250 }

const allowance = makeAllowance(bounds)
let port: MessagePort | undefined

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker posts to its page, which has no origin here
const pass = (heard: Heard): void => self.postMessage(heard)

const listen = (event: MessageEvent): void => {
  const begun = performance.now()
  const allowed = allowance.next(begun)
  if (allowed === "flood") pass({ kind: "flood" })
  else if (allowed === "skip") pass({ kind: "skipped", count: 1 })
  else {
    const told = toldIn(event.data)
    if (told !== undefined) pass({ kind: "told", told })
    allowance.spent(performance.now() - begun)
  }
}

// The page sends a new port with every question; messages in transit on the last port still arrive.
let before: MessagePort | undefined
self.addEventListener("message", ({ ports }) => {
  before?.close()
  before = port
  port = ports[0]
  port?.addEventListener("message", listen)
  port?.start()
})
