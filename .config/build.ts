/**
 * `npm run build`: writes to `dist/` what is published, JavaScript with types and their reference, and the command as a bundled program; to
 * `hosts/ci/dist/` the package `slipway-ci`, and to `conformance/dist/` the package `slipway-conformance`. Hosts provide both, from
 * `dist/programs/`.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { suite } from "../conformance/run/suite.ts"
import { licencesOf } from "../hosts/phone/fixtures/bundlers.ts"
import { writeApiReference } from "./apiReference.ts"
import { makeCiPackage } from "./ciPackage.ts"
import { bundleCommand, madeBundles } from "./command.ts"
import { makeConformancePackage, suiteModule } from "./conformancePackage.ts"
import { keepPublic } from "./keepPublic.ts"
import { filesModule, packPrograms } from "./programs.ts"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", join(import.meta.dirname, "tsconfig.build.json")], {
  stdio: "inherit"
})
// The compiler copies the package.json whose version the command reads; in the package, the command reads the package's.
rmSync(join(dist, "package.json"))
for (const [path, text] of Object.entries(await madeBundles())) writeFileSync(join(dist, `${path}.js`), text)
writeFileSync(join(dist, "hosts", "node", "programFiles.js"), filesModule)

keepPublic({ root, dist })
await writeApiReference(dist)

// Reports of a checkout, of the package and of `slipway-conformance` agree: each has the digest of the same sources.
const known = await Effect.runPromise(suite)
writeFileSync(join(dist, "conformance", "run", "suite.js"), suiteModule(known))
const cli = join(dist, "hosts", "cli")
const sources = await bundleCommand({ main: "hosts/cli/main.ts", to: cli, suite: known, isPackaged: true })
writeFileSync(join(dist, "LICENCES.txt"), licencesOf(sources, root))
chmodSync(join(cli, "main.js"), 0o755)

const programs = {
  "slipway-ci": join(root, "hosts", "ci", "dist"),
  "slipway-conformance": join(root, "conformance", "dist")
}
await makeCiPackage(programs["slipway-ci"])
await makeConformancePackage(programs["slipway-conformance"], known)
packPrograms(programs, join(dist, "programs"))
