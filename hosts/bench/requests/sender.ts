/** A thread that sends requests to the host in the main thread, so that the client's work isn't measured with the host's. */
import { parentPort } from "node:worker_threads"

/** A request, which is sent with the next message `send`; the answer to that is its status. */
export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

let next: Sent | undefined
parentPort?.on("message", (message: Sent | "send") => {
  if (message !== "send") {
    next = message
    parentPort?.postMessage("ready", [])
    return
  }
  if (next === undefined) return
  const { body, headers, method, url } = next
  void fetch(url, { method, headers, body: body ?? null })
    .then(async (answer) => (await answer.bytes(), answer.status))
    .catch(() => 0)
    .then((status) => parentPort?.postMessage({ status }, []))
})
