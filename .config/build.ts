/** `npm run build`: makes what is published, JavaScript with types, in `dist/`. */
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", join(import.meta.dirname, "tsconfig.build.json")], {
  stdio: "inherit"
})
// The compiler copies the package.json that the command reads its version from; in the package it reads its own.
rmSync(join(dist, "package.json"))
// The scripts of the viewer's pages, made: what is published needs no bundler.
const { bundles, scriptNames } = await import("../hosts/viewer/bundles.ts")
writeFileSync(
  join(dist, "hosts", "viewer", "bundles.js"),
  `export const scriptNames = ${JSON.stringify(scriptNames)}\n` +
    `const made = ${JSON.stringify(await bundles())}\n` +
    "export const bundles = () => Promise.resolve(made)\n"
)
chmodSync(join(dist, "hosts", "cli", "main.js"), 0o755)
