/** A host in a process of its own, behind a link, with a clock that can be moved. */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import type { Step } from "./killing.ts"
import { startLink, type Link } from "./link.ts"
import type { Planted } from "./planted.ts"
import type { Record } from "./record.ts"

export interface HostProcess {
  readonly name: string
  readonly url: string
  readonly link: Link
  /** Starts it, again and again until it listens: an engine may be away. `env` is for this start alone. */
  readonly start: (options?: { readonly killAt?: Step; readonly env?: NodeJS.ProcessEnv }) => Promise<void>
  readonly kill: () => Promise<void>
  /** Stops it where it stands until `thaw`; what it is asked meanwhile waits. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Resolves when it has ended by itself, as one does that kills itself at a step. */
  readonly ended: () => Promise<void>
  /** How far its clock is ahead, in milliseconds, from now on. */
  readonly moveClock: (millis: number) => void
  readonly clock: () => number
  readonly close: () => Promise<void>
}

const preload = join(import.meta.dirname, "../cli/testing/shiftedClock.ts")
const published = join(import.meta.dirname, "../cli/main.ts")
const altered = join(import.meta.dirname, "host.ts")

/** A host of these settings that is not started yet. What it logs is in a file of the folder. */
export const makeHost = async (options: {
  readonly name: string
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly planted: Planted | undefined
  readonly record: Record
}): Promise<HostProcess> => {
  const { env, folder, name, planted, record } = options
  const port = await freePort()
  const link = await startLink(port)
  const url = `http://127.0.0.1:${link.port}`
  const clockFile = join(folder, `${name}.clock`)
  const log = createWriteStream(join(folder, `${name}.log`))
  const now: { shift: number; child: ChildProcess | undefined; isWanted: boolean; closed: Promise<unknown> } = {
    shift: 0,
    child: undefined,
    isWanted: false,
    closed: Promise.resolve()
  }

  const moveClock = (millis: number) => {
    now.shift = millis
    // In one step, as the host may read it at any moment.
    writeFileSync(`${clockFile}.next`, String(millis))
    renameSync(`${clockFile}.next`, clockFile)
  }
  moveClock(0)

  const startOnce = async (killAt: Step | undefined, more: NodeJS.ProcessEnv): Promise<boolean> => {
    const program = killAt === undefined && planted === undefined ? published : altered
    const started = spawn(process.execPath, ["--import", preload, program, "serve", "--port", String(port)], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        ...env,
        SLIPWAY_URL: url,
        SHIFTED_CLOCK_FILE: clockFile,
        ...(planted === undefined ? {} : { FAULTS_PLANTED: planted }),
        ...(killAt === undefined ? {} : { FAULTS_KILL_AT: killAt }),
        ...more
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    now.child = started
    started.stderr.pipe(log, { end: false })
    const closed = once(started, "close")
    now.closed = closed
    const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
    const first = await Promise.race([lines.next(), closed.then(() => undefined)])
    if (first === undefined || first.done === true) return false
    started.stdout.resume()
    void closed.then(() => {
      if (now.isWanted && now.child === started && killAt === undefined) {
        record.broken(`${name} ended by itself, with ${started.exitCode ?? started.signalCode}; see ${folder}`)
      }
    })
    return true
  }
  const kill = async () => {
    now.isWanted = false
    now.child?.kill("SIGKILL")
    await now.closed
  }
  return {
    name,
    url,
    link,
    moveClock,
    clock: () => now.shift,
    start: async ({ env: more = {}, killAt } = {}) => {
      now.isWanted = true
      while (now.isWanted && !(await startOnce(killAt, more))) await setTimeout(200)
    },
    kill,
    freeze: () => void now.child?.kill("SIGSTOP"),
    thaw: () => void now.child?.kill("SIGCONT"),
    ended: async () => void (await now.closed),
    close: async () => {
      await kill()
      await link.close()
      log.end()
    }
  }
}
