/**
 * The worker that listens to an app for its page. What an app posts is unpacked here, where it keeps the page from
 * nothing: a few bytes of a message can take minutes to unpack. It passes on what it makes of it, which is little.
 */
import { makeAllowance } from "./allowance.ts"
import { toldIn } from "./message.ts"
import type { Heard } from "./message.ts"

/** In a second: far more than the bridge posts, and far less than what would keep a page from its work. */
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

// The page gives a port with every question; what is under way at the last one still arrives.
let before: MessagePort | undefined
self.addEventListener("message", ({ ports }) => {
  before?.close()
  before = port
  port = ports[0]
  port?.addEventListener("message", listen)
  port?.start()
})
