import { Schema } from "effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Trial } from "./Trial.ts"

const decode = Schema.decodeUnknownSync(Trial)

const worker = join(import.meta.dirname, "worker.ts")

const inOneProcess = async (names: ReadonlyArray<string>, onTried: (tried: Trial) => void): Promise<void> => {
  const child = fork(worker, names, { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
  child.on("message", (tried) => onTried(decode(tried)))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`A process that tried mutants ended with ${String(code)}`)
}

/** Tries the planted mutants of these names, in as many processes as the machine has processors. */
export const tryMutants = async (names: ReadonlyArray<string>, onTried: (tried: Trial) => void): Promise<void> => {
  const processes = Math.min(availableParallelism(), names.length)
  const shares = Array.from({ length: processes }, (_, share) =>
    names.filter((_, index) => index % processes === share)
  )
  await Promise.all(shares.map((share) => inOneProcess(share, onTried)))
}
