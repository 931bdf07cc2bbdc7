/** What a database does with its disk, observed by its system calls or by making them fail. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { it } from "../../core/testing/layer.ts"
import { newFile } from "./testing/newFile.ts"

const hasStrace = spawnSync("strace", ["-V"]).status === 0

/** Runs the holder of a file under `strace` with these options until it has stored something or failed. */
const traced = (file: string, options: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const trace = `${file.replace(/\/data\/.*/, "")}/trace`
    const [name = "name", ...more] = args
    const holder = [process.execPath, join(import.meta.dirname, "testing/holder.ts"), file, name, ...more]
    const child = spawn("strace", ["-f", "-y", "-o", trace, ...options, ...holder], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true
    })
    const said = text(child.stderr)
    const closed = once(child, "close")
    const first = await Promise.race([once(child.stdout, "data"), closed.then(() => [""])])
    // The holder is ended too, because it would keep running without its tracer.
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    await closed
    return {
      stored: String(first[0]).trim() === "stored",
      said: await said,
      calls: readFileSync(trace, "utf8").split("\n")
    }
  })

/** The system calls from the last write to the database's log to the message that it is stored. */
const fromLastWrite = (calls: ReadonlyArray<string>): ReadonlyArray<string> => {
  const answered = calls.findIndex((call) => /write\(1<.*"stored/.test(call))
  const written = calls.findLastIndex((call, at) => at < answered && /pwrite64\(.*metadata\.sqlite-wal>/.test(call))
  assert.isAbove(written, -1, "nothing was written")
  return calls.slice(written, answered)
}

const forced = /f(?:data)?sync\(\d+<[^>]*metadata\.sqlite-wal>\)\s+= 0/

describe.skipIf(!hasStrace)("a database on its disk", () => {
  const storing = ["-e", "trace=pwrite64,write,fsync,fdatasync"]

  it.live("forces a commit to the disk before it reports the commit", function* () {
    const { calls } = yield* traced(yield* newFile, storing)
    assert.isTrue(fromLastWrite(calls).some((call) => forced.test(call)))
    const { calls: lowered } = yield* traced(yield* newFile, storing, "name", "PRAGMA synchronous = NORMAL")
    assert.isFalse(fromLastWrite(lowered).some((call) => forced.test(call)))
  })

  it.live("forces no commit of what a sweep does again after a power loss, and the next commit again", function* () {
    const { calls } = yield* traced(yield* newFile, storing, "", "SELECT 1", "sweep")
    assert.isFalse(fromLastWrite(calls).some((call) => forced.test(call)))
    const { calls: both } = yield* traced(yield* newFile, storing, "name", "SELECT 1", "sweep")
    assert.isTrue(fromLastWrite(both).some((call) => forced.test(call)))
  })

  it.live.each([
    ["is full", "pwrite64:error=ENOSPC", "its disk is full; make room, and start again."],
    ["can only be read", "openat:error=EROFS:when=2+", /it can't be written \(.*; give it and its folder to the user/],
    ["keeps no locks", "fcntl:error=ENOLCK", "its file system keeps no locks, so two hosts could write to it at once;"],
    [
      "refuses locks",
      "fcntl:error=EOPNOTSUPP",
      "its file system refuses what a database needs (disk I/O error); put it on"
    ]
  ] as const)("that %s is named in a line, with what to do, and nothing is stored", function* ([, inject, expected]) {
    const file = yield* newFile
    const paths = ["", "-wal", ".lock", ".lock.tried"].flatMap((end) => ["-P", file + end])
    const call = inject.split(":")[0] ?? ""
    const { said, stored } = yield* traced(file, [...paths, "-e", `trace=${call}`, "-e", `inject=${inject}`])
    assert.isFalse(stored)
    const [line = ""] = said.split("\n").filter((one) => one.startsWith("The database"))
    assert.isTrue(line.startsWith(`The database ${file} can't be used: `), said)
    if (typeof expected === "string") assert.include(line, expected)
    else assert.match(line, expected)
  })
})
