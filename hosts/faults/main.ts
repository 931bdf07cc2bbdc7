/**
 * `npm run faults`: hosts that sweep and delete, used by clients of several accounts, while hosts, engines, connections, disks and
 * clocks fail. Ends with 1 when a promise was broken. See README.md.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mayMount, onSmallDisk } from "../../adapters/filesystem/testing/mount.ts"
import { cephPackages, isCephInstalled } from "../../adapters/s3/testing/startCeph.ts"
import { parseOptions, type EngineSet } from "./choices.ts"

const options = parseOptions(process.argv.slice(2))

/** The size of the disk that is filled, in MiB. */
const diskSize = 128

/** Runs one set of engines; SQLite and files on a small disk, where this user may mount one. */
const run = async (engines: EngineSet): Promise<number> => {
  const disk = engines === "sqlite" && mayMount ? mkdtempSync(join(tmpdir(), "slipway-faults-disk-")) : undefined
  const chosen = { ...options, engines }
  const args = Object.entries(chosen).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)]
  )
  const command = [process.execPath, join(import.meta.dirname, "run.ts"), ...args]
  const [program = "", ...rest] = [...(disk === undefined ? [] : onSmallDisk(diskSize, disk)), ...command]
  const child = spawn(program, rest, {
    stdio: "inherit",
    env: { ...process.env, ...(disk === undefined ? {} : { FAULTS_DISK: disk }) }
  })
  await once(child, "close")
  if (disk !== undefined) rmSync(disk, { recursive: true, force: true })
  return child.exitCode ?? 1
}

if (!mayMount) console.log("No disk is filled: this user may not mount a small one.")
const codes: Array<number> = []
if (options.engines !== "postgres") codes.push(await run("sqlite"))
if (options.engines !== "sqlite") {
  if (await isCephInstalled()) codes.push(await run("postgres"))
  else {
    console.log(`PostgreSQL and S3 need Ceph: apt-get install --no-install-recommends ${cephPackages}`)
    codes.push(1)
  }
}
process.exitCode = Math.max(...codes)
