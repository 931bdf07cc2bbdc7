/**
 * Makes the package `slipway-conformance`: the suite as one file that runs on Node 20 and needs no other package, so that
 * `npx slipway-conformance` tests an implementation in any language from an empty folder.
 */
import { build } from "esbuild"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createRequire } from "node:module"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

const require = createRequire(import.meta.url)

const packageJson = {
  name: "slipway-conformance",
  version: manifest.version,
  description: "Tests whether an implementation of the Slipway interface, in any language, conforms to it",
  license: manifest.license,
  // A release sets it.
  repository: Reflect.get(manifest, "repository"),
  keywords: ["slipway", "conformance", "react-native", "presigned-url", "preview"],
  engines: { node: ">=20" },
  type: "module",
  bin: { "slipway-conformance": "main.js" },
  files: ["main.js", "*.md"]
}

/** The pages of the package, by their names in `docs/`. */
const pages: Readonly<Record<string, string>> = {
  "conformance.md": "README.md",
  "interface.md": "interface.md",
  "api-behavior.md": "api-behavior.md"
}

/** A link to a page that the package has; of any other, only its text. */
const linkInPackage = (_: string, text: string, page: string, anchor = ""): string =>
  pages[page] === undefined ? text : `[${text}](${pages[page]}${anchor})`

/**
 * A module that has the version and the digest of the suite written in: the published package has no sources to compute
 * it from.
 */
export const suiteModule = (suite: { readonly version: string; readonly digest: string }): string =>
  `import { Effect } from "effect"\nexport const suite = Effect.succeed(${JSON.stringify(suite)})\n`

/**
 * Writes the package into the folder `to`. `suite` is the version and the digest of the suite, computed from its
 * sources.
 */
export const makeConformancePackage = async (
  to: string,
  suite: { readonly version: string; readonly digest: string }
): Promise<void> => {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  await build({
    entryPoints: [join(root, "hosts/cli/conformance.ts")],
    outfile: join(to, "main.js"),
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minify: true,
    inject: [join(import.meta.dirname, "node20.ts")],
    legalComments: "inline",
    logLevel: "warning",
    // Redis is a peer of a library, and of no use to us.
    external: ["redis"],
    // Some libraries are CommonJS and `require` the modules of Node.
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as nodeRequire } from "node:module"\nconst require = nodeRequire(import.meta.url)'
    },
    plugins: [
      {
        // The undici that Effect brings wants a newer Node.
        name: "undici",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^@effect\/platform-node\/Undici$/ }, () => ({ path: require.resolve("undici-node20") }))
      },
      {
        name: "suite",
        setup: ({ onLoad }) => {
          onLoad({ filter: /\/conformance\/run\/suite\.ts$/ }, () => ({
            contents: suiteModule(suite),
            loader: "js",
            resolveDir: root
          }))
          onLoad({ filter: /\/conformance\/config\/commandName\.ts$/ }, () => ({
            contents: 'export const commandName = "slipway-conformance"'
          }))
        }
      }
    ]
  })
  chmodSync(join(to, "main.js"), 0o755)
  writeFileSync(join(to, "package.json"), `${JSON.stringify(packageJson, null, 2)}\n`)
  for (const [page, file] of Object.entries(pages)) {
    const text = readFileSync(join(root, "docs", page), "utf8")
    writeFileSync(join(to, file), text.replaceAll(/\[([^\]]+)\]\(([\w-]+\.md)(#[\w-]*)?\)/g, linkInPackage))
  }
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"))
}
