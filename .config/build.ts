/**
 * `npm run build`: writes to `dist/` what is published, JavaScript with types, and the command as a bundled program; and to
 * `hosts/ci/dist/` the package `slipway-ci`.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { makeCiPackage } from "./ciPackage.ts"
import { bundleCommand, madeBundles } from "./command.ts"
import { keepPublic } from "./keepPublic.ts"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", join(import.meta.dirname, "tsconfig.build.json")], {
  stdio: "inherit"
})
// The compiler copies the package.json whose version the command reads; in the package, the command reads the package's.
rmSync(join(dist, "package.json"))
writeFileSync(join(dist, "hosts", "viewer", "ui", "bundles.js"), await madeBundles())

keepPublic({ root, dist })

// The digest of the suite is that of its published files, so that reports of the command and of the library agree.
const { suite }: typeof import("../conformance/run/suite.ts") = await import(
  pathToFileURL(join(dist, "conformance", "run", "suite.js")).href
)
const cli = join(dist, "hosts", "cli")
await bundleCommand({ main: "hosts/cli/main.ts", to: cli, suite: await Effect.runPromise(suite) })
chmodSync(join(cli, "main.js"), 0o755)

await makeCiPackage(join(root, "hosts", "ci", "dist"))
