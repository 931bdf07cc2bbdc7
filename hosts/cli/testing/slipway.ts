/** Runs the `slipway` command as users do: as a process of its own. */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"

const main = join(import.meta.dirname, "..", "main.ts")

/** A folder that goes when the test is over. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-cli-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const environment = (env: Record<string, string>): NodeJS.ProcessEnv => {
  const { PATH, HOME } = process.env
  return { ...(PATH === undefined ? {} : { PATH }), ...(HOME === undefined ? {} : { HOME }), ...env }
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end, in a folder of its own unless one is given. */
export const slipway = async (
  args: ReadonlyArray<string>,
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {}
): Promise<Finished> => {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    env: environment(options.env ?? {}),
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: child.exitCode, stdout, stderr }
}

/** Runs a command that must succeed, and answers what it printed as JSON. */
export const slipwayJson = async (args: ReadonlyArray<string>): Promise<unknown> => {
  const { code, stderr, stdout } = await slipway([...args, "--json"])
  if (code !== 0) throw new Error(`slipway ${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

export interface RunningHost {
  readonly child: ChildProcess
  /** The first line that it printed. */
  readonly line: string
  /** All that it wrote to stderr, once it has ended. */
  readonly stderr: Promise<string>
  /** Ends it with a signal and answers its exit code. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts `slipway serve` and waits for the line that says it listens. It is killed when the test is over. */
export const serve = async (
  args: ReadonlyArray<string>,
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {}
): Promise<RunningHost> => {
  const child = spawn(process.execPath, [main, "serve", ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    env: environment(options.env ?? {}),
    stdio: ["ignore", "pipe", "pipe"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const stderr = text(child.stderr)
  const closed = once(child, "close")
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = await Promise.race([lines.next(), closed.then(() => undefined)])
  if (first === undefined || first.done === true) throw new Error(`the host ended before it listened: ${await stderr}`)
  return {
    child,
    line: first.value,
    stderr,
    stop: async (signal) => {
      child.kill(signal)
      await closed
      return child.exitCode
    }
  }
}
