/**
 * A process that embeds Slipway on SQLite and files in the folder `DATA`, passes events to a function, and, when the
 * events of earlier processes are delivered, causes one event of each type. It writes its steps, a line each, to the
 * file `journal` in the folder. At step `KILL_AT` of that it kills itself: before the row of an event is written,
 * before and after the commit of whatever changed the outbox, and before and after the function took an event.
 */
import { Effect, Layer, Redacted } from "effect"
import { appendFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { embeddedEngines, metadataFile } from "../../node/engines/embedded.ts"
import { makeSlipway } from "../slipway.ts"
import { doEverything } from "./everyEvent.ts"
import { watchOutbox } from "./outboxSteps.ts"

const data = String(process.env["DATA"])
const killAt = Number(process.env["KILL_AT"])

/** The file is written through the system's cache, which outlives the process. */
const journal = (line: object): void => appendFileSync(join(data, "journal"), `${JSON.stringify(line)}\n`)

let isCounting = false
let steps = 0
const step = (name: string): void => {
  if (!isCounting) return
  steps += 1
  if (steps !== killAt) return
  journal({ killed: name })
  process.kill(process.pid, "SIGKILL")
}

watchOutbox(step)

const url = "http://127.0.0.1:1"
const urls = SignedUrls.layer({ secret: Redacted.make("signs upload URLs"), baseUrl: url })
const engines = embeddedEngines(data)
const slipway = makeSlipway({
  settings: { url },
  ports: Layer.provide(engines.ports, urls),
  routes: engines.routes.pipe(Layer.provide(urls)),
  events: async (event) => {
    step(`before the function is called with ${event.type}`)
    journal({ received: event })
    step(`after the function was called with ${event.type}`)
  }
})

/** Waits until every event is delivered, and so removed. */
const delivered = async (): Promise<void> => {
  const reader = new DatabaseSync(metadataFile({ data, file: undefined }), { readOnly: true })
  const left = reader.prepare("SELECT 1 FROM outbox LIMIT 1")
  while (left.get() !== undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  reader.close()
}

await slipway.run(Effect.void)
await delivered()
isCounting = true
const done = await doEverything(slipway, url, delivered)
journal({ done })
journal({ steps })
await slipway.dispose()
