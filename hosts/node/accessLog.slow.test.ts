import { assert, describe, it, onTestFinished } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"

const lines = 2000

/** A program that writes lines and then ends in this way, before any of them can have been written beside it. */
const program = (end: string) => `
  import { Effect, Scope } from "effect"
  import { asyncLines } from ${JSON.stringify(join(import.meta.dirname, "accessLog.ts"))}
  const write = Effect.runSync(Effect.provideService(asyncLines(2), Scope.Scope, Scope.makeUnsafe()))
  for (let line = 0; line < ${lines}; line++) write("line " + line + " " + "x".repeat(100))
  ${end}
`

const argsOf = (end: string) => ["--input-type=module", "--eval", program(end)]

/** What the program writes to its standard error, which is a pipe: Node itself would give it a socket, which takes no write as a whole. */
const endedInPipe = async (end: string) => {
  const throughPipe = ["-c", '"$@" 2>&1 >/dev/null | cat', "sh", process.execPath, ...argsOf(end)]
  const child = spawn("sh", throughPipe, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] })
  const [said] = await Promise.all([text(child.stdout), once(child, "close")])
  return said
}

const whole = /^line \d+ x{100}$/gm

describe("lines that are written beside the work", () => {
  it.each([
    ["has nothing left to do", ""],
    ["exits", "process.exit(3)"],
    ["throws an error that nobody catches", 'throw new Error("planted")'],
    ["has a promise that nobody catches", 'await Promise.reject(new Error("planted"))']
  ])("are all there when the process %s", async (_, end) => {
    assert.lengthOf(new Set((await endedInPipe(end)).match(whole)), lines)
  })

  it("are all in a file that the process has for its output", async () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-lines-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, "log")
    const file = openSync(path, "a")
    const child = spawn(process.execPath, argsOf('throw new Error("planted")'), {
      cwd: import.meta.dirname,
      stdio: ["ignore", "ignore", file]
    })
    await once(child, "close")
    closeSync(file)
    assert.lengthOf(new Set(readFileSync(path, "utf8").match(whole)), lines)
  })

  it("don't end the process when nobody reads any more", async () => {
    const child = spawn(process.execPath, argsOf('process.stdout.write("still here")'), {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "pipe"]
    })
    child.stderr.destroy()
    const [said] = await Promise.all([text(child.stdout), once(child, "close")])
    assert.deepStrictEqual([said, child.exitCode], ["still here", 0])
  })
})
