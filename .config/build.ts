/** `npm run build`: makes what is published, JavaScript with types, in `dist/`. */
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", join(import.meta.dirname, "tsconfig.build.json")], {
  stdio: "inherit"
})
// The compiler copies the package.json that the command reads its version from; in the package it reads its own.
rmSync(join(dist, "package.json"))
chmodSync(join(dist, "hosts", "cli", "main.js"), 0o755)
