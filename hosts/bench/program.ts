/** The `slipway` command as it is published, for benchmarks of a process of its own. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { bundleCommand } from "../../.config/command.ts"
import { suite } from "../../conformance/run/suite.ts"

/** Bundles the command into a folder, and answers the path of its program. */
export const bundledIn = async (folder: string): Promise<string> => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"))
  await bundleCommand({ main: "hosts/cli/main.ts", to: join(folder, "cli"), suite: await Effect.runPromise(suite) })
  return join(folder, "cli", "main.js")
}

/** A figure of a process in MiB, as the system tells it: what is resident, or was at most. */
export const memoryOf = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** The CPU time that a process and its ended children have taken so far, in milliseconds; the system counts hundredths of a second. */
export const cpuMillisOf = (pid: number): number => {
  // The fields after the name of the program, which is in parentheses: user and system time are from the 12th to the 15th.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

/** A process and those that it started. */
export const familyOf = (pid: number): ReadonlyArray<number> => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number)
    .flatMap(familyOf)
]

/** The CPU time of a process and all that it started so far, in milliseconds. */
export const familyCpuMillis = (pid: number): number => familyOf(pid).reduce((sum, one) => sum + cpuMillisOf(one), 0)

export interface Program {
  readonly pid: number
  /** The first line that it printed. */
  readonly line: string
  readonly stop: () => Promise<void>
}

/** Starts a Node program and waits for its first line. */
export const started = async (
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv }
): Promise<Program> => {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "ignore"] })
  const closed = once(child, "close")
  const line = String((await Promise.race([once(createInterface({ input: child.stdout }), "line"), closed]))[0])
  if (child.pid === undefined || child.exitCode !== null) throw new Error(`${args.join(" ")} ended before it was ready`)
  return {
    pid: child.pid,
    line,
    stop: async () => {
      child.kill("SIGTERM")
      await closed
    }
  }
}

/** The middle of some numbers, or the `part` of them that are no greater. */
export const quantile = (numbers: ReadonlyArray<number>, part = 0.5): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)] ?? NaN
