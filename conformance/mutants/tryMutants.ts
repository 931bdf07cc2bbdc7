import { Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Tried } from "./Tried.ts"

const decode = Schema.decodeSync(Schema.fromJsonString(Tried))

const worker = join(import.meta.dirname, "worker.ts")

const inOneProcess = async (names: ReadonlyArray<string>, onTried: (tried: Tried) => void): Promise<void> => {
  const child = spawn(process.execPath, [worker, ...names], { stdio: ["ignore", "pipe", "inherit"] })
  const closed = once(child, "close")
  for await (const line of createInterface({ input: child.stdout })) onTried(decode(line))
  const [code] = await closed
  if (code !== 0) throw new Error(`A process that tried mutants ended with ${String(code)}`)
}

/** Tries the planted mutants of these names, in as many processes as the machine has processors. */
export const tryMutants = async (names: ReadonlyArray<string>, onTried: (tried: Tried) => void): Promise<void> => {
  const processes = Math.min(availableParallelism(), names.length)
  const shares = Array.from({ length: processes }, (_, share) =>
    names.filter((_, index) => index % processes === share)
  )
  await Promise.all(shares.map((share) => inOneProcess(share, onTried)))
}
