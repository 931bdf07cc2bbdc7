/**
 * A process that embeds Slipway in the folder `DATA`, deletes what is to be deleted and sweeps, a day later. It writes what it
 * was answered, a line each, to the file `journal` in the folder. At step `KILL_AT` it kills itself: see `watchRemovals`.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { deleteAll, openHost, sweep, type Filled } from "./removing.ts"
import { watchRemovals } from "./removalSteps.ts"

const data = String(process.env["DATA"])
const killAt = Number(process.env["KILL_AT"])

/** The file is written through the system's cache, which outlives the process. */
const journal = (line: object): void => appendFileSync(join(data, "journal"), `${JSON.stringify(line)}\n`)

let isCounting = false
let steps = 0
watchRemovals((name) => {
  if (!isCounting) return
  steps += 1
  if (steps !== killAt) return
  journal({ killed: name })
  process.kill(process.pid, "SIGKILL")
})

// Written by the test.
const filled = JSON.parse(readFileSync(join(data, "filled"), "utf8")) as Filled
const slipway = openHost(data, "26 hours")
isCounting = true
await deleteAll(slipway, filled, (deleted) => journal({ deleted }))
await sweep(slipway)
isCounting = false
journal({ steps })
await slipway.dispose()
