/**
 * Makes the package `slipway-ci`: the program of `hosts/ci` as one file that runs on Node 20 and needs no other
 * package. It is installed on each CI machine, so it has to be small.
 */
import { build, type Plugin } from "esbuild"
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { licencesOf } from "../hosts/phone/fixtures/bundlers.ts"
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

/**
 * Loads each module of Node where the module that imports it runs. In one file, all imports of modules of Node would run at the start
 * of the program, also those of commands that don't run.
 */
const lazyBuiltins: Plugin = {
  name: "lazy builtins",
  setup: (bundle) => {
    const namespace = "builtin"
    bundle.onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === "require-call" ? { path, external: true } : { path, namespace }
    )
    bundle.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`
    }))
  }
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
    plugins: [lazyBuiltins],
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
  const sources = Object.keys(metafile.inputs).filter((path) => !path.startsWith("builtin:"))
  writeFileSync(join(to, "LICENCES.txt"), licencesOf(sources, root))
  return sources
}
