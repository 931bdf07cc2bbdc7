/**
 * Makes the package `slipway-ci`: the program of `hosts/ci` as one file that runs on Node 20 and needs no other
 * package. It is installed on each CI machine, so it has to be small.
 */
import { build } from "esbuild"
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { licencesOf } from "../hosts/phone/fixtures/licences.ts"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

const packageJson = {
  name: "slipway-ci",
  version: manifest.version,
  description: "Uploads the results of a CI run to a Slipway host: bundles, Maestro and Detox results, the comment",
  license: manifest.license,
  // A release sets it.
  repository: Reflect.get(manifest, "repository"),
  keywords: manifest.keywords,
  engines: { node: ">=20" },
  type: "module",
  bin: { "slipway-ci": "main.js" },
  files: ["main.js", "LICENCES.txt"]
}

/** Writes the package into the folder `to`, and answers the modules that the program was made of. */
export const makeCiPackage = async (to: string): Promise<ReadonlyArray<string>> => {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const { metafile } = await build({
    entryPoints: [join(root, "hosts/ci/main.ts")],
    outfile: join(to, "main.js"),
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Names stay, so that a stack trace has the functions' names.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "inline",
    metafile: true,
    logLevel: "warning",
    // Some libraries are CommonJS and `require` the modules of Node.
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module"\nconst require = nodeRequire(import.meta.url)'
    }
  })
  chmodSync(join(to, "main.js"), 0o755)
  writeFileSync(join(to, "package.json"), `${JSON.stringify(packageJson, null, 2)}\n`)
  copyFileSync(join(root, "docs/get-started-mobile-team.md"), join(to, "README.md"))
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"))
  const sources = Object.keys(metafile.inputs)
  writeFileSync(join(to, "LICENCES.txt"), licencesOf(sources, root))
  return sources
}
