/** Runs the README's first line (installed already) twice on one data folder, and checks what it ends with. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const data = mkdtempSync(join(tmpdir(), "slipway-demo-"))

/** Runs the demo until it serves, stops it with Ctrl-C, and answers what it printed. */
const demo = async (): Promise<string> => {
  const child = spawn("npm", ["run", "demo", "--", "--port", "0", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true
  })
  let said = ""
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (!said.includes("Serving until Ctrl-C.")) continue
    const page = /build page\s+(\S+)/.exec(said)?.[1]
    assert.ok(page)
    // Not signed in: the sign-in page, and nothing said about the build.
    const response = await fetch(page)
    assert.equal(response.status, 401)
    if (child.pid !== undefined) process.kill(-child.pid, "SIGINT")
    break
  }
  await once(child, "close")
  process.stdout.write(said)
  return said
}

try {
  const field = (said: string, name: string) => new RegExp(`^ +${name} +(\\S+)`, "m").exec(said)?.[1]
  const first = await demo()
  const second = await demo()
  assert.equal(field(first, "status"), "ready")
  assert.ok(field(first, "build"))
  for (const name of ["build", "created", "updated"])
    assert.equal(field(second, name), field(first, name), "the second run uploads nothing again")
} finally {
  rmSync(data, { recursive: true, force: true })
}
