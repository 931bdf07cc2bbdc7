/** Runs the `slipway` command: in the process of the test, or as users do, as a process of its own. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Fiber, Schema } from "effect"
import { TestConsole } from "effect/testing"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { assert, onTestFinished } from "vitest"
import { ask } from "../../../adapters/postgres/testing/ask.ts"
import { command } from "../command.ts"
import { runWith } from "../parts/run.ts"

/** A folder that is deleted at the end of the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-cli-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const environment = (env: Record<string, string>): NodeJS.ProcessEnv => {
  const { PATH, HOME } = process.env
  return { ...(PATH === undefined ? {} : { PATH }), ...(HOME === undefined ? {} : { HOME }), ...env }
}

interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** A command that runs the program, such as one that traces it. The process stays the program's. */
  readonly under?: ReadonlyArray<string>
  /** The program, in place of the published one. */
  readonly program?: string
}

const Made = Schema.fromJsonString(Schema.Struct({ main: Schema.String }))

/** The path of the command's program, as it is published. */
export const main = async (): Promise<string> => Schema.decodeSync(Made)(await ask("/command")).main

/** Starts the published program as users do. It runs in a new folder unless one is given. */
const start = async (args: ReadonlyArray<string>, { cwd, env, program, under = [] }: Place) => {
  const [command = process.execPath, ...rest] = [...under, process.execPath, program ?? (await main()), ...args]
  return spawn(command, rest, {
    cwd: cwd ?? temporaryFolder(),
    env: environment(env ?? {}),
    stdio: ["ignore", "pipe", "pipe"]
  })
}

/**
 * Runs a command to its end in its own process. Use it only for what depends on a process; `slipway` is much faster.
 */
export const slipwayProcess = async (args: ReadonlyArray<string>, place: Place = {}): Promise<Finished> => {
  const child = await start(args, place)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: child.exitCode, stdout, stderr }
}

const printed = (lines: ReadonlyArray<unknown>): string => lines.map((line) => `${String(line)}\n`).join("")

/**
 * Runs a command to its end in this process. It sees no settings but those given, and has a data folder of its own unless
 * they name one. What the AWS SDK reads of the environment is not among them: `slipwayProcess` gives it that.
 */
export const slipway = (args: ReadonlyArray<string>, { env = {} }: Pick<Place, "env"> = {}): Promise<Finished> => {
  const settings = { SLIPWAY_DATA: temporaryFolder(), ...env }
  return Effect.gen(function* () {
    const code = yield* runWith(command, args)
    return { code, stdout: printed(yield* TestConsole.logLines), stderr: printed(yield* TestConsole.errorLines) }
  }).pipe(
    Effect.provide([NodeServices.layer, TestConsole.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(settings))]),
    Effect.runPromise
  )
}

/**
 * Runs a command to its end with settings, in this process where that is enough: the clock of a process, and what the AWS
 * SDK reads of its environment, are the process's own.
 */
export const slipwayWith = (args: ReadonlyArray<string>, env: Record<string, string>): Promise<Finished> =>
  Object.keys(env).some((name) => /^(?:AWS|NODE)_/.test(name)) ? slipwayProcess(args, { env }) : slipway(args, { env })

/** Runs a command that must succeed, and answers what it printed as JSON. */
export const slipwayJson = async (args: ReadonlyArray<string>, place: Pick<Place, "env"> = {}): Promise<unknown> => {
  const { code, stderr, stdout } = await slipway([...args, "--json"], place)
  if (code !== 0) throw new Error(`slipway ${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** A host in the process of the test. */
export interface HostHere {
  /** The first line it printed. */
  readonly line: string
  /** Stops the host and waits for its end. */
  readonly stop: () => Promise<void>
}

/**
 * Runs `slipway serve` in this process and waits for the line that says it listens. It is stopped when the test is over. For
 * tests that need a host and nothing that only a process shows; it starts much faster than `serve`.
 */
export const serveHere = async (
  args: ReadonlyArray<string>,
  { env = {} }: Pick<Place, "env"> = {}
): Promise<HostHere> => {
  const printed = Promise.withResolvers<string>()
  const errors: Array<string> = []
  const console: Console.Console = {
    ...globalThis.console,
    log: (line: unknown) => printed.resolve(String(line)),
    error: (line: unknown) => void errors.push(String(line))
  }
  const settings = { SLIPWAY_DATA: temporaryFolder(), ...env }
  const fiber = runWith(command, ["serve", ...args]).pipe(
    Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(settings))]),
    Effect.provideService(Console.Console, console),
    Effect.runFork
  )
  const stop = () => Effect.runPromise(Fiber.interrupt(fiber))
  onTestFinished(stop)
  fiber.addObserver(() => printed.reject(new Error(`the host ended before it listened: ${errors.join("\n")}`)))
  return { line: await printed.promise, stop }
}

export interface RunningHost {
  readonly child: ChildProcess
  /** The first line it printed. */
  readonly line: string
  /** Everything it wrote to stderr, once it has ended. */
  readonly stderr: Promise<string>
  /** Stops it with a signal and returns its exit code. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts `slipway serve` and waits for the line that says it listens. It is killed when the test is over. */
export const serve = async (args: ReadonlyArray<string>, options: Place = {}): Promise<RunningHost> => {
  const child = await start(["serve", ...args], options)
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

const Findings = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      ok: Schema.Boolean,
      detail: Schema.String,
      hint: Schema.optionalKey(Schema.String)
    })
  )
)

/** Runs the doctor, and returns its exit code and its findings by the name of each check. */
export const examined = async (env: Record<string, string>) => {
  const { code, stderr, stdout } = await slipwayWith(["doctor", "--json"], env)
  const findings = Schema.decodeSync(Findings)(stdout)
  assert.strictEqual(code, findings.every(({ ok }) => ok) ? 0 : 1)
  return {
    code,
    stderr,
    stdout,
    names: findings.map(({ name }) => name),
    wrong: findings.filter(({ ok }) => !ok).map(({ name }) => name),
    of: (name: string) => findings.find((one) => one.name === name) ?? assert.fail(`nothing was said of ${name}`)
  }
}
