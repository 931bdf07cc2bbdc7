/** `npm run build`: makes what is published in `dist/`, JavaScript with types, and the command as a program of its own. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundleCommand, madeBundles } from "./command.ts"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", join(import.meta.dirname, "tsconfig.build.json")], {
  stdio: "inherit"
})
// The compiler copies the package.json that the command reads its version from; in the package it reads its own.
rmSync(join(dist, "package.json"))
writeFileSync(join(dist, "hosts", "viewer", "ui", "bundles.js"), await madeBundles())

// The suite is named by the files of it that are published: a report of the command is one of theirs.
const { suite }: typeof import("../conformance/run/suite.ts") = await import(
  pathToFileURL(join(dist, "conformance", "run", "suite.js")).href
)
const cli = join(dist, "hosts", "cli")
await bundleCommand({ main: "hosts/cli/main.ts", to: cli, suite: await Effect.runPromise(suite) })
chmodSync(join(cli, "main.js"), 0o755)
